// SPDX-License-Identifier: Apache-2.0
#include "nvidia_module.hpp"

#include <doctest/doctest.h>

#include "dkms.hpp"
#include "nvidia_on_disk.hpp"
#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("both flavours of /proc/driver/nvidia/version") {
  auto module = parse_nvrm_version(
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\nGCC version: gcc "
      "version 12.3.0\n");
  CHECK(module.version == "535.183.01");
  CHECK(module.flavour == "proprietary");
  module = parse_nvrm_version(
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.105.08  Release Build  (dvs-builder@U22)  Wed Oct "
      "29 23:15:11 UTC 2025\n");
  CHECK(module.version == "580.105.08");
  CHECK(module.flavour == "open");
  module = parse_nvrm_version(
      "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.65.06  Release Build  (dvs-builder@U22)\n");
  CHECK(module.version == "580.65.06");
  module = parse_nvrm_version(
      "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  TempVersion  Release Build  (buildbrain@mobile-u64)  "
      "Mon 12.11.2025\n");
  CHECK(module.version == "");
  CHECK(module.flavour == "open");
  CHECK(parse_nvrm_version("").version == "");
  CHECK(parse_nvrm_version("garbage 535.183.01").version == "");
}

TEST_CASE("names in /proc/modules are whole words") {
  CHECK(lists_module("nvidia_uvm 1789952 0 - Live 0x0\n", "nvidia_uvm"));
  CHECK_FALSE(lists_module("nvidia_uvm 1789952 0 - Live 0x0\n", "nvidia"));
}

TEST_CASE("the main module by its file name") {
  CHECK(is_nvidia_module("nvidia.ko"));
  CHECK(is_nvidia_module("nvidia.ko.xz"));
  CHECK(is_nvidia_module("nvidia-current.ko"));
  CHECK(is_nvidia_module("nvidia-tesla-470.ko.zst"));
  CHECK_FALSE(is_nvidia_module("nvidia-uvm.ko"));
  CHECK_FALSE(is_nvidia_module("nvidia-current-uvm.ko"));
  CHECK_FALSE(is_nvidia_module("nvidia-wmi-ec-backlight.ko.zst"));
  CHECK_FALSE(is_nvidia_module("nvidia.ko.debug"));
}

TEST_CASE("licences and blacklists") {
  CHECK(flavour_of_license("Dual MIT/GPL") == "open");
  CHECK(flavour_of_license("NVIDIA") == "proprietary");
  CHECK(flavour_of_license("GPL") == "");
  CHECK(blacklists_nouveau("# x\n  blacklist   nouveau\n"));
  CHECK_FALSE(blacklists_nouveau("#blacklist nouveau\nblacklist nouveau2\n"));
  CHECK(cmdline_blacklists_nouveau("quiet modprobe.blacklist=pcspkr,nouveau"));
  CHECK_FALSE(cmdline_blacklists_nouveau("quiet nouveau.modeset=0"));
}

TEST_CASE("a sound machine") {
  const auto facts = look_at(*machine("ubuntu2204-rtx4090-sound"));
  CHECK(told(facts, "driver", "loaded") == "535.183.01");
  CHECK(told(facts, "driver", "flavour") == "proprietary");
  CHECK(told(facts, "driver", "uvm") == "yes");
  CHECK(told(facts, "driver", "nouveau") == "no");
  CHECK(told(facts, "driver", "nodes") ==
        "/dev/nvidia-modeset /dev/nvidia-uvm /dev/nvidia-uvm-tools /dev/nvidia0 /dev/nvidiactl");
  CHECK(told(facts, "driver", "nodes_refused") == "absent");
  CHECK(told(facts, "driver", "on_disk") == "535.183.01");
  CHECK(told(facts, "driver", "on_disk_flavour") == "proprietary");
  CHECK(told(facts, "driver", "dkms") == "installed");
  CHECK(told(facts, "driver", "nouveau_blacklisted") == "yes");
}

