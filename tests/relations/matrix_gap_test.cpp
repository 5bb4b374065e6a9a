// SPDX-License-Identifier: Apache-2.0
// What is newer than the matrix is unknown, and what can still be said is said.
#include <doctest/doctest.h>

#include "examples.hpp"
#include "judge.hpp"
#include "text.hpp"

using namespace gpudoctor;

namespace {
bool newer(const Facts& facts) { return test::has(judge(test::knowledge(), facts, {}), "version-newer-than-matrix"); }

/// The sentence of the finding.
std::string said(const std::string& machine) {
  for (const auto& finding : judge(test::knowledge(), test::derived(test::toml(machine)), {}).findings)
    if (finding.id == "version-newer-than-matrix") return finding.message;
  return {};
}
}  // namespace

TEST_CASE("a driver newer than the matrix runs older CUDA") {
  const auto facts = test::derived(test::toml("driver = '999.10'\ngpu = 'NVIDIA GeForce RTX 4090'\ntorch = { version = '2.5.1+cu124' }"));
  CHECK(newer(facts));
  CHECK(facts.find("driver")->is("listed", "no"));
  CHECK(facts.of("cuda_on_driver").front()->is("standing", "full"));
  CHECK(facts.of("torch_on_gpu").front()->is("reach", "runs"));
}

TEST_CASE("an unlisted patch of a listed branch follows its branch") {
  const auto facts = test::derived(test::toml("driver = '580.999.99'\ntorch = { version = '2.11.0+cu130' }"));
  CHECK_FALSE(newer(facts));
  CHECK(facts.find("driver")->is("cuda", "13.0"));
  CHECK(facts.of("cuda_on_driver").front()->is("standing", "full"));
}

TEST_CASE("CUDA 14.0: which driver it needs is unknown, not wrong") {
  const auto facts = test::derived(test::toml("driver = '580.95.05'\ntoolkit = '14.0'"));
  CHECK(newer(facts));
  CHECK_FALSE(facts.of("cuda_on_driver").front()->has("standing"));
  CHECK(facts.of("matrix_gap").front()->get("what") == "CUDA 14.0");
}

TEST_CASE("CUDA 13.9 on a driver of CUDA 13.0: minor-version compatibility, so with limits") {
  const auto standing = [](const char* driver) { return test::derived(test::toml(std::string("driver = '") + driver + "'\ntoolkit = '13.9'")).of("cuda_on_driver").front()->get("standing"); };
  CHECK(standing("580.95.05") == "limited");
  CHECK(standing("575.57.08") == "below-floor");
}

TEST_CASE("torch 2.99: unknown, and the command that drafts its row is named") {
  const auto facts = test::derived(test::toml("driver = '580.95.05'\ngpu = 'NVIDIA GeForce RTX 4090'\ntorch = { version = '2.99.0+cu130' }"));
  CHECK(newer(facts));
  CHECK_FALSE(facts.of("torch_on_gpu").front()->has("reach"));
  CHECK(facts.of("matrix_gap").front()->get("command") == "gpudoctor rules draft torch --env PATH");
  const auto measured = test::derived(test::toml("driver = '580.95.05'\ngpu = 'NVIDIA GeForce RTX 4090'\ntorch = { version = '2.99.0+cu130', archs = ['sm_86'] }"));
  CHECK(measured.of("torch_on_gpu").front()->is("reach", "runs"));
}

TEST_CASE("an unknown device id has no compute capability, and says so") {
  const auto facts = test::derived(test::toml("gpu = { vendor = 'nvidia', pci_id = '10de:ffff' }"));
  CHECK(newer(facts));
  CHECK_FALSE(facts.of("gpu").front()->has("compute_capability"));
}

TEST_CASE("each says that it is unknown, the day of the matrix, and what can still be said") {
  const auto day = "unknown, newer than the matrix of " + test::knowledge().date();
  const struct { const char *machine, *what, *still; } cases[] = {
      {"driver = '999.10'", "driver 999.10", "a newer driver runs every older CUDA"},
      {"driver = '580.95.05'\ntoolkit = '13.9'", "CUDA 13.9", "it needs driver 580.65.06 or newer, as all of CUDA 13"},
      {"driver = '580.95.05'\ntoolkit = '14.0'", "CUDA 14.0", "which driver it needs is not known"},
      {"driver = '580.95.05'\ntorch = { version = '2.99.0+cu130' }", "torch 2.99.0", "what it contains is not known"},
      {"driver = '580.95.05'\ntorch = { version = '2.99.0+cu130', archs = ['sm_86'] }", "torch 2.99.0", "its own files name its CUDA and its GPUs"},
      {"driver = '580.95.05'\nlibrary = { name = 'cudnn', version = '9.99.0' }", "cuDNN 9.99.0", "it may replace an older one of its major and CUDA"},
      {"driver = '580.95.05'\nlibrary = { name = 'nccl', version = '2.99.1' }", "NCCL 2.99.1", "it has all functions of the older ones"},
      {"driver = '580.95.05'\ngpu = { vendor = 'nvidia', pci_id = '10de:ffff' }", "GPU 10de:ffff", "its compute capability is not known"}};
  for (const auto& one : cases) {
    CAPTURE(one.machine);
    const auto sentence = said(one.machine);
    CHECK(contains(sentence, std::string(one.what) + ": " + day));
    CHECK(contains(sentence, one.still));
  }
  // Below the newest listed device, so never listed rather than newer: 10de:1404 is a GTX 960 that is none.
  CHECK(contains(said("driver = '580.95.05'\ngpu = { vendor = 'nvidia', pci_id = '10de:1404' }"), "unknown, not in the matrix"));
}

TEST_CASE("what is listed, an older release and an unlisted patch of a listed branch are no gap") {
  for (const char* machine : {"driver = '580.95.05'", "driver = '580.999.99'", "driver = '580.95.05'\ntoolkit = '13.5'", "driver = '580.95.05'\ntorch = { version = '2.15.0+cu132' }",
                              "driver = '580.95.05'\ntorch = { version = '1.6.0+cu101' }", "driver = '580.95.05'\nlibrary = { name = 'cudnn', version = '9.28.1' }",
                              "driver = '580.95.05'\nlibrary = { name = 'nccl', version = '2.32.3' }", "gpu = { vendor = 'nvidia', pci_id = '10de:0146' }"}) {
    CAPTURE(machine);
    CHECK(said(machine).empty());
  }
}
