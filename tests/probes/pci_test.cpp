// SPDX-License-Identifier: Apache-2.0
#include "pci.hpp"

#include <doctest/doctest.h>

#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("which devices of the bus are GPUs") {
  CHECK(gpu_vendor("0x10de", "0x030000") == "nvidia");
  CHECK(gpu_vendor("0x10de", "0x030200") == "nvidia");  // data centre and laptops
  CHECK(gpu_vendor("0x10de", "0x040300") == "");        // sound
  CHECK(gpu_vendor("0x10de", "0x068000") == "");        // NVSwitch
  CHECK(gpu_vendor("0x1002", "0x038000") == "amd");
  CHECK(gpu_vendor("0x1002", "0x120000") == "amd");  // Instinct
  CHECK(gpu_vendor("0x8086", "0x030000") == "intel");
  CHECK(gpu_vendor("0x8086", "") == "");
  CHECK(gpu_vendor("0x1414", "0x030200") == "");
}

TEST_CASE("AMD's targets and PCI addresses") {
  CHECK(gfx_of_target_version(110000) == "gfx1100");
  CHECK(gfx_of_target_version(90012) == "gfx90c");
  CHECK(gfx_of_target_version(90010) == "gfx90a");
  CHECK(gfx_of_target_version(90402) == "gfx942");
  CHECK(gfx_of_target_version(0) == "");
  CHECK(pci_address("00000000:01:00.0") == "0000:01:00.0");
  CHECK(pci_address("0000:C1:00.0") == "0000:c1:00.0");
  CHECK(pci_address("01:00.0") == "0000:01:00.0");
  CHECK(pci_address("00010000:01:00.0") == "10000:01:00.0");
}

TEST_CASE("an NVIDIA card, its sound device left out") {
  const auto facts = look_at(*machine("ubuntu2204-rtx4090-sound"));
  CHECK(facts.was_looked("gpu"));
  REQUIRE(facts.of("gpu").size() == 1);
  CHECK(told(facts, "gpu", "vendor", "0000:01:00.0") == "nvidia");
  CHECK(told(facts, "gpu", "pci_id", "0000:01:00.0") == "10de:2684");
  CHECK(told(facts, "gpu", "bound", "0000:01:00.0") == "nvidia");
  CHECK(told(facts, "gpu", "name", "0000:01:00.0") == "NVIDIA GeForce RTX 4090");
  CHECK(told(facts, "gpu", "compute_capability", "0000:01:00.0") == "8.9");
}

TEST_CASE("an AMD processor's graphics beside an NVIDIA card") {
  const auto facts = look_at(*machine("arch-amd-apu-beside-nvidia"));
  REQUIRE(facts.of("gpu").size() == 2);
  CHECK(told(facts, "gpu", "index", "0000:01:00.0") == "0");
  CHECK(told(facts, "gpu", "vendor", "0000:0f:00.0") == "amd");
  CHECK(told(facts, "gpu", "index", "0000:0f:00.0") == "0");
  CHECK(told(facts, "gpu", "gfx", "0000:0f:00.0") == "gfx1036");
  CHECK(told(facts, "gpu", "bound", "0000:0f:00.0") == "amdgpu");
  CHECK(told(facts, "gpu", "gfx", "0000:01:00.0") == "not stated");
}

TEST_CASE("addresses order by domain, bus and slot") {
  std::string tables = "[files]\n";
  for (const auto* address : {"10000:01:00.0", "0000:c1:00.0", "0000:41:00.0"})
    tables += "\"/sys/bus/pci/devices/" + std::string(address) + "/vendor\" = \"0x10de\\n\"\n\"/sys/bus/pci/devices/" +
              address + "/class\" = \"0x030200\\n\"\n";
  const auto facts = look_at(*machine_of(tables));
  CHECK(told(facts, "gpu", "index", "0000:41:00.0") == "0");
  CHECK(told(facts, "gpu", "index", "0000:c1:00.0") == "1");
  CHECK(told(facts, "gpu", "index", "10000:01:00.0") == "2");
  CHECK(told(facts, "gpu", "pci_id", "0000:41:00.0") == "absent");
  CHECK(told(facts, "gpu", "bound", "0000:41:00.0") == "absent");
}

TEST_CASE("where the bus cannot be looked at, no GPU is no knowledge") {
  auto facts = look_at(*machine("hostile-fifo-and-refusals"));
  CHECK_FALSE(facts.was_looked("gpu"));
  CHECK(facts.why_not("gpu") == "/sys/bus/pci/devices: permission denied");
  facts = look_at(*machine_of("[folders]\n\"/sys/bus/pci/devices\" = []\n"));
  CHECK(facts.was_looked("gpu"));
  CHECK(facts.of("gpu").empty());
}

TEST_CASE("WSL shows its GPU only to nvidia-smi") {
  const auto facts = look_at(*machine("wsl2-linux-driver"));
  CHECK_FALSE(facts.was_looked("gpu"));
  CHECK(told(facts, "gpu", "name", "0000:01:00.0") == "NVIDIA GeForce RTX 3070");
  CHECK(told(facts, "gpu", "compute_capability", "0000:01:00.0") == "8.6");
  CHECK(told(facts, "driver", "version") == "555.99");
}

TEST_CASE("a Jetson's GPU is on no bus") {
  const auto facts =
      look_at(*machine_of("[files]\n\"/proc/device-tree/compatible\" = "
                          "\"nvidia,p3737-0000+p3701-0005\\u0000nvidia,p3701-0005\\u0000nvidia,tegra234\\u0000\"\n"
                          "\"/proc/device-tree/model\" = \"NVIDIA Jetson AGX Orin Developer Kit\\u0000\"\n"
                          "\"/etc/nv_tegra_release\" = \"# R36 (release), REVISION: 4.3, GCID: 1\\n\"\n"));
  CHECK(facts.was_looked("gpu"));
  CHECK(told(facts, "gpu", "name", "tegra") == "NVIDIA Jetson AGX Orin Developer Kit");
  CHECK(told(facts, "gpu", "compute_capability", "tegra") == "8.7");
  CHECK(told(facts, "host", "jetson") == "R36.4.3");
}

TEST_CASE("a virtual GPU by its configuration space") {
  std::string config(256, '\0');
  config[6] = 0x10, config[0x34] = 0x60, config[0x60] = 0x01, config[0x61] = 0x68;
  config[0x68] = 0x09, config[0x6a] = 0x14, config[0x6b] = 'V', config[0x6c] = 'F';
  CHECK(is_virtual_gpu(config));
  config[0x6b] = 'P';
  CHECK_FALSE(is_virtual_gpu(config));   // passed through whole: the capability has another text
  config[0x69] = 0x68;
  CHECK_FALSE(is_virtual_gpu(config));   // a list that leads back to itself
  CHECK_FALSE(is_virtual_gpu(std::string(64, '\xff')));
  CHECK_FALSE(is_virtual_gpu(""));
}
