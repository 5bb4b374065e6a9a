// SPDX-License-Identifier: Apache-2.0
#include "macros.hpp"

#include <doctest/doctest.h>

using gpudoctor::version_macros;
using Lines = std::vector<std::string>;

TEST_CASE("a header's version macros") {
  CHECK(version_macros("/**\n * CUDA API version number\n */\n#define CUDA_VERSION 13000\n#ifdef __cplusplus\n") ==
        Lines{"CUDA_VERSION=13000"});
  CHECK(version_macros("#define CUDNN_MAJOR 9\r\n#define CUDNN_MINOR 19\r\n#define CUDNN_PATCHLEVEL 0\r\n"
                       "#define CUDNN_VERSION (CUDNN_MAJOR * 10000 + CUDNN_MINOR * 100 + CUDNN_PATCHLEVEL)\n") ==
        Lines{"CUDNN_MAJOR=9", "CUDNN_MINOR=19", "CUDNN_PATCHLEVEL=0"});
  CHECK(version_macros("#define NCCL_MAJOR 2\n#define NCCL_MINOR 28\n#define NCCL_PATCH 9\n#define NCCL_SUFFIX \"\"\n"
                       "#define NCCL_VERSION_CODE 22809\n")
            .size() == 4);
}

TEST_CASE("what is no version macro") {
  CHECK(version_macros("").empty());
  CHECK(version_macros("// #define CUDA_VERSION 12040\n#define CUDA_VERSION\n#define CUDA_VERSION x\n#define OTHER 3\n")
            .empty());
  CHECK(version_macros("#define CUDA_VERSION 99999999999999999999999\n").empty());
}

TEST_CASE("a hostile header gets no more than its share") {
  std::string header;
  for (int i = 0; i < 5000; ++i) header += "#define A_VERSION 1\n";
  CHECK(version_macros(header).size() == 64);
}
