// SPDX-License-Identifier: Apache-2.0
// The tables against independent public sources. Every expected value is typed here from the source that is named.
#include <doctest/doctest.h>

#include "examples.hpp"
#include "matrix.hpp"

using namespace gpudoctor;

namespace {

const Matrix& matrix() {
  static const Matrix one(test::knowledge());
  return one;
}

const Node* row_of(const char* table, const char* list, const char* key, const std::string& value) {
  const Node* rows = test::knowledge().table(table).find(list);
  for (const auto& row : rows->items)
    if (row.get(key) == value) return &row;
  return nullptr;
}

}  // namespace

// uv, crates/uv-torch/src/backend.rs: LINUX_CUDA_DRIVERS and WINDOWS_CUDA_VERSIONS. For CUDA 12 and 9.2 on Windows uv takes
// the row of an update (528.33 is 12.0.1, 398.26 is 9.2.148), the table the first release's: NVIDIA's notes print 527.41
// as the floor of 12.x and 397.44 for 9.2.88.
TEST_CASE("uv's driver floors for each CUDA backend") {
  const struct { const char *cuda, *linux_driver, *windows; } rows[] = {
      {"13.2", "580", ""}, {"13.0", "580", ""}, {"12.9", "525.60.13", "527.41"}, {"12.8", "525.60.13", "527.41"}, {"12.6", "525.60.13", "527.41"},
      {"12.5", "525.60.13", "527.41"}, {"12.4", "525.60.13", "527.41"}, {"12.3", "525.60.13", "527.41"}, {"12.2", "525.60.13", "527.41"},
      {"12.1", "525.60.13", "527.41"}, {"12.0", "525.60.13", "527.41"}, {"11.8", "450.80.02", "452.39"}, {"11.7", "450.80.02", "452.39"},
      {"11.6", "450.80.02", "452.39"}, {"11.5", "450.80.02", "452.39"}, {"11.4", "450.80.02", "452.39"}, {"11.3", "450.80.02", "452.39"},
      {"11.2", "450.80.02", "452.39"}, {"11.1", "450.80.02", "452.39"}, {"11.0", "450.36.06", "451.22"}, {"10.2", "440.33", "441.22"},
      {"10.1", "418.39", "418.96"}, {"10.0", "410.48", "411.31"}, {"9.2", "396.26", ""}, {"9.1", "390.46", "391.29"}, {"9.0", "384.81", "385.54"}};
  for (const auto& row : rows) {
    CAPTURE(row.cuda);
    const auto floor = matrix().floor(Version(row.cuda), "linux");
    CHECK((floor == row.linux_driver || floor.starts_with(std::string(row.linux_driver) + ".")));
    if (*row.windows) CHECK(matrix().floor(Version(row.cuda), "windows") == row.windows);
  }
}

// Spack, build_systems/cuda.py (conflicts, x86_64): the first gcc and clang that are refused, less one.
TEST_CASE("Spack's host compilers") {
  const struct { const char *cuda, *gcc, *clang; } rows[] = {
      {"8.0", "5", "3.9"}, {"9.0", "6", "3.9"}, {"9.1", "6", "4.0"}, {"9.2", "7", "5.0"}, {"10.0", "7", "6.0"}, {"10.2", "8", "8"}, {"11.0", "9", "9"},
      {"11.1", "10", "10"}, {"11.2", "10", "11"}, {"11.3", "10", "11"}, {"11.4.0", "10", "11"}, {"11.4.1", "11", "12"}, {"11.5", "11", "12"},
      {"11.6", "11", "13"}, {"11.7", "11", "13"}, {"11.8", "11", "14"}, {"12.0", "12", "14"}, {"12.1", "12", "15"}, {"12.2", "12", "16"},
      {"12.3", "12", "16"}, {"12.4", "13", "17"}, {"12.5", "13", "17"}, {"12.6", "13", "18"}, {"12.8", "14", "19"}, {"12.9", "14", "19"},
      {"13.0", "15", "20"}, {"13.1", "15", "21"}, {"13.2", "15", "21"}, {"13.3", "15", "21"}};
  for (const auto& row : rows) {
    CAPTURE(row.cuda);
    const Node* found = row_of("compiler", "nvcc", "cuda", row.cuda);
    REQUIRE(found);
    CHECK(found->find("gcc")->get("max") == row.gcc);
    CHECK(found->find("clang")->get("max") == row.clang);
  }
}

