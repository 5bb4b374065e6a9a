// SPDX-License-Identifier: Apache-2.0
// What is newer than the matrix is unknown, and what can still be said is said.
#include <doctest/doctest.h>

#include "examples.hpp"
#include "judge.hpp"

using namespace gpudoctor;

namespace {
bool newer(const Facts& facts) { return test::has(judge(test::knowledge(), facts, {}), "version-newer-than-matrix"); }
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
