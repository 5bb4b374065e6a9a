// SPDX-License-Identifier: Apache-2.0
// Whatever the table: a finding that rests on a row of low confidence is likely, and one on an unverified row is not raised.
#include <doctest/doctest.h>

#include "examples.hpp"
#include "judge.hpp"
#include "matrix.hpp"
#include "relation.hpp"

using namespace gpudoctor;

namespace {

void say(Node& row, const std::string& confidence) {
  for (auto& [name, value] : row.fields)
    if (name == "confidence") return void(value.text = confidence);
  row.fields.emplace_back("confidence", test::toml("confidence = '" + confidence + "'").fields.front().second);
}

/// All rows of one list of a table, said to be of this confidence.
Knowledge with(const std::string& table, const std::string& list, const std::string& confidence) {
  auto documents = test::documents();
  for (auto& [name, rows] : documents.at("tables/" + table + ".toml").fields)
    if (name == list)
      for (auto& row : rows.items) say(row, confidence);
  return Knowledge(documents);
}

/// "certain", "likely" or "": how a finding is raised on this machine.
std::string raised(const Knowledge& knowledge, const std::string& machine, const std::string& id) {
  Facts facts = test::facts_of(test::toml(machine));
  derive(Matrix(knowledge), facts);
  const auto judgement = judge(knowledge, facts);
  for (const auto& finding : judgement.findings)
    if (finding.id == id) return finding.certain ? "certain" : "likely";
  return {};
}

}  // namespace

TEST_CASE("low confidence makes a finding likely, an unverified row makes it none") {
  const struct { const char *table, *list, *machine, *finding, *unverified = ""; } cases[] = {
      {"torch", "release", "gpu = 'NVIDIA GeForce RTX 5090'\ndriver = { loaded = '580.95.05', flavour = 'open' }\ntorch = { version = '2.5.1+cu124', origin = 'wheel' }", "torch-gpu-not-in-build"},
      {"torch", "rocm", "gpu = { vendor = 'amd', pci_id = '1002:731f' }\ntorch = { version = '2.9.1+rocm6.4', origin = 'wheel' }", "rocm-gpu-not-in-build"},
      {"torch", "release", "env = { path = '/v', packages = ['torchvision==0.20.1'] }\ntorch = { version = '2.9.1+cu128', origin = 'wheel' }", "torch-companion-mismatch"},
      {"gpu", "nvidia", "gpu = { vendor = 'nvidia', pci_id = '10de:1b80' }\ndriver = { loaded = '580.95.05', flavour = 'proprietary' }\ntorch = { version = '2.9.1+cu128', archs = ['sm_75', 'sm_80'] }", "torch-gpu-dropped"},
      {"gpu", "amd", "gpu = { vendor = 'amd', pci_id = '1002:731f' }\ntorch = { version = '2.9.1+rocm6.4', archs = ['gfx1030', 'gfx1100'] }", "rocm-gpu-not-in-build"},
      {"driver", "arch", "gpu = 'NVIDIA GeForce GTX 1080'\ndriver = { loaded = '590.48.01', flavour = 'proprietary' }", "driver-dropped-gpu"},
      {"driver", "branch", "host = { date = '2026-12-01' }\ngpu = 'Tesla T4'\ndriver = { loaded = '525.60.13', flavour = 'proprietary' }", "driver-branch-end-of-life"},
      {"cuda", "major", "gpu = 'Tesla T4'\ndriver = { loaded = '470.82.01', flavour = 'proprietary' }\ntorch = { version = '2.9.1+cu128', origin = 'wheel' }", "driver-too-old-for-cuda"},
      {"cuda", "release", "gpu = 'Tesla T4'\ndriver = { loaded = '535.183.01', flavour = 'proprietary' }\ntorch = { version = '2.9.1+cu128', origin = 'wheel' }", "driver-minor-compat", "certain"},   // then by the level of the branch
      {"compiler", "nvcc", "toolkit = { version = '11.8', nvcc = '11.8.89', found_by = ['path'] }\nhost = { gcc = '13.2.0' }", "host-compiler-unsupported"},
      {"gpu", "cc", "gpu = 'NVIDIA GeForce GTX 1080'\ntoolkit = { version = '13.0', nvcc = '13.0.88', found_by = ['path'] }", "toolkit-dropped-gpu"},
      {"cudnn", "release", "gpu = 'NVIDIA GeForce GTX 1080'\nlibrary = { name = 'cudnn', version = '9.12.0', reachable = 'yes' }", "cudnn-gpu-unsupported"},
      {"framework", "release", "gpu = 'NVIDIA B200'\nenv = { path = '/v', active = 'yes', packages = ['onnxruntime-gpu==1.31.1'] }", "framework-gpu-not-in-build"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.table);
    CAPTURE(one.list);
    CHECK(raised(test::knowledge(), one.machine, one.finding) == "certain");
    CHECK(raised(with(one.table, one.list, "low"), one.machine, one.finding) == "likely");
    CHECK(raised(with(one.table, one.list, "unverified"), one.machine, one.finding) == one.unverified);
  }
}