// nixpkgs, cuda-modules/_cuda/db/bootstrap/nvcc.nix.
TEST_CASE("nixpkgs' host compilers") {
  const struct { const char *cuda, *gcc, *clang; } rows[] = {{"11.8", "11", "14"}, {"12.0", "12", "14"}, {"12.1", "12", "15"}, {"12.2", "12", "16"}, {"12.3", "12", "16"},
                                                            {"12.4", "13", "17"}, {"12.5", "13", "17"}, {"12.6", "13", "18"}, {"12.8", "14", "19"}, {"12.9", "14", "19"}};
  for (const auto& row : rows) {
    CAPTURE(row.cuda);
    const Node* found = row_of("compiler", "nvcc", "cuda", row.cuda);
    REQUIRE(found);
    CHECK(found->find("gcc")->get("min") == "6");
    CHECK(found->find("gcc")->get("max") == row.gcc);
    CHECK(found->find("clang")->get("min") == "7");
    CHECK(found->find("clang")->get("max") == row.clang);
  }
}

// developer.nvidia.com/cuda-gpus and /cuda-legacy-gpus.
TEST_CASE("compute capability of sixty GPUs") {
  const std::pair<const char*, const char*> boards[] = {
      {"GeForce RTX 5090", "12.0"}, {"GeForce RTX 5080", "12.0"}, {"GeForce RTX 5070 Ti", "12.0"}, {"GeForce RTX 5070", "12.0"}, {"GeForce RTX 5060 Ti", "12.0"},
      {"GeForce RTX 5060", "12.0"}, {"B200", "10.0"}, {"GB200", "10.0"}, {"H100", "9.0"}, {"H200", "9.0"}, {"L4", "8.9"}, {"L40", "8.9"}, {"L40S", "8.9"},
      {"RTX 6000 Ada Generation", "8.9"}, {"RTX 4000 Ada Generation", "8.9"}, {"GeForce RTX 4090", "8.9"}, {"GeForce RTX 4080", "8.9"},
      {"GeForce RTX 4070 Ti", "8.9"}, {"GeForce RTX 4070", "8.9"}, {"GeForce RTX 4060 Ti", "8.9"}, {"GeForce RTX 4060", "8.9"}, {"A40", "8.6"}, {"A10", "8.6"},
      {"A16", "8.6"}, {"A2", "8.6"}, {"RTX A6000", "8.6"}, {"RTX A5000", "8.6"}, {"RTX A4000", "8.6"}, {"RTX A2000", "8.6"}, {"GeForce RTX 3090 Ti", "8.6"},
      {"GeForce RTX 3090", "8.6"}, {"GeForce RTX 3080 Ti", "8.6"}, {"GeForce RTX 3080", "8.6"}, {"GeForce RTX 3070", "8.6"}, {"GeForce RTX 3060", "8.6"},
      {"GeForce RTX 3050", "8.6"}, {"A100", "8.0"}, {"A30", "8.0"}, {"Tesla T4", "7.5"}, {"Quadro RTX 8000", "7.5"}, {"Quadro RTX 6000", "7.5"},
      {"Quadro RTX 5000", "7.5"}, {"TITAN RTX", "7.5"}, {"GeForce RTX 2080 Ti", "7.5"}, {"GeForce RTX 2080", "7.5"}, {"GeForce RTX 2070", "7.5"},
      {"GeForce RTX 2060", "7.5"}, {"GeForce GTX 1660 Ti", "7.5"}, {"GeForce GTX 1650", "7.5"}, {"Tesla V100", "7.0"}, {"TITAN V", "7.0"}, {"Tesla P100", "6.0"},
      {"Tesla P40", "6.1"}, {"Tesla P4", "6.1"}, {"TITAN Xp", "6.1"}, {"GeForce GTX 1080 Ti", "6.1"}, {"GeForce GTX 1070", "6.1"}, {"GeForce GTX 1060", "6.1"},
      {"GeForce GTX 1050 Ti", "6.1"}, {"Tesla M60", "5.2"}, {"Tesla M40", "5.2"}, {"GeForce GTX 980 Ti", "5.2"}, {"GeForce GTX 750 Ti", "5.0"}, {"Tesla K80", "3.7"},
      {"Tesla K40m", "3.5"}};
  CHECK(std::size(boards) >= 60);
  for (const auto& [name, cc] : boards) {
    CAPTURE(name);
    CHECK(matrix().nvidia_by_name(name).get("cc") == cc);
  }
}

