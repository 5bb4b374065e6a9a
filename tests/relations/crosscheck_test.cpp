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

// uv, crates/uv-torch/src/backend.rs @26a9dd4b: LINUX_CUDA_DRIVERS and WINDOWS_CUDA_VERSIONS. uv gives CUDA 13 by its branch.
TEST_CASE("uv's driver floors for each CUDA backend") {
  const struct { const char *cuda, *linux_driver, *windows; } rows[] = {
      {"13.2", "580", "580"}, {"13.0", "580", "580"}, {"12.9", "525.60.13", "528.33"}, {"12.8", "525.60.13", "528.33"}, {"12.6", "525.60.13", "528.33"},
      {"12.5", "525.60.13", "528.33"}, {"12.4", "525.60.13", "528.33"}, {"12.3", "525.60.13", "528.33"}, {"12.2", "525.60.13", "528.33"},
      {"12.1", "525.60.13", "528.33"}, {"12.0", "525.60.13", "528.33"}, {"11.8", "450.80.02", "452.39"}, {"11.7", "450.80.02", "452.39"},
      {"11.6", "450.80.02", "452.39"}, {"11.5", "450.80.02", "452.39"}, {"11.4", "450.80.02", "452.39"}, {"11.3", "450.80.02", "452.39"},
      {"11.2", "450.80.02", "452.39"}, {"11.1", "450.80.02", "452.39"}, {"11.0", "450.36.06", "451.22"}, {"10.2", "440.33", "441.22"},
      {"10.1", "418.39", "418.96"}, {"10.0", "410.48", "411.31"}, {"9.2", "396.26", "398.26"}, {"9.1", "390.46", "391.29"}, {"9.0", "384.81", "385.54"}};
  for (const auto& row : rows) {
    CAPTURE(row.cuda);
    const auto on_linux = matrix().floor(Version(row.cuda), "linux"), on_windows = matrix().floor(Version(row.cuda), "windows");
    CHECK((on_linux == row.linux_driver || on_linux.starts_with(std::string(row.linux_driver) + ".")));
    // On Windows uv takes the row of an update (12.0.1, 9.2.148) where the table has the first release's, which NVIDIA's
    // CUDA Compatibility prints for 12.x: 527.41.
    const std::string uv = row.windows;
    if (uv == "528.33") CHECK((on_windows == "527.41" && matrix().own(Version("12.0.1"), "windows") == uv));
    else if (uv == "398.26") CHECK((on_windows == "397.44" && matrix().own(Version("9.2.148"), "windows") == uv));
    else CHECK(on_windows == uv);
  }
}

// spack-packages @1e8cf059, build_systems/cuda.py (conflicts, x86_64): the first gcc and clang that are refused, less one. Two of
// its conflicts are bugs of a compiler, not nvcc's limit: gcc 10 up to 11.4.0, and 11.2 and newer up to 11.5.
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

// nixpkgs @c3885292, pkgs/development/cuda-modules/_cuda/db/bootstrap/nvcc.nix. Left out: 11.4 to 11.6, where nixpkgs keeps gcc 11
// back because of a glibc bug, and Clang 13 until the release whose notes name it. Its least gcc and clang are those of 11.8.
TEST_CASE("nixpkgs' host compilers") {
  const struct { const char *cuda, *gcc, *clang; bool least; } rows[] = {
      {"11.0", "9", "9", false}, {"11.1", "10", "10", false}, {"11.2", "10", "11", false}, {"11.3", "10", "11", false}, {"11.7", "11", "13", false},
      {"11.8", "11", "14", true}, {"12.0", "12", "14", true}, {"12.1", "12", "15", true}, {"12.2", "12", "16", true}, {"12.3", "12", "16", true},
      {"12.4", "13", "17", true}, {"12.5", "13", "17", true}, {"12.6", "13", "18", true}, {"12.8", "14", "19", true}, {"12.9", "14", "19", true},
      {"13.0", "15", "20", true}};
  for (const auto& row : rows) {
    CAPTURE(row.cuda);
    const Node* found = row_of("compiler", "nvcc", "cuda", row.cuda);
    REQUIRE(found);
    CHECK(found->find("gcc")->get("max") == row.gcc);
    CHECK(found->find("clang")->get("max") == row.clang);
    if (!row.least) continue;
    CHECK(found->find("gcc")->get("min") == "6");
    CHECK(found->find("clang")->get("min") == "7");
  }
}

// NVIDIA's pages developer.nvidia.com/cuda-gpus and /cuda-legacy-gpus, in their form of 2026 and, for Kepler, of 2022. The pages
// write "RTX 6000 Ada" and "Tesla K40" for what the driver calls RTX 6000 Ada Generation and Tesla K40m.
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
      {"GeForce GTX 1050", "6.1"}, {"Tesla M60", "5.2"}, {"Tesla M40", "5.2"}, {"GeForce GTX 980 Ti", "5.2"}, {"GeForce GTX 750 Ti", "5.0"}, {"Tesla K80", "3.7"},
      {"Tesla K40m", "3.5"}};
  CHECK(std::size(boards) >= 60);
  for (const auto& [name, cc] : boards) {
    CAPTURE(name);
    CHECK(matrix().nvidia_by_name(name).get("cc") == cc);
  }
}

