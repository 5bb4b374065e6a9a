// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "gpudoctor/version.hpp"

using namespace gpudoctor;

namespace {

Order dotted(const char* a, const char* b) { return compare(Version(a), Version(b)); }
Order pep(const char* a, const char* b) { return compare(Version(a, Scheme::pep440), Version(b, Scheme::pep440)); }
Order dpkg(const char* a, const char* b) { return compare(Version(a, Scheme::dpkg), Version(b, Scheme::dpkg)); }

}  // namespace

TEST_CASE("dotted versions: numbers, not decimals") {
  CHECK(dotted("9.10.2", "9.9.0") == Order::greater);
  CHECK(dotted("525.60.13", "525.60.13") == Order::equal);
  CHECK(dotted("565.77", "565.57.01") == Order::greater);
  CHECK(dotted("470.256.02", "525.60.13") == Order::less);
}

TEST_CASE("a prefix inside its own range is unknown, outside it is ordered") {
  CHECK(dotted("525", "525.60.13") == Order::unknown);
  CHECK(dotted("580.159", "580.159.03") == Order::unknown);
  CHECK(dotted("525", "535.54.03") == Order::less);
  CHECK(dotted("12.4", "12.4.1") == Order::unknown);
}

TEST_CASE("what is no version compares to nothing") {
  for (const char* text : {"TempVersion", "N/A", "", "v", "12x", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(Version(text).valid());
    CHECK(dotted(text, "1.0") == Order::unknown);
  }
}

// https://peps.python.org/pep-0440/#summary-of-permitted-suffixes-and-relative-ordering
TEST_CASE("PEP 440 orders as the PEP says") {
  const char* order[] = {"1.dev0", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2",
                         "1.0b2.post345.dev456", "1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0.post456.dev34", "1.0.post456", "1.1.dev1"};
  for (std::size_t i = 0; i < std::size(order); ++i)
    for (std::size_t j = i + 1; j < std::size(order); ++j) {
      CAPTURE(order[i]);
      CAPTURE(order[j]);
      CHECK(pep(order[i], order[j]) == Order::less);
      CHECK(pep(order[j], order[i]) == Order::greater);
    }
}

TEST_CASE("PEP 440: a nightly is before its release, a local label never orders, zeros are nothing") {
  CHECK(pep("2.8.0.dev20250527", "2.8.0") == Order::less);
  CHECK(pep("2.8.0+cu124", "2.8.0+cpu") == Order::equal);
  CHECK(pep("2.6", "2.6.0") == Order::equal);
  CHECK(pep("2.10.0", "2.9.1") == Order::greater);
  CHECK(Version("2.6.0a0+ecf3bae40a.nv25.01", Scheme::pep440).local() == "ecf3bae40a.nv25.01");
  CHECK(Version("2.6.0a0+ecf3bae40a.nv25.01", Scheme::pep440).pre_release());
}

// Debian policy 5.6.12, and the examples that dpkg's own tests use.
TEST_CASE("PEP 440: a label of other signs is no label") {
  for (const char* text : {"2.5.1+$(touch x)", "2.5.1+cu124;x", "2.5.1+cpu\nx", "2.5.1+cu124 x", "2.5.1+cu124`x`"})
    CHECK_FALSE(Version(text, Scheme::pep440).valid());
  for (const char* text : {"2.5.1+cu124", "2.1.0a0+d0d6b1f2.nv22.10", "2.5.0+cpu.cxx11.abi", "1.0+git-1_2"})
    CHECK(Version(text, Scheme::pep440).valid());
}

TEST_CASE("dpkg versions") {
  CHECK(dpkg("1.0~rc1", "1.0") == Order::less);
  CHECK(dpkg("1:1.0", "2.0") == Order::greater);
  CHECK(dpkg("535.183.01-1~deb12u1", "535.183.01-1") == Order::less);
  CHECK(dpkg("550.163.01-2", "550.163.01-10") == Order::less);
  CHECK(dpkg("1.0", "1.0+b1") == Order::less);
}

TEST_CASE("find_version takes the first number with enough parts") {
  CHECK(find_version("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.171.04  Tue Mar 19") == "535.171.04");
  CHECK(find_version("x86_64 only") == "");
  CHECK(find_version("CUDA Version 10.2.89", 3) == "10.2.89");
}

TEST_CASE("first() cuts parts, not digits") {
  CHECK(Version("12.4.131").first(2) == "12.4");
  CHECK(Version("9.10.2.21").first(3) == "9.10.2");
  CHECK(Version("12").first(2) == "12");
}