// NVIDIA CUDA Toolkit release notes, "CUDA Toolkit and Corresponding Driver Versions".
TEST_CASE("twelve rows of the CUDA release notes") {
  const struct { const char *cuda, *linux_driver, *windows; } rows[] = {
      {"12.9.0", "575.51.03", "576.02"}, {"12.8.0", "570.26", "570.65"}, {"12.6.3", "560.35.05", "561.17"}, {"12.5.0", "555.42.02", "555.85"},
      {"12.4.1", "550.54.15", "551.78"}, {"12.3.0", "545.23.06", "545.84"}, {"12.2.2", "535.104.05", "537.13"}, {"12.1.1", "530.30.02", "531.14"},
      {"12.0.0", "525.60.13", "527.41"}, {"11.7.0", "515.43.04", "516.01"}, {"11.4.0", "470.42.01", "471.11"}, {"10.0.130", "410.48", "411.31"}};
  for (const auto& row : rows) {
    CAPTURE(row.cuda);
    CHECK(matrix().own(Version(row.cuda), "linux") == row.linux_driver);
    CHECK(matrix().own(Version(row.cuda), "windows") == row.windows);
  }
}

// pytorch RELEASE.md (release compatibility matrix, stable CUDA) and Requires-Dist of the wheels on PyPI.
TEST_CASE("default CUDA and cuDNN of twenty-six PyTorch releases") {
  const struct { const char *torch, *tag, *cudnn; } rows[] = {
      {"1.12.0", "cu102", "7.6.5.32"}, {"1.12.1", "cu102", "7.6.5.32"}, {"1.13.0", "cu117", "8.5.0.96"}, {"1.13.1", "cu117", "8.5.0.96"}, {"2.0.0", "cu117", "8.5.0.96"},
      {"2.0.1", "cu117", "8.5.0.96"}, {"2.1.0", "cu121", "8.9.2.26"}, {"2.1.1", "cu121", "8.9.2.26"}, {"2.1.2", "cu121", "8.9.2.26"}, {"2.2.0", "cu121", "8.9.2.26"},
      {"2.2.1", "cu121", "8.9.2.26"}, {"2.2.2", "cu121", "8.9.2.26"}, {"2.3.0", "cu121", "8.9.2.26"}, {"2.3.1", "cu121", "8.9.2.26"}, {"2.4.0", "cu121", "9.1.0.70"},
      {"2.4.1", "cu121", "9.1.0.70"}, {"2.5.0", "cu124", "9.1.0.70"}, {"2.5.1", "cu124", "9.1.0.70"}, {"2.6.0", "cu124", "9.1.0.70"}, {"2.7.0", "cu126", "9.5.1.17"},
      {"2.7.1", "cu126", "9.5.1.17"}, {"2.8.0", "cu128", "9.10.2.21"}, {"2.9.0", "cu128", "9.10.2.21"}, {"2.9.1", "cu128", "9.10.2.21"}, {"2.10.0", "cu128", "9.10.2.21"},
      {"2.11.0", "cu130", "9.19.0.56"}};
  for (const auto& row : rows) {
    CAPTURE(row.torch);
    const Row found = matrix().torch(row.torch);
    CHECK(found.get("default") == row.tag);
    CHECK(matrix().variant(found, row.tag).get("cudnn") == row.cudnn);
  }
}
