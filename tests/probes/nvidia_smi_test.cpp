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
