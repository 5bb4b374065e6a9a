// SPDX-License-Identifier: Apache-2.0
// The matrix answers as its public sources do; what it does not hold it does not answer.
#include <doctest/doctest.h>

#include "examples.hpp"
#include "local.hpp"
#include "matrix.hpp"

using namespace gpudoctor;

namespace {
const Matrix& matrix() {
  static const Matrix one(test::knowledge());
  return one;
}
}  // namespace

// developer.nvidia.com/cuda-gpus and /cuda-legacy-gpus
TEST_CASE("compute capabilities of well-known boards, by the names that people write") {
  const std::pair<const char*, const char*> boards[] = {
      {"NVIDIA GeForce RTX 5090", "12.0"}, {"RTX 4090", "8.9"}, {"GeForce RTX 3090", "8.6"}, {"RTX 2080 Ti", "7.5"}, {"GTX 1080", "6.1"},
      {"NVIDIA GeForce GTX 1080 Ti", "6.1"}, {"Tesla T4", "7.5"}, {"NVIDIA L4", "8.9"}, {"A100", "8.0"}, {"NVIDIA A10", "8.6"},
      {"NVIDIA H100 80GB HBM3", "9.0"}, {"Tesla V100-SXM2-16GB", "7.0"}, {"Tesla P100-PCIE-16GB", "6.0"}, {"Tesla K80", "3.7"}, {"NVIDIA B200", "10.0"}};
  for (const auto& [name, cc] : boards) {
    CAPTURE(name);
    const Row row = matrix().nvidia_by_name(name);
    REQUIRE(row);
    CHECK(row.get("cc") == cc);
  }
}

TEST_CASE("a name that several chips were sold under is not answered") {
  CHECK_FALSE(matrix().nvidia_by_name("GeForce GT 730"));   // GK107 and GK208: 3.0 and 3.5
  CHECK_FALSE(matrix().nvidia_by_name("NVIDIA Nonsense 9000"));
}

TEST_CASE("device ids are read in any case") {
  CHECK(matrix().nvidia_by_id("2b85").get("cc") == "12.0");
  CHECK(matrix().nvidia_by_id("2684").get("cc") == "8.9");
  CHECK(matrix().amd_by_id("744c").get("gfx") == "gfx1100");
  CHECK(matrix().amd_by_name("AMD Radeon Graphics (Raphael)").get("gfx") == "gfx1036");
}

// NVIDIA CUDA Toolkit release notes, tables 2 and 3; uv's floors agree.
TEST_CASE("floors and own drivers of CUDA releases") {
  CHECK(matrix().floor(Version("12.4"), "linux") == "525.60.13");
  CHECK(matrix().floor(Version("11.8"), "linux") == "450.80.02");
  CHECK(matrix().floor(Version("11.0"), "linux") == "450.36.06");
  CHECK(matrix().floor(Version("10.2"), "linux") == "440.33");
  CHECK(matrix().floor(Version("12.1"), "windows") == "527.41");
  CHECK(matrix().own(Version("12.8.1"), "linux") == "570.124.06");
  CHECK(matrix().own(Version("12.4"), "linux") == "550.54.14");
  CHECK(matrix().own(Version("13.4"), "linux") == "615");
  CHECK(matrix().floor(Version("14.0"), "linux") == "");
  CHECK(matrix().level(535) == "12.2");
  CHECK(matrix().level(999) == "");
}

TEST_CASE("arch lists in the two forms") {
  CHECK(arch_words("7.5 8.0 9.0+PTX") == std::vector<std::string>{"sm_75", "sm_80", "sm_90", "compute_90"});
  CHECK(cc_of_sm("sm_120") == "12.0");
  CHECK(cc_of_sm("sm_90a") == "9.0");
}

// torch 2.15.0 by its wheels on PyPI: version.py, METADATA and the arch list in libtorch_python.so.
TEST_CASE("the newest release is the newest that was read") {
  CHECK(matrix().newest_torch() == "2.15.0");
  auto documents = test::documents();
  lay_over(documents, "a.toml", test::toml("table='torch'\n[[release]]\ntorch='2.16.0'\npython='3.11-3.15'\nsource='pypi'\nconfidence='unverified'\n"));
  const Knowledge more(documents);
  CHECK(Matrix(more).newest_torch() == "2.15.0");
  CHECK(Matrix(more).torch("2.16.0"));
}

TEST_CASE("ranges of versions, as the tables write them") {
  CHECK(in_range("3.9-3.13", "3.13.2"));
  CHECK_FALSE(in_range("3.9-3.13", "3.14"));
  CHECK(in_range("0.4.31-", "0.7.2"));
  CHECK_FALSE(in_range("-12.3.0", "13.6.0"));
  CHECK(in_range("2.3", "2.3.1"));
  CHECK_FALSE(in_range("2.3", "2.4.0"));
  CHECK(in_range("-", "1.0"));
  CHECK(in_range("0.0.22.post7", "0.0.22.post7"));
}

// tensorflow.org/install/source#gpu; docs.jax.dev, installation; onnxruntime.ai, CUDA execution provider
TEST_CASE("what a release of a framework needs") {
  const auto needs = [](const char* name, const char* version, const char* key) {
    const auto rows = matrix().framework(name, version);
    return rows.empty() ? std::string("no row") : rows.back().get(key);
  };
  CHECK(needs("tensorflow", "2.2.0", "cuda") == "10.1");
  CHECK(needs("tensorflow", "2.4.1", "cuda") == "11.0");
  CHECK(needs("tensorflow", "2.12.0", "cudnn") == "8.6");
  CHECK(needs("tensorflow", "2.18.1", "cudnn") == "9.3");
  CHECK(needs("jax", "0.4.30", "cudnn-min") == "9.1");
  CHECK(needs("jax-cuda13-plugin", "0.8.0", "driver-min") == "580");
  CHECK(needs("onnxruntime-gpu", "1.19.0", "cudnn") == "9");
  CHECK(needs("ctranslate2", "4.4.0", "cudnn") == "8");
  CHECK(needs("ctranslate2", "4.5.0", "cudnn") == "9");
  CHECK(needs("tensorflow", "9.9.9", "cuda") == "no row");
  CHECK(matrix().framework("cupy-cuda11x", "14.0.0").empty());   // the last one is 13.6.0
}
