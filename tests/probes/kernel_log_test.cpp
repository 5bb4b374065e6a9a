// SPDX-License-Identifier: Apache-2.0
#include "kernel_log.hpp"

#include <doctest/doctest.h>

#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("Xid lines, new and old") {
  auto xid = parse_xid("NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=x, GPU has fallen off the bus.");
  CHECK(xid.number == 79);
  CHECK(xid.address == "0000:3b:00.0");
  xid = parse_xid("NVRM: Xid (0000:01:00): 13, Graphics Exception");
  CHECK(xid.number == 13);
  CHECK(xid.address == "0000:01:00.0");
  xid = parse_xid("NVRM: Xid (PCI:0000:07:00 GPU-I:05): 31, pid=1, MMU Fault");   // of a MIG instance
  CHECK(xid.number == 31);
  CHECK(xid.address == "0000:07:00.0");
  for (const auto* line : {"", "NVRM: Xid (", "NVRM: Xid (PCI:): 79", "NVRM: Xid (PCI:0000:3b:00): x", "NVRM: Xid (PCI:0000:3b:00)", "NVRM: Xid (PCI:0000:3b:00): 99999999999999999999, x"})
    CHECK(parse_xid(line).number == 0);
}

TEST_CASE("addresses in other lines") {
  CHECK(address_in("NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x26:0x56:1463)") == "0000:01:00.0");
  CHECK(address_in("NVRM: The NVIDIA GPU 0000:3b:00.0 (PCI ID: 10de:2204)") == "0000:3b:00.0");
  CHECK(address_in("NVRM: GPU at PCI:0000:af:00: GPU-3f2c5b7e") == "0000:af:00.0");
  CHECK(address_in("NVRM: RmInitAdapter failed! (0x26:0x56:1463)") == "");
}

TEST_CASE("which refusals are about the driver") {
  CHECK(refuses_module("Loading of module with unavailable key is rejected"));
  CHECK(refuses_module("nvidia: loading of unsigned module is rejected"));
  CHECK(refuses_module("Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7"));
  CHECK_FALSE(refuses_module("vboxdrv: loading of module with unavailable key is rejected"));
  CHECK_FALSE(refuses_module("NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01"));
}

TEST_CASE("one GPU's trouble is not the other's") {
  const auto facts = look_at(*machine("ubuntu2204-gpu-fell-off-bus"));
  CHECK(told(facts, "host", "kernel_log") == "/var/log/kern.log");
  CHECK(told(facts, "gpu", "fell_off_bus", "0000:3b:00.0") == "absent");
  CHECK(told(facts, "gpu", "fell_off_bus", "0000:af:00.0").starts_with("Xid (PCI:0000:af:00): 79"));
  CHECK(told(facts, "gpu", "xids", "0000:af:00.0") == "79 154");
  CHECK(told(facts, "gpu", "xids", "0000:3b:00.0") == "absent");
}

TEST_CASE("a log that may not be read, one of another boot, none at all") {
  const std::string gpu = "[files]\n\"/sys/bus/pci/devices/0000:01:00.0/vendor\" = \"0x10de\"\n\"/sys/bus/pci/devices/0000:01:00.0/class\" = \"0x030000\"\n"
                          "\"/proc/sys/kernel/osrelease\" = \"6.8.0-60-generic\"\n";
  const std::string refused = "[commands]\n\"dmesg\" = { exit = 1, err = \"dmesg: read kernel buffer failed: Operation not permitted\" }\n"
                              "\"journalctl -k -b -o cat\" = { exit = 0, err = \"Hint: You are currently not seeing messages\" }\n";
  CHECK(told(look_at(*machine_of(gpu + refused)), "gpu", "xids", "0000:01:00.0") == "unknown: the kernel log needs root");
  const std::string old = "\"/run/rsyslogd.pid\" = \"1\"\n\"/var/log/kern.log\" = { kernel-log = [\"Linux version 6.8.0-50-generic\", \"NVRM: Xid (PCI:0000:01:00): 79, x\"] }\n";
  CHECK(told(look_at(*machine_of(gpu + old + refused)), "gpu", "xids", "0000:01:00.0") == "unknown: the kernel log needs root");
  const std::string start = "\"/var/log/dmesg\" = { kernel-log = [\"Linux version 6.8.0-60-generic\", \"NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x26:0x56:1)\"] }\n";
  const auto facts = look_at(*machine_of(gpu + start + refused));
  CHECK(told(facts, "gpu", "init_error", "0000:01:00.0") == "RmInitAdapter failed! (0x26:0x56:1)");
  CHECK(told(facts, "gpu", "xids", "0000:01:00.0") == "unknown: /var/log/dmesg does not hold all of this boot");
  CHECK(told(look_at(*machine_of(gpu)), "gpu", "xids", "0000:01:00.0").starts_with("unknown: "));
}

TEST_CASE("without a GPU of NVIDIA nobody is asked") {
  const auto facts = look_at(*machine_of("[folders]\n\"/sys/bus/pci/devices\" = []\n"));
  CHECK(facts.was_looked("gpu_event"));
  CHECK(told(facts, "host", "kernel_log") == "not stated");
}
