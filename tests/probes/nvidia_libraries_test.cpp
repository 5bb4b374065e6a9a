// SPDX-License-Identifier: Apache-2.0
#include "nvidia_libraries.hpp"

#include <doctest/doctest.h>

#include "loader.hpp"
#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

namespace {
const std::string gnu = "/usr/lib/x86_64-linux-gnu/";
}

TEST_CASE("versions and kinds by path") {
  CHECK(driver_of_file_name("libcuda.so.535.183.01") == "535.183.01");
  CHECK(driver_of_file_name("libcuda.so.1") == "");
  CHECK(driver_of_file_name("libcuda.so.1.1") == "");  // Tegra
  CHECK(driver_of_file_name("libcuda.so") == "");
  CHECK(kind_of_copy("/usr/local/cuda-12.4/compat/libcuda.so.550.54.15") == "compat");
  CHECK(kind_of_copy("/usr/local/cuda-12.4/targets/x86_64-linux/lib/stubs/libcuda.so") == "stub");
  CHECK(kind_of_copy("/usr/lib/wsl/lib/libcuda.so.1") == "wsl");
  CHECK(kind_of_copy("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so.1.1") == "tegra");
  CHECK(kind_of_copy(gnu + "libcuda.so.535.183.01") == "driver");
}

TEST_CASE("ld.so.conf") {
  const auto entries = parse_ld_so_conf("# x\ninclude /etc/ld.so.conf.d/*.conf\n/a:/b, /c # tail\nhwcap 1 x\n\n");
  REQUIRE(entries.size() == 4);
  CHECK(entries[0] == "include /etc/ld.so.conf.d/*.conf");
  CHECK(entries[3] == "/c");
}

TEST_CASE("one copy, whatever links lead to it; 32-bit ones do not count") {
  const auto facts = look_at(*machine("ubuntu2204-rtx4090-sound"));
  CHECK(told(facts, "driver", "libraries") == "535.183.01");
  CHECK(told(facts, "driver", "owner") == "dpkg");
  REQUIRE(facts.of("driver_copy").size() == 1);
  const auto key = gnu + "libcuda.so.535.183.01";
  CHECK(told(facts, "driver_copy", "version", key) == "535.183.01");
  CHECK(told(facts, "driver_copy", "kind", key) == "driver");
  CHECK(told(facts, "driver_copy", "package", key) == "libnvidia-compute-535");
  CHECK(told(facts, "driver_copy", "reachable", key) == "yes");
  CHECK(told(facts, "driver_copy", "first", key) == "yes");
  CHECK(facts.was_looked("driver_copy"));
}

TEST_CASE("Debian's absolute links of /etc/alternatives") {
  const auto facts = look_at(*machine("debian12-alternatives-sound"));
  REQUIRE(facts.of("driver_copy").size() == 1);
  const auto key = gnu + "nvidia/current/libcuda.so.535.183.01";
  CHECK(told(facts, "driver_copy", "first", key) == "yes");
  CHECK(told(facts, "driver_copy", "package", key) == "libcuda1");
  CHECK(told(facts, "driver", "libraries") == "535.183.01");
}

TEST_CASE("libraries newer than the loaded module") {
  const auto facts = look_at(*machine("ubuntu2204-reboot-pending"));
  CHECK(told(facts, "driver", "loaded") == "535.171.04");
  CHECK(told(facts, "driver", "on_disk") == "535.183.01");
  CHECK(told(facts, "driver", "libraries") == "535.183.01");
  CHECK(told(facts, "driver", "nvml_error") == "Failed to initialize NVML: Driver/library version mismatch");
  CHECK(told(facts, "driver", "nvml_version") == "535.183");
}

TEST_CASE("a compat folder that nothing puts on the path is not reachable") {
  const auto facts = look_at(*machine("docker-without-gpu"));
  const std::string key = "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15";
  REQUIRE(facts.of("driver_copy").size() == 1);
  CHECK(told(facts, "driver_copy", "kind", key) == "compat");
  CHECK(told(facts, "driver_copy", "reachable", key) == "no");
  CHECK(told(facts, "driver_copy", "package", key) == "cuda-compat-12-4");
  CHECK(told(facts, "driver", "libraries") == "absent");
  CHECK(told(facts, "driver", "owner") == "absent");
}