TEST_CASE("nouveau, and no driver") {
  const auto nouveau = look_at(*machine("debian12-nouveau"));
  CHECK(told(nouveau, "driver", "loaded") == "absent");
  CHECK(told(nouveau, "driver", "nouveau") == "yes");
  CHECK(told(nouveau, "driver", "on_disk") == "absent");
  CHECK(told(nouveau, "driver", "flavour") == "absent");
  CHECK(told(nouveau, "driver", "libraries") == "absent");
  CHECK(told(nouveau, "driver", "packages") == "absent");
  CHECK(told(nouveau, "driver", "nodes") == "absent");
  CHECK(told(nouveau, "driver", "nouveau_blacklisted") == "no");
  CHECK(told(nouveau, "gpu", "bound", "0000:01:00.0") == "nouveau");
  CHECK(told(nouveau, "host", "headers") == "no");
  const auto none = look_at(*machine("fedora40-no-driver"));
  CHECK(told(none, "driver", "nouveau") == "no");
  CHECK(told(none, "driver", "nouveau_blacklisted") == "yes");
  CHECK(told(none, "driver", "packages").starts_with("unknown: /usr/lib/sysimage/rpm/rpmdb.sqlite: "));
  CHECK(told(none, "host", "glibc") == "2.39");
}

TEST_CASE("Debian's names, and Arch's open module") {
  const auto debian = look_at(*machine("debian12-alternatives-sound"));
  CHECK(told(debian, "driver", "on_disk") == "535.183.01");
  CHECK(told(debian, "driver", "dkms") == "installed");
  const auto arch = look_at(*machine("arch-amd-apu-beside-nvidia"));
  CHECK(told(arch, "driver", "loaded") == "580.82.07");
  CHECK(told(arch, "driver", "flavour") == "open");
  CHECK(told(arch, "driver", "on_disk_flavour") == "open");
}

TEST_CASE("nvidia-on-disk: the module in the folders of RHEL's precompiled packages and of Gentoo") {
  for (const std::string folder : {"extra/drivers/video/nvidia", "video"}) {
    CAPTURE(folder);
    const auto one = test::look_at(*test::machine_of("[files]\n\"/proc/sys/kernel/osrelease\" = \"6.12.0\\n\"\n\"/lib/modules/6.12.0/" + folder +
                                                     "/nvidia.ko\" = { modinfo = { version = \"550.144.03\", license = \"NVIDIA\" } }\n"));
    CHECK(test::told(one, "driver", "on_disk") == "550.144.03");
  }
}

TEST_CASE("what cannot be read is unknown, with its reason") {
  const auto facts = look_at(*machine("hostile-fifo-and-refusals"));
  CHECK(told(facts, "driver", "loaded") == "unknown: /proc/driver/nvidia/version: a FIFO");
  CHECK(told(facts, "driver", "on_disk") ==
        "unknown: /lib/modules/6.5.0-41-generic/updates/dkms/nvidia.ko: permission denied");
  CHECK(told(facts, "driver", "nodes") == "unknown: /dev: permission denied");
  CHECK(told(facts, "driver", "packages") == "unknown: /var/lib/dpkg/status: permission denied");
  CHECK(told(facts, "host", "distribution") == "unknown: /etc/os-release: a FIFO");
}

TEST_CASE("a container does not tell what its host has on disk") {
  const auto facts = look_at(*machine("docker-without-gpu"));
  CHECK(told(facts, "driver", "on_disk") == "unknown: a container does not hold its host's modules");
}

TEST_CASE("nodes that this user may not open") {
  const std::string nodes =
      "[folders]\n\"/dev\" = [\"nvidia0%\"]\n[info]\n\"/dev/nvidia0\" = { kind = \"character\", mode = \"0660\", group "
      "= 44 }\n";
  CHECK(
      told(look_at(*machine_of(
               nodes + "[files]\n\"/proc/self/status\" = \"Gid:\\t1000\\t1000\\t1000\\t1000\\nGroups:\\t4 27\\n\"\n")),
           "driver", "nodes_refused") == "/dev/nvidia0");
  CHECK(told(look_at(*machine_of(nodes + "[files]\n\"/proc/self/status\" = \"Gid:\\t1000\\nGroups:\\t4 44\\n\"\n")),
             "driver", "nodes_refused") == "absent");
  CHECK(told(look_at(*machine_of(nodes)), "driver", "nodes_refused").starts_with("unknown: /dev/nvidia0"));
}

