// SPDX-License-Identifier: Apache-2.0
#include "kept.hpp"

#include <doctest/doctest.h>

#include "text.hpp"

using namespace gpudoctor;

namespace {
const char* syslog =
    "Nov 18 07:00:00 thinkpad kernel: [    0.000000] Linux version 6.8.0-50-generic (buildd@lcy02) #51 SMP\n"
    "Nov 18 09:00:00 thinkpad kernel: [ 7200.000000] NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.\n"
    "Nov 20 08:00:00 thinkpad kernel: [    0.000000] Linux version 6.8.0-60-generic (buildd@lcy02) #63 SMP\n"
    "Nov 20 08:00:01 thinkpad kernel: [    1.000000] usb 1-1: SerialNumber: 1234\n"
    "Nov 20 08:10:01 thinkpad kernel: [  601.000000] NVRM: Xid (PCI:0000:01:00): 31, pid=9, name=python, MMU Fault\n"
    "2025-11-20T08:11:01.000000+01:00 thinkpad kernel: Loading of module with unavailable key is rejected\n";
}

TEST_CASE("of a kernel log the lines of interest since the last boot, without host and time") {
  const auto kept = kernel_lines_of_interest(syslog);
  CHECK(joined(kept, "|") ==
        "Linux version 6.8.0-60-generic|NVRM: Xid (PCI:0000:01:00): 31, pid=9, name=python, MMU Fault|"
        "Loading of module with unavailable key is rejected");
  CHECK(kernel_lines_of_interest(joined(kept, "\n")) == kept);
  CHECK(kernel_lines_of_interest("").empty());
  CHECK(kernel_lines_of_interest(std::string(100000, '[')).empty());
}

TEST_CASE("a log that never ends in Xids keeps its boot and the last ones") {
  std::string log = "Linux version 6.8.0 x\n";
  for (int i = 0; i < 5000; ++i) log += "NVRM: Xid (PCI:0000:01:00): 31, pid=" + std::to_string(i) + "\n";
  const auto kept = kernel_lines_of_interest(log);
  CHECK(kept.size() <= 401);
  CHECK(kept.front() == "Linux version 6.8.0");
  CHECK(kept.back() == "NVRM: Xid (PCI:0000:01:00): 31, pid=4999");
}

TEST_CASE("the first errors of a make.log, and the kernel that it is about") {
  const auto errors = build_errors(
      "DKMS make.log for nvidia-550.163.01 for kernel 6.16.3+deb13-amd64 (x86_64)\nThu Nov 20\nmake[1]: Entering directory\n"
      "/var/lib/dkms/nvidia/550/build/nvidia-drm/nvidia-drm-drv.c:202:21: error: \xe2\x80\x98x\xe2\x80\x99 has no member named y\n"
      "make[2]: *** [Makefile:1] Error 1\n");
  REQUIRE(errors.size() == 2);
  CHECK(errors[0] == "kernel=6.16.3+deb13-amd64");
  CHECK(contains(errors[1], "has no member named y"));
  CHECK(build_errors("").empty());
}

TEST_CASE("nvidia-smi -q loses serial numbers and processes") {
  const auto kept = smi_lines_of_interest(
      "==============NVSMI LOG==============\n\nGPU 00000000:01:00.0\n    Serial Number                         : 1322221017584\n"
      "    MIG Mode\n        Current                           : Enabled\n    GPU UUID                              : GPU-4e65de01\n"
      "    Processes\n        Process ID                        : 2355\n            Name                          : /usr/bin/secret\n");
  CHECK(kept == "GPU 00000000:01:00.0\n    MIG Mode\n        Current                           : Enabled\n");
  CHECK(smi_lines_of_interest(kept) == kept);
}

TEST_CASE("what a recording keeps") {
  CHECK(kept_of_file("/proc/self/status", "Name:\tx\nUid:\t1\t1\nVmRSS:\t77 kB\nGroups:\t4 27 \n") == "Uid:\t1\t1\nGroups:\t4 27 \n");
  CHECK(kept_of_file("/etc/group", "video:x:44:alice,bob\nbroken\n") == "video:x:44:\n");
  CHECK(kept_of_file("/etc/os-release", "ID=x\n") == "ID=x\n");
  CHECK(kept_of_output({"dmesg"}, "[ 1.0] usb 1-1: SerialNumber: 1234\n") == "(nothing of interest)\n");
  CHECK(kept_of_output({"dmesg"}, "") == "");
  CHECK(kept_of_output({"gcc", "--version"}, "gcc 12\n") == "gcc 12\n");
}