TEST_CASE("a stub and cuda-compat before the driver") {
  const auto facts = look_at(*machine("ubuntu2204-compat-and-stub-on-path"));
  const std::string stub = "/usr/local/cuda-12.4/targets/x86_64-linux/lib/stubs/libcuda.so";
  CHECK(told(facts, "driver_copy", "first", stub) == "yes");
  CHECK(told(facts, "driver_copy", "version", stub) == "absent");
  CHECK(told(facts, "driver_copy", "reachable", "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15") == "yes");
  CHECK(told(facts, "driver_copy", "first", "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15") == "no");
  CHECK(told(facts, "driver", "libraries") == "535.183.01");  // the driver's own
}

TEST_CASE("the installer's copy beside a package's") {
  const auto facts = look_at(*machine("ubuntu2204-runfile-beside-packages"));
  CHECK(told(facts, "driver_copy", "owner", gnu + "libcuda.so.550.90.07") == "runfile");
  CHECK(told(facts, "driver_copy", "owner", gnu + "libcuda.so.535.183.01") == "dpkg");
  CHECK(told(facts, "driver_copy", "reachable", gnu + "libcuda.so.535.183.01") == "no");
  CHECK(told(facts, "driver", "owner") == "runfile");
}

TEST_CASE("WSL's own copy comes first, and is the host's") {
  const auto facts = look_at(*machine("wsl2-linux-driver"));
  CHECK(told(facts, "driver_copy", "first", "/usr/lib/wsl/lib/libcuda.so.1") == "yes");
  CHECK(told(facts, "driver_copy", "kind", "/usr/lib/wsl/lib/libcuda.so.1") == "wsl");
  CHECK(told(facts, "driver_copy", "owner", "/usr/lib/wsl/lib/libcuda.so.1") == "host");
  CHECK(told(facts, "driver", "libraries").starts_with("unknown: "));
  CHECK(told(facts, "driver", "packages") == "libnvidia-compute-535=535.183.01-0ubuntu0.22.04.1");
  CHECK(told(facts, "host", "wsl") == "2");
}

TEST_CASE("Arch: pacman owns it, /usr/lib64 is /usr/lib") {
  const auto facts = look_at(*machine("arch-amd-apu-beside-nvidia"));
  CHECK(told(facts, "driver", "libraries") == "580.82.07");
  CHECK(told(facts, "driver", "owner") == "pacman");
  CHECK(told(facts, "driver_copy", "package", "/usr/lib/libcuda.so.580.82.07") == "nvidia-utils");
  CHECK(told(facts, "driver", "packages") == "nvidia-open=580.82.07-3 nvidia-utils=580.82.07-1");
}

TEST_CASE("a loader's configuration that cannot be read leaves doubt") {
  const auto facts = look_at(*machine("hostile-fifo-and-refusals"));
  CHECK(told(facts, "driver_copy", "reachable", gnu + "libcuda.so.535.183.01") ==
        "unknown: /etc/ld.so.conf: permission denied");
  CHECK(told(facts, "driver", "libraries") == "unknown: /etc/ld.so.conf: permission denied");
  CHECK(told(facts, "driver_copy", "owner", gnu + "libcuda.so.535.183.01") ==
        "unknown: /var/lib/dpkg/status: permission denied");
}

TEST_CASE("libraries that a container was given are the host's") {
  const auto facts = look_at(*machine_of(
      "[files]\n\"/.dockerenv\" = \"\"\n\"/proc/self/mountinfo\" = \"700 600 8:1 /usr/lib/libcuda.so.535.183.01 "
      "/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01 ro - ext4 /dev/sda1 rw\\n\"\n"
      "\"/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01\" = \"\"\n[links]\n"
      "\"/usr/lib/x86_64-linux-gnu/libcuda.so.1\" = \"libcuda.so.535.183.01\"\n"));
  CHECK(told(facts, "driver_copy", "owner", gnu + "libcuda.so.535.183.01") == "host");
  CHECK(told(facts, "container", "engine") == "docker");
}

TEST_CASE("thousands of files named libcuda are not all looked at, and not believed") {
  std::string folder = "[folders]\n\"/usr/lib/x86_64-linux-gnu\" = [";
  for (int i = 0; i < 3000; ++i) folder += "\"libcuda.so." + std::to_string(i) + "\", ";
  const auto facts = look_at(*machine_of(folder + "]\n"));
  CHECK(facts.of("driver_copy").size() <= 200);
  CHECK_FALSE(facts.was_looked("driver_copy"));
}