TEST_CASE("the helper that makes nodes is of use only when it is set-user-id") {
  CHECK(told(look_at(*machine_of("")), "driver", "modprobe_helper") == "no");
  CHECK(told(look_at(*machine_of("[info]\n\"/usr/bin/nvidia-modprobe\" = { mode = \"4755\" }\n")), "driver",
             "modprobe_helper") == "yes");
  CHECK(told(look_at(*machine_of("[info]\n\"/usr/bin/nvidia-modprobe\" = { mode = \"0755\" }\n")), "driver",
             "modprobe_helper") == "no");
}

TEST_CASE("why a build failed, by its first error") {
  CHECK(kind_of_failure("nvidia-drm-drv.c:202:21: error: 'const struct drm_mode_config_funcs' has no member named 'output_poll_changed'") == "kernel");
  CHECK(kind_of_failure("ERROR: modpost: GPL-incompatible module nvidia.ko uses GPL-only symbol '__rcu_read_lock'") == "kernel");
  CHECK(kind_of_failure("cc: error: unrecognized command-line option '-fmin-function-alignment=16'") == "compiler");
  CHECK(kind_of_failure("/bin/sh: 1: x86_64-linux-gnu-gcc-13: not found") == "compiler");
  CHECK(kind_of_failure("fatal error: error writing to /tmp/x.s: No space left on device") == "space");
  CHECK(kind_of_failure("Error! Your kernel headers for kernel 6.8.0 cannot be found") == "headers");
  CHECK(kind_of_failure("something else") == "other");
  auto facts = look_at(*machine("debian13-driver-too-old-for-kernel"));
  CHECK(told(facts, "driver", "dkms") == "failed");
  CHECK(told(facts, "driver", "build_failure") == "kernel");
  // A log about another kernel says nothing of this one.
  facts = look_at(*machine_of("[files]\n\"/proc/sys/kernel/osrelease\" = \"6.8.0\"\n\"/var/lib/dkms/nvidia/550.120/build/make.log\" = { build-log = [\"kernel=6.5.0\", \"error=x has no member named y\"] }\n"));
  CHECK(told(facts, "driver", "build_failure").starts_with("unknown: "));
}

TEST_CASE("only the nodes that programs open are asked for, and the group that may") {
  const auto facts = look_at(*machine("ubuntu2204-nodes-of-a-group"));
  CHECK(told(facts, "driver", "nodes_refused") == "/dev/nvidia-uvm /dev/nvidia0 /dev/nvidiactl");
  CHECK(told(facts, "driver", "nodes_group") == "vglusers");
  CHECK(told(look_at(*machine_of("[folders]\n\"/dev\" = [\"nvidia-nvswitch0%\"]\n[info]\n\"/dev/nvidia-nvswitch0\" = { kind = \"character\", mode = \"0600\" }\n")),
             "driver", "nodes_refused") == "absent");
}

TEST_CASE("the newest kernel that the driver's own dkms.conf allows") {
  CHECK(newest_kernel("PACKAGE_NAME=\"nvidia\"\nBUILD_EXCLUSIVE_KERNEL_MAX=\"6.15\"\n") == "6.15");
  CHECK(newest_kernel("BUILD_EXCLUSIVE_ARCH=\"x86_64\"\n") == "");
  const auto failure = [](const std::string& kernel) {
    return told(look_at(*machine_of("[files]\n\"/proc/sys/kernel/osrelease\" = \"" + kernel + "\"\n\"/usr/src/nvidia-550.120/dkms.conf\" = \"BUILD_EXCLUSIVE_KERNEL_MAX='6.15'\"\n"
                                    "[folders]\n\"/var/lib/dkms/nvidia/550.120\" = []\n")), "driver", "build_failure");
  };
  CHECK(failure("6.16.3+deb13-amd64") == "kernel");
  CHECK(failure("6.12.41+deb13-amd64") == "absent");
}
