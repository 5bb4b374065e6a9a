// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("LibTorch by its build-version and by what its library needs") {
  const auto facts = look_at(*machine_of(
      "[files]\n\"/opt/libtorch/build-version\" = \"2.4.0+cu124\\n\"\n\"/opt/libtorch/lib/libtorch.so\" = \"\"\n"
      "\"/opt/libtorch/lib/libtorch_cuda.so\" = { dynamic = [\"needed=libtorch_cpu.so\", "
      "\"needed=libcudart-e409450e.so.11.0\"] }\n"));
  CHECK(told(facts, "libtorch", "version", "/opt/libtorch") == "2.4.0+cu124");
  CHECK(told(facts, "libtorch", "backend", "/opt/libtorch") == "cuda");
  CHECK(told(facts, "libtorch", "cuda_major", "/opt/libtorch") == "11");  // the library outranks the name
}

TEST_CASE("LibTorch where CMake's variable leads, without CUDA") {
  const auto facts = look_at(
      *machine_of("[files]\n\"/data/lt/build-version\" = \"2.8.0+cpu\\n\"\n\"/data/lt/lib/libtorch.so\" = \"\"\n"
                  "[variables]\nTorch_DIR = \"/data/lt/share/cmake/Torch/\"\n"));
  CHECK(told(facts, "libtorch", "backend", "/data/lt") == "cpu");
  CHECK(told(facts, "libtorch", "cuda_major", "/data/lt") == "absent");
}

TEST_CASE("no LibTorch: a Python package has no build-version") {
  const auto facts = look_at(*machine("python-venv-active"));
  CHECK(facts.of("libtorch").empty());
  CHECK(facts.was_looked("libtorch"));
}