// NVIDIA CUDA Toolkit 13.2 Update 2 release notes, Table 3 "CUDA Toolkit and Corresponding Driver Versions": all rows from 8.0 on.
// From 13.1 the Windows toolkit brings no driver.
TEST_CASE("every row of the CUDA release notes") {
  const struct { const char *cuda, *linux_driver, *windows; } rows[] = {
      {"13.2.2", "595.71.05", ""}, {"13.2.1", "595.58.03", ""}, {"13.2.0", "595.45.04", ""}, {"13.1.1", "590.48.01", ""}, {"13.1.0", "590.44.01", ""},
      {"13.0.2", "580.95.05", ""}, {"13.0.1", "580.82.07", ""}, {"13.0.0", "580.65.06", ""}, {"12.9.1", "575.57.08", "576.57"}, {"12.9.0", "575.51.03", "576.02"},
      {"12.8.1", "570.124.06", "572.61"}, {"12.8.0", "570.26", "570.65"}, {"12.6.3", "560.35.05", "561.17"}, {"12.6.2", "560.35.03", "560.94"},
      {"12.6.1", "560.35.03", "560.94"}, {"12.6.0", "560.28.03", "560.76"}, {"12.5.1", "555.42.06", "555.85"}, {"12.5.0", "555.42.02", "555.85"},
      {"12.4.1", "550.54.15", "551.78"}, {"12.4.0", "550.54.14", "551.61"}, {"12.3.1", "545.23.08", "546.12"}, {"12.3.0", "545.23.06", "545.84"},
      {"12.2.2", "535.104.05", "537.13"}, {"12.2.1", "535.86.09", "536.67"}, {"12.2.0", "535.54.03", "536.25"}, {"12.1.1", "530.30.02", "531.14"},
      {"12.1.0", "530.30.02", "531.14"}, {"12.0.1", "525.85.12", "528.33"}, {"12.0.0", "525.60.13", "527.41"}, {"11.8.0", "520.61.05", "520.06"},
      {"11.7.1", "515.48.07", "516.31"}, {"11.7.0", "515.43.04", "516.01"}, {"11.6.2", "510.47.03", "511.65"}, {"11.6.1", "510.47.03", "511.65"},
      {"11.6.0", "510.39.01", "511.23"}, {"11.5.2", "495.29.05", "496.13"}, {"11.5.1", "495.29.05", "496.13"}, {"11.5.0", "495.29.05", "496.04"},
      {"11.4.4", "470.82.01", "472.50"}, {"11.4.3", "470.82.01", "472.50"}, {"11.4.2", "470.57.02", "471.41"}, {"11.4.1", "470.57.02", "471.41"},
      {"11.4.0", "470.42.01", "471.11"}, {"11.3.1", "465.19.01", "465.89"}, {"11.3.0", "465.19.01", "465.89"}, {"11.2.2", "460.32.03", "461.33"},
      {"11.2.1", "460.32.03", "461.09"}, {"11.2.0", "460.27.03", "460.82"}, {"11.1.1", "455.32", "456.81"}, {"11.1.0", "455.23", "456.38"},
      {"11.0.3", "450.51.06", "451.82"}, {"11.0.2", "450.51.05", "451.48"}, {"11.0.1", "450.36.06", "451.22"}, {"10.2.89", "440.33", "441.22"},
      {"10.1.105", "418.39", "418.96"}, {"10.0.130", "410.48", "411.31"}, {"9.2.148", "396.37", "398.26"}, {"9.2.88", "396.26", "397.44"},
      {"9.1.85", "390.46", "391.29"}, {"9.0.176", "384.81", "385.54"}, {"8.0.61", "375.26", "376.51"}, {"8.0.44", "367.48", "369.30"}};
  for (const auto& row : rows) {
    CAPTURE(row.cuda);
    CHECK(matrix().own(Version(row.cuda), "linux") == row.linux_driver);
    if (*row.windows) CHECK(matrix().own(Version(row.cuda), "windows") == row.windows);
  }
}

