// SPDX-License-Identifier: Apache-2.0
#include "strings.hpp"

#include <doctest/doctest.h>

#include "make_elf.hpp"

using namespace gpudoctor;
using Names = std::vector<std::string>;

namespace {

/// Asks a question of a file with this .rodata.
template <class F>
auto ask(F question, const std::string& rodata) {
  const MemoryBytes bytes(make::Elf().add(".rodata", rodata, 1, 32).build());
  return question(*Elf::open(bytes));
}

const std::string nul(1, '\0');

}  // namespace

TEST_CASE("strings: torch's list is the longest run of words") {
  const auto list = [](const std::string& rodata) { return ask(torch_archs, rodata).value_or({}); };
  CHECK(list("sm_50" + nul + "sm_80 sm_90a compute_90" + nul + "compute_100") ==
        Names{"sm_80", "sm_90a", "compute_90"});
  CHECK(list("sm_100f sm_120" + nul) == Names{"sm_100f", "sm_120"});
  CHECK(list("sm_90") == Names{"sm_90"});
  CHECK(list("ksm_70 sm_75 sm_80" + nul) == Names{"sm_70", "sm_75", "sm_80"});   // other data before it, as in torch 2.9.1
  CHECK(list("at sm_80 sm_86  sm_90") == Names{"sm_80", "sm_86"});
  CHECK(list("libsm_80 sm_x compute_ sm_12345 sm_80b _ sm_") == Names{});
  CHECK(ask(torch_archs, "nothing").miss().why == Why::malformed);
}

TEST_CASE("strings: a text across the border of two chunks is found whole") {
  constexpr std::size_t chunk = 64u << 10;   // as src/elf/strings.cpp reads
  for (std::size_t before = chunk - 60; before < chunk + 8; ++before) {
    const std::string rodata =
        std::string(before, '.') + nul + "NCCL version 2.28.9+cuda13.0" + nul + std::string(5000, '.');
    const auto got = ask(nccl_version, rodata);
    REQUIRE(got);
    CHECK(got->version == "2.28.9");
    CHECK(got->cuda == "13.0");
    const std::string nvcc = std::string(before, '.') + "release 13.0, V13.0.88" + nul;
    CHECK(ask(nvcc_release, nvcc)->build == "13.0.88");
  }
  for (const std::size_t back : {4200u, 4100u, 4096u, 4090u, 30u, 10u, 2u}) {
    const std::string rodata =
        std::string(chunk - back, '.') + "sm_80 sm_86 sm_90 compute_90" + nul + std::string(9000, '.');
    CHECK(ask(torch_archs, rodata)->size() == 4);
  }
}

TEST_CASE("strings: NCCL, with CUDA where it stands") {
  const auto both =
      ask(nccl_version, "NCCL version %d" + nul + "NCCL version 2.14.3" + nul + "NCCL version 2.14.3+cuda11.7");
  REQUIRE(both);
  CHECK(both->version == "2.14.3");
  CHECK(both->cuda == "11.7");
  const auto compiled = ask(nccl_version, "NCCL version 2.28.9 compiled with CUDA 13.0");
  CHECK(compiled->cuda == "13.0");
  const auto bare = ask(nccl_version, "NCCL version 2.5" + nul);
  CHECK(bare->version == "2.5");
  CHECK(bare->cuda.empty());
  CHECK(ask(nccl_version, "NCCL version mismatch").miss().why == Why::malformed);
}

TEST_CASE("strings: nvcc") {
  const auto got = ask(nvcc_release, "release notes" + nul + "Cuda compilation tools, release 12.4, V12.4.131\n");
  REQUIRE(got);
  CHECK(got->release == "12.4");
  CHECK(got->build == "12.4.131");
  CHECK_FALSE(ask(nvcc_release, "release 12.4"));
  CHECK_FALSE(ask(nvcc_release, "release 12.4, Vx"));
}

TEST_CASE("strings: cuDNN") {
  CHECK(ask(cudnn_version, "cudnn_version != (9 * 10000)" + nul + "cudnn_version_9_19_0_56_" + nul).value_or("") ==
        "9.19.0");
  CHECK_FALSE(ask(cudnn_version, "cudnn_version_9_19"));
  CHECK_FALSE(ask(cudnn_version, "cudnn_version_check"));
}

TEST_CASE("strings: a file without .rodata is searched from its start") {
  const MemoryBytes bytes(make::Elf().add(".data", "release 13.0, V13.0.88").build());
  CHECK(nvcc_release(*Elf::open(bytes))->build == "13.0.88");
}
