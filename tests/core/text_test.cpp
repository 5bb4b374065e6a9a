// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"
#include "text.hpp"

using namespace gpudoctor;

TEST_CASE("printable lets no control character through") {
  CHECK(printable("a\x1b[31mred\x07") == "a?[31mred?");
  CHECK(printable("ü – ok\n\t") == "ü – ok\n\t");
  CHECK(printable("\xff\xfe") == "??");
  CHECK(printable("\xc2\x9b" "1m") == "??1m");                 // C1 CSI
  CHECK(printable("a\xe2\x80\xae" "b").find("\xe2\x80\xae") == std::string::npos);   // right-to-left override
  CHECK(printable("cut \xe2\x80") == "cut ??");
}

TEST_CASE("package names are compared as PEP 503 says") {
  CHECK(normalized_package("NVIDIA_cuda.runtime--cu12") == "nvidia-cuda-runtime-cu12");
}

TEST_CASE("patterns") {
  CHECK(matches("libcuda.so.535.183.01", "libcuda.so.*"));
  CHECK(matches("nvidia.ko.zst", "nvidia.ko*"));
  CHECK_FALSE(matches("libcuda.so", "libcuda.so.?*"));
  CHECK(matches("", "*"));
}

TEST_CASE("lines of any end") {
  CHECK(lines("a\r\nb\nc").size() == 3);
  CHECK(lines("a\r\nb\n")[0] == "a");
  CHECK(lines("").empty());
}

TEST_CASE("GPU 2 comes before GPU 10") {
  CHECK(natural_less("GPU 2", "GPU 10"));
  CHECK_FALSE(natural_less("GPU 10", "GPU 2"));
  CHECK_FALSE(natural_less("same", "same"));
}

TEST_CASE("facts: a better witness wins, both are kept") {
  Facts facts;
  Entity& driver = facts.at("driver");
  driver.known("loaded", "535.171.04", {Rank::prose, "ticket", 3, {}});
  CHECK_FALSE(driver.find("loaded")->sure);
  driver.known("loaded", "535.183.01", {Rank::measured, "/proc/driver/nvidia/version", 1, {}});
  CHECK(driver.get("loaded") == "535.183.01");
  CHECK(driver.find("loaded")->sure);
  REQUIRE(driver.find("loaded")->witnesses.size() == 2);
  CHECK(driver.find("loaded")->witnesses[0].rank == Rank::measured);
}

TEST_CASE("facts: a coarser witness takes no precision away") {
  Facts facts;
  Entity& driver = facts.at("driver");
  driver.known("libraries", "580.159.03", {Rank::tool, "file name", 0, {}});
  driver.known("libraries", "580.159", {Rank::measured, "NVML", 0, {}});
  CHECK(driver.get("libraries") == "580.159.03");
}

TEST_CASE("facts: an undeclared fact is a mistake of ours") {
  Facts facts;
  CHECK_THROWS_AS(facts.at("driver").known("nonsense", "1", {}), std::logic_error);
}

TEST_CASE("facts: absence does not displace what was seen") {
  Facts facts;
  facts.at("driver").known("loaded", "535.54.03", {}).absent("loaded", {});
  CHECK(facts.at("driver").has("loaded"));
}