// The torch wheels of PyPI for Linux x86_64 themselves, read 2026-12-01: CUDA and label in version.py, cuDNN, NCCL and Triton in
// Requires-Dist of METADATA (NCCL is inside the wheel up to 1.13).
TEST_CASE("default CUDA, cuDNN, NCCL and Triton of thirty PyTorch releases") {
  const struct { const char *torch, *tag, *cudnn, *nccl, *triton; } rows[] = {
      {"1.13.0", "cu117", "8.5.0.96", "", ""}, {"1.13.1", "cu117", "8.5.0.96", "", ""}, {"2.0.0", "cu117", "8.5.0.96", "2.14.3", "2.0.0"},
      {"2.0.1", "cu117", "8.5.0.96", "2.14.3", "2.0.0"}, {"2.1.0", "cu121", "8.9.2.26", "2.18.1", "2.1.0"}, {"2.1.1", "cu121", "8.9.2.26", "2.18.1", "2.1.0"},
      {"2.1.2", "cu121", "8.9.2.26", "2.18.1", "2.1.0"}, {"2.2.0", "cu121", "8.9.2.26", "2.19.3", "2.2.0"}, {"2.2.1", "cu121", "8.9.2.26", "2.19.3", "2.2.0"},
      {"2.2.2", "cu121", "8.9.2.26", "2.19.3", "2.2.0"}, {"2.3.0", "cu121", "8.9.2.26", "2.20.5", "2.3.0"}, {"2.3.1", "cu121", "8.9.2.26", "2.20.5", "2.3.1"},
      {"2.4.0", "cu121", "9.1.0.70", "2.20.5", "3.0.0"}, {"2.4.1", "cu121", "9.1.0.70", "2.20.5", "3.0.0"}, {"2.5.0", "cu124", "9.1.0.70", "2.21.5", "3.1.0"},
      {"2.5.1", "cu124", "9.1.0.70", "2.21.5", "3.1.0"}, {"2.6.0", "cu124", "9.1.0.70", "2.21.5", "3.2.0"}, {"2.7.0", "cu126", "9.5.1.17", "2.26.2", "3.3.0"},
      {"2.7.1", "cu126", "9.5.1.17", "2.26.2", "3.3.1"}, {"2.8.0", "cu128", "9.10.2.21", "2.27.3", "3.4.0"}, {"2.9.0", "cu128", "9.10.2.21", "2.27.5", "3.5.0"},
      {"2.9.1", "cu128", "9.10.2.21", "2.27.5", "3.5.1"}, {"2.10.0", "cu128", "9.10.2.21", "2.27.5", "3.6.0"}, {"2.11.0", "cu130", "9.19.0.56", "2.28.9", "3.6.0"},
      {"2.12.0", "cu130", "9.20.0.48", "2.29.7", "3.7.0"}, {"2.12.1", "cu130", "9.20.0.48", "2.29.7", "3.7.1"}, {"2.13.0", "cu130", "9.20.0.48", "2.29.7", "3.7.1"},
      {"2.14.0", "cu130", "9.24.0.43", "2.30.7", "3.8.0"}, {"2.14.1", "cu130", "9.24.0.43", "2.30.7", "3.8.0"}, {"2.15.0", "cu132", "9.26.0.51", "2.30.7", "3.9.0"}};
  for (const auto& row : rows) {
    CAPTURE(row.torch);
    const Row found = matrix().torch(row.torch);
    CHECK(found.get("default") == row.tag);
    const Row variant = matrix().variant(found, row.tag);
    CHECK(variant.get("cudnn") == row.cudnn);
    if (*row.nccl) CHECK(variant.get("nccl") == row.nccl);
    CHECK(variant.get("triton") == row.triton);
  }
}

// pytorch RELEASE.md, "Release Compatibility Matrix" with its 2.14 row: CUDA by minor and cuDNN, for tags that PyPI has not.
// Left out: its cuDNN of 2.11 (9.17.1.4), which the wheels contradict.
TEST_CASE("cuDNN of the other CUDA variants, as RELEASE.md prints it") {
  const struct { const char *torch, *tag, *cudnn; } rows[] = {
      {"1.12.1", "cu113", "8.3.2.44"}, {"1.12.1", "cu116", "8.3.2.44"}, {"1.13.1", "cu116", "8.3.2.44"}, {"2.0.1", "cu118", "8.7.0.84"}, {"2.1.2", "cu118", "8.7.0.84"},
      {"2.2.2", "cu118", "8.7.0.84"}, {"2.3.1", "cu118", "8.7.0.84"}, {"2.4.1", "cu118", "9.1.0.70"}, {"2.4.1", "cu124", "9.1.0.70"}, {"2.5.1", "cu118", "9.1.0.70"},
      {"2.5.1", "cu121", "9.1.0.70"}, {"2.6.0", "cu126", "9.5.1.17"}, {"2.7.1", "cu118", "9.1.0.70"}, {"2.7.1", "cu128", "9.7.1.26"}, {"2.8.0", "cu126", "9.10.2.21"},
      {"2.8.0", "cu129", "9.10.2.21"}, {"2.9.1", "cu126", "9.10.2.21"}, {"2.9.1", "cu130", "9.13.0.50"}, {"2.10.0", "cu126", "9.10.2.21"}, {"2.10.0", "cu130", "9.15.1.9"},
      {"2.11.0", "cu126", "9.10.2.21"}, {"2.12.1", "cu132", "9.20.0.48"}, {"2.13.0", "cu126", "9.10.2.21"}, {"2.13.0", "cu132", "9.20.0.48"}, {"2.14.0", "cu132", "9.24.0.43"}};
  for (const auto& row : rows) {
    CAPTURE(row.torch);
    CHECK(matrix().variant(matrix().torch(row.torch), row.tag).get("cudnn") == row.cudnn);
  }
}
