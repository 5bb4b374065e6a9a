// SPDX-License-Identifier: Apache-2.0
// What a device id stands for: NVIDIA's supported-gpus.json (550.163.01) and pci.ids.
#include <doctest/doctest.h>

#include "examples.hpp"

using namespace gpudoctor;

namespace {

const Entity& gpu(const Facts& facts) { return *facts.of("gpu").front(); }
Facts of_id(const std::string& vendor, const std::string& id) {
  return test::derived(test::toml("gpu = { vendor = '" + vendor + "', pci_id = '" + id + "' }\ndriver = { loaded = '550.163.01', flavour = 'open' }"));
}

}  // namespace

TEST_CASE("Fermi ends with branch 390, what is older with 340 and before") {
  const auto fermi = of_id("nvidia", "10de:1080");   // GeForce GTX 580, GF110, legacybranch 390.xx
  CHECK(gpu(fermi).get("compute_capability") == "2.0");
  CHECK(gpu(fermi).get("last_branch") == "390");
  CHECK(fermi.of("gpu_on_driver").front()->is("window", "dropped"));
  const auto tesla = of_id("nvidia", "10de:05e2");   // GeForce GTX 260, GT200, 340.xx
  CHECK(gpu(tesla).get("compute_capability") == "1.3");
  CHECK(gpu(tesla).get("last_branch") == "340");
  const auto curie = of_id("nvidia", "10de:0391");   // GeForce 7600 GT, 304.xx: never had CUDA
  REQUIRE(gpu(curie).find("compute_capability"));
  CHECK(gpu(curie).find("compute_capability")->state == State::absent);
  CHECK(curie.of("gpu_on_driver").front()->is("window", "dropped"));
  CHECK(curie.of("gpu_on_driver").front()->is("module", "open-unsupported"));
  CHECK(curie.of("matrix_gap").empty());
}

TEST_CASE("an id that several boards share is shown by their common name") {
  CHECK(gpu(of_id("nvidia", "10de:1db1")).get("name") == "Tesla V100-SXM2-16GB");
  CHECK(gpu(of_id("nvidia", "10de:1e30")).get("name") == "Quadro RTX 6000 / 8000");
  CHECK(gpu(of_id("nvidia", "10de:1004")).get("name") == "NVIDIA GeForce GTX 780");
  CHECK(gpu(of_id("amd", "1002:744c")).get("name") == "AMD Radeon RX 7900 XT / 7900 XTX / 7900 GRE / 7900M");
  CHECK(gpu(of_id("amd", "1002:731f")).get("name") == "AMD Radeon RX 5600 OEM / 5600 XT / 5700 / 5700 XT");
  CHECK(gpu(of_id("amd", "1002:74a1")).get("name") == "AMD Instinct MI300X");
}

TEST_CASE("the open modules serve Turing, but not its mining cards") {
  CHECK(gpu(of_id("nvidia", "10de:1e04")).get("open_module") == "possible");     // GeForce RTX 2080 Ti: kernelopen
  CHECK(gpu(of_id("nvidia", "10de:1e09")).get("open_module") == "impossible");   // CMP 50HX: not
}
