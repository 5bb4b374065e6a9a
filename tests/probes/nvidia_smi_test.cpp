// SPDX-License-Identifier: Apache-2.0
#include "nvidia_smi.hpp"

#include <doctest/doctest.h>

#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("the answer to the query") {
  const auto gpus = parse_smi_query(
      "00000000:01:00.0, NVIDIA GeForce RTX 4090, 535.183.01, 8.9\n00000000:C1:00.0, [Unknown Error], 535.183.01, "
      "[N/A]\nnoise\n");
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].address == "0000:01:00.0");
  CHECK(gpus[0].capability == "8.9");
  CHECK(gpus[1].name == "");
  CHECK(gpus[1].capability == "");
}

TEST_CASE("what it says instead") {
  auto failure =
      parse_smi_failure("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.159\n");
  CHECK(failure.says == "Failed to initialize NVML: Driver/library version mismatch");
  CHECK(failure.nvml == "580.159");
  failure = parse_smi_failure(
      "\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest "
      "NVIDIA driver is installed and running.\n\n");
  CHECK(failure.says.starts_with("NVIDIA-SMI has failed because"));
  CHECK(failure.nvml == "");
}

TEST_CASE("tasks that sleep in the driver") {
  CHECK(stuck_task("1234 (nvidia-smi) D 1 1234") == "nvidia-smi (1234)");
  CHECK(stuck_task("77 (nvidia-modeset/) D 2 0") == "nvidia-modeset/ (77)");
  CHECK_FALSE(stuck_task("1234 (nvidia-smi) S 1 1234"));
  CHECK_FALSE(stuck_task("1234 (kworker/u8:1) D 1 1234"));
  CHECK_FALSE(stuck_task("1234 (x) nvidia) D"));
  CHECK_FALSE(stuck_task(""));
}

TEST_CASE("a driver that answers, one that is stuck, one that says nothing in time") {
  auto facts = look_at(*machine("ubuntu2204-rtx4090-sound"));
  CHECK(told(facts, "driver", "nvml_error") == "absent");
  CHECK(told(facts, "driver", "nvml_version") == "535.183.01");
  CHECK(told(facts, "driver", "stuck") == "absent");
  const std::string task = "[files]\n\"/proc/4242/stat\" = \"4242 (nvidia-smi) D 1 4242 0\"\n";
  facts = look_at(*machine_of(task + "[commands]\n\"nvidia-smi\" = { exit = 0 }\n"));
  CHECK(told(facts, "driver", "stuck") == "nvidia-smi (4242)");
  CHECK(told(facts, "driver", "nvml_error") == "unknown: not asked: nvidia-smi (4242) is stuck in the driver");
  facts = look_at(*machine_of("[commands]\n\"nvidia-smi\" = { end = \"timed-out\" }\n"));
  CHECK(told(facts, "driver", "stuck") == "nvidia-smi");
  CHECK(told(facts, "driver", "nvml_error") == "unknown: nvidia-smi gave no answer in time");
}

TEST_CASE("no answer in the recording: not asked where asking would load the module, else not known") {
  CHECK(told(look_at(*machine("debian12-nouveau")), "driver", "nvml_error") == "unknown: the module is not loaded, and asking would load it");
  const auto facts =
      look_at(*machine_of("[files]\n\"/usr/bin/nvidia-smi\" = \"\"\n\"/sys/module/nvidia/version\" = \"550.54.15\"\n"
                          "[folders]\n\"/dev\" = [\"nvidiactl%\"]\n[variables]\nPATH = \"/usr/bin\"\n"));
  CHECK(told(facts, "driver", "nvml_error").starts_with("unknown: nvidia-smi: "));
}

TEST_CASE("the long form: values by path, MIG devices, lost GPUs") {
  const auto details = parse_smi_details(
      "\n==============NVSMI LOG==============\n\nAttached GPUs                             : 1\nGPU 00000000:4F:00.0\n"
      "    MIG Mode\n        Current                           : Enabled\n    MIG Device\n        Index                             : 0\n"
      "        Device Attributes\n            Shared\n                Multiprocessor count      : 14\n    MIG Device\n"
      "        Index                             : 1\n    ECC Errors\n        Volatile\n            DRAM Uncorrectable            : 3\n"
      "        Aggregate\n            DRAM Uncorrectable            : 9\n    Fan Speed                             : 0 %\n");
  REQUIRE(details.size() == 1);
  CHECK(details[0].address == "0000:4f:00.0");
  CHECK(details[0].mig_devices == 2);
  CHECK(details[0].values.at("MIG Mode/Current") == "Enabled");
  CHECK(details[0].values.at("ECC Errors/Volatile/DRAM Uncorrectable") == "3");
  CHECK(details[0].values.at("ECC Errors/Aggregate/DRAM Uncorrectable") == "9");
  CHECK(details[0].values.at("Fan Speed") == "0 %");
  CHECK(parse_smi_details("").empty());
  CHECK(parse_smi_details("            deep : 1\nGPU x\n").empty());
  CHECK(lost_gpu("Unable to determine the device handle for GPU0000:AF:00.0: GPU is lost.  Reboot the system to recover this GPU") == "0000:af:00.0");
  CHECK(lost_gpu("Unable to determine the device handle for GPU 0000:01:00.0: Unknown Error") == "");
}

TEST_CASE("memory errors count since the driver was loaded, not over a lifetime") {
  auto facts = look_at(*machine("ubuntu2204-a100-row-remap-pending"));
  CHECK(told(facts, "gpu", "remap_pending", "0000:10:1c.0") == "yes");
  CHECK(told(facts, "gpu", "remap_pending", "0000:10:1d.0") == "no");
  CHECK(told(facts, "gpu", "ecc_uncorrected", "0000:10:1d.0") == "0");
  facts = look_at(*machine("ubuntu2204-a100-two-mig-instances-in-one-process"));
  CHECK(told(facts, "gpu", "mig", "0000:17:00.0") == "on");
  CHECK(told(facts, "gpu", "mig_instances", "0000:17:00.0") == "2");
  CHECK(told(look_at(*machine("ubuntu2204-a100-mig-without-instances")), "gpu", "mig_instances", "0000:17:00.0") == "0");
}
