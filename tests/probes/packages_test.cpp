// SPDX-License-Identifier: Apache-2.0
#include "packages.hpp"

#include <doctest/doctest.h>

#include "dpkg.hpp"
#include "owners.hpp"
#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("dpkg's status file") {
  const auto packages = dpkg_packages_of_interest(
      "Package: adduser\nStatus: install ok installed\nVersion: 3.118\nDescription: adds\n Package: nvidia-not-me\n\n"
      "Package: libnvidia-compute-535\nStatus: install ok installed\nPriority: optional\nArchitecture: amd64\nMulti-Arch: same\n"
      "Version: 535.183.01-0ubuntu0.22.04.1\nDescription: NVIDIA\n Version: not this\n\n"
      "Package: libcurl4\nStatus: install ok installed\nVersion: 7.81\n\n"
      "Package: nvidia-dkms-535\nStatus: install reinstreq half-configured\nArchitecture: amd64\nVersion: 535.183.01-0ubuntu0.22.04.1\n");
  REQUIRE(packages.size() == 2);
  CHECK(packages[0] == "libnvidia-compute-535\t535.183.01-0ubuntu0.22.04.1\tinstall ok installed\tamd64");
  CHECK(packages[1] == "nvidia-dkms-535\t535.183.01-0ubuntu0.22.04.1\tinstall reinstreq half-configured\tamd64");
  CHECK(dpkg_packages_of_interest("").empty());
  CHECK(dpkg_packages_of_interest("Package: ").empty());
  CHECK(dpkg_packages_of_interest("Package: cuda").size() == 1);   // cut short
}

TEST_CASE("the paths of a package that matter") {
  const auto paths = dpkg_paths_of_interest("/.\n/usr\n/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01\n/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1\n"
                                            "/usr/share/doc/x/changelog.Debian.gz\n/usr/bin/nvidia-smi\n/usr/local/cuda-12.4/version.json\nnonsense\n");
  REQUIRE(paths.size() == 4);
  CHECK(paths[0] == "/usr/lib/x86_64-linux-gnu/libcuda.so.535.183.01");
  CHECK(paths[3] == "/usr/local/cuda-12.4/version.json");
}

TEST_CASE("one line of it") {
  const auto package = parse_dpkg_line("nvidia-dkms-535\t535.183.01-0ubuntu1\tinstall reinstreq half-installed\tamd64");
  REQUIRE(package);
  CHECK(package->state == "half-installed");
  CHECK(package->reinstall);
  CHECK_FALSE(parse_dpkg_line("nvidia-dkms-535"));
  CHECK_FALSE(parse_dpkg_line("a\tb\tc\td"));
}

TEST_CASE("which packages are a driver's") {
  for (const auto* name : {"nvidia-driver-535", "nvidia-driver", "libnvidia-compute-535", "libnvidia-compute-535:i386", "nvidia-dkms-580-open", "libcuda1",
                           "linux-modules-nvidia-535-generic", "cuda-drivers", "cuda-drivers-580", "nvidia-open", "nvidia-utils", "firmware-nvidia-gsp",
                           "nvidia-driver-cuda", "nvidia-kernel-dkms", "nvidia-smi", "xserver-xorg-video-nvidia-535", "nvidia"})
    CHECK_MESSAGE(is_driver_package(name), name);
  for (const auto* name : {"nvidia-cuda-toolkit", "nvidia-container-toolkit", "libnvidia-container1", "nvidia-prime", "libnvidia-egl-wayland1", "cuda-toolkit-12-4",
                           "cuda-compat-12-4", "nvidia-cudnn", "libcudnn9-cuda-12", "libcudart12", "nvidia-settings", "nvidia-l4t-core", "libc6"})
    CHECK_MESSAGE(!is_driver_package(name), name);
}

TEST_CASE("dpkg's states") {
  for (const auto* state : {"installed", "config-files", "not-installed"}) CHECK_FALSE(is_half_state(state));
  for (const auto* state : {"unpacked", "half-configured", "half-installed", "reinst-required"}) CHECK(is_half_state(state));
}

TEST_CASE("pacman's folders") {
  const auto package = parse_pacman_folder("nvidia-utils-580.82.07-1");
  REQUIRE(package);
  CHECK(package->first == "nvidia-utils");
  CHECK(package->second == "580.82.07-1");
  CHECK_FALSE(parse_pacman_folder("ALPM_DB_VERSION"));
}

TEST_CASE("packages of a driver, whole and broken; a remnant is neither") {
  auto facts = look_at(*machine("ubuntu2204-rtx4090-sound"));
  CHECK(told(facts, "driver", "packages") ==
        "libnvidia-compute-535=535.183.01-0ubuntu0.22.04.1 libnvidia-compute-535:i386=535.183.01-0ubuntu0.22.04.1 "
        "nvidia-dkms-535=535.183.01-0ubuntu0.22.04.1 nvidia-driver-535=535.183.01-0ubuntu0.22.04.1");
  CHECK(told(facts, "driver", "packages_broken") == "absent");
  CHECK(told(facts, "driver", "runfile") == "no");
  CHECK(told(facts, "package", "state", "libnvidia-compute-525") == "config-files");
  facts = look_at(*machine("ubuntu2204-runfile-beside-packages"));
  CHECK(told(facts, "driver", "packages_broken") == "nvidia-dkms-535:half-configured nvidia-driver-535:unpacked");
  CHECK(told(facts, "driver", "runfile") == "yes");
}

TEST_CASE("owners see through the merged /usr") {
  const auto live = machine("ubuntu2204-rtx4090-sound");
  const auto facts = look_at(*live);
  const Owners owners(*live, facts, {"libnvidia*"});
  CHECK(owners.complete());
  CHECK(owners.of("/lib/x86_64-linux-gnu/libcuda.so.535.183.01") == "libnvidia-compute-535");
  CHECK_FALSE(owners.of("/usr/lib/x86_64-linux-gnu/libcuda.so.550.90.07"));
  CHECK(usr_merged("/lib64/x") == "/usr/lib64/x");
  CHECK(usr_merged("/opt/lib/x") == "/opt/lib/x");
}
