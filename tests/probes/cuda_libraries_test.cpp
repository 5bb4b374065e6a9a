// SPDX-License-Identifier: Apache-2.0
#include "cuda_libraries.hpp"

#include <doctest/doctest.h>

#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("where headers of a library lie") {
  CHECK(headers_of_library("/usr/lib/x86_64-linux-gnu") ==
        std::vector<std::string>{"/usr/include/x86_64-linux-gnu", "/usr/include"});
  CHECK(headers_of_library("/usr/local/cuda-12.4/lib64") == std::vector<std::string>{"/usr/local/cuda-12.4/include"});
}

TEST_CASE("libraries of a toolkit unpacked from wheels") {
  const auto one = machine("debian12-cuda-13.0-from-wheels");
  const auto facts = look_at(*one);
  const std::string cudnn = "/usr/local/cuda-13.0/lib/libcudnn.so.9", nccl = "/usr/local/cuda-13.0/lib/libnccl.so.2";
  REQUIRE(std::as_const(facts).of("library").size() == 2);
  CHECK(facts.was_looked("library"));
  CHECK(told(facts, "library", "version", cudnn) == "9.19.0");
  CHECK(facts.find("library", cudnn)->find("version")->witnesses.front().source ==
        "/usr/local/cuda-13.0/lib/libcudnn_graph.so.9");
  CHECK(told(facts, "library", "cuda", cudnn) == "13");
  CHECK(told(facts, "library", "place", cudnn) == "toolkit");
  CHECK(told(facts, "library", "reachable", cudnn) == "yes");  // by ld.so.conf.d
  CHECK(told(facts, "library", "package", cudnn) == "nvidia-cudnn-cu13");
  CHECK(told(facts, "library", "version", nccl) == "2.28.9");
  CHECK(told(facts, "library", "cuda", nccl) == "13.0");
}

TEST_CASE("a package that promises cuDNN and brings none") {
  const auto one = machine("debian12-cuda-11.8-packages");
  const auto facts = look_at(*one);
  CHECK(told(facts, "library", "empty", "dpkg:nvidia-cudnn") == "yes");
  CHECK(told(facts, "library", "version", "dpkg:nvidia-cudnn") == "absent");
  CHECK(told(facts, "library", "reachable", "dpkg:nvidia-cudnn") == "no");
  CHECK(std::as_const(facts).of("library").size() == 1);
}

TEST_CASE("two cuDNNs in reach, and an environment's own") {
  const auto one = machine("ubuntu2204-two-cudnn-reachable");
  const auto facts = look_at(*one);
  const std::string system = "/usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0",
                    toolkit = "/usr/local/cuda-12.1/lib64/libcudnn.so.8.9.7",
                    wheel = "/home/x/venv/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9",
                    nccl = "/home/x/venv/lib/python3.11/site-packages/nvidia/nccl/lib/libnccl.so.2";
  CHECK(std::as_const(facts).of("library").size() == 4);
  CHECK(told(facts, "library", "version", system) == "9.1.0");
  CHECK(told(facts, "library", "cuda", system) == "12");
  CHECK(told(facts, "library", "package", system) == "libcudnn9-cuda-12");
  CHECK(told(facts, "library", "place", system) == "system");
  CHECK(told(facts, "library", "version", toolkit) == "8.9.7");
  CHECK(told(facts, "library", "place", toolkit) == "toolkit");
  CHECK(told(facts, "library", "reachable", toolkit) == "yes");
  CHECK(told(facts, "library", "package", toolkit) == "absent");  // from an archive
  CHECK(told(facts, "library", "cuda", toolkit) == "unknown: the library does not say for which CUDA it was built");
  CHECK(told(facts, "library", "reachable", wheel) == "no");
  CHECK(told(facts, "library", "version", wheel) == "9.5.1");  // by its header: the part that tells was not kept
  CHECK(told(facts, "library", "package", wheel) == "nvidia-cudnn-cu12");
  CHECK(told(facts, "library", "place", wheel) == "env");
  REQUIRE(facts.find("library", wheel)->parents().size() == 1);
  CHECK(facts.find("library", wheel)->parents().front().kind == "env");
  CHECK(told(facts, "library", "version", nccl) == "2.21.5");
  CHECK(told(facts, "library", "cuda", nccl) == "12.4");
}

TEST_CASE("a toolkit's copy in a root: LD_LIBRARY_PATH cannot be known") {
  const auto one = open_recording(parse_toml(R"(
[recording]
format = 1
running = false
[files]
"/usr/local/cuda-12.4/bin/nvcc" = { nvcc-release = { release = "12.4", build = "12.4.131" } }
"/usr/local/cuda-12.4/lib64/libcudnn.so.8.9.7" = ""
[links]
"/usr/local/cuda-12.4/lib64/libcudnn.so.8" = "libcudnn.so.8.9.7"
"/usr/local/cuda-12.4/lib64/libcudnn.so" = "libcudnn.so.8"
)",
                                             "root"),
                                  "root");
  const auto facts = look_at(*one);
  CHECK(std::as_const(facts).of("library").size() == 1);
  CHECK(told(facts, "library", "version", "/usr/local/cuda-12.4/lib64/libcudnn.so.8.9.7") == "8.9.7");
  CHECK(told(facts, "library", "reachable", "/usr/local/cuda-12.4/lib64/libcudnn.so.8.9.7")
            .starts_with("unknown: LD_LIBRARY_PATH: "));
}

TEST_CASE("a library that does not tell") {
  const auto one = machine_of(R"(
[files]
"/usr/lib/x86_64-linux-gnu/libcudnn.so.9" = ""
"/usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9" = { error = "refused" }
"/usr/lib/x86_64-linux-gnu/libnccl.so.2" = { nccl-version = { error = "malformed", says = "no version in it" } }
"/usr/include/nccl.h" = { version-macros = ["NCCL_MAJOR=2", "NCCL_MINOR=18", "NCCL_PATCH=3"] }
[variables]
PATH = "/usr/bin"
)");
  const auto facts = look_at(*one);
  CHECK(told(facts, "library", "version", "/usr/lib/x86_64-linux-gnu/libcudnn.so.9") ==
        "unknown: /usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9: permission denied");
  CHECK(told(facts, "library", "version", "/usr/lib/x86_64-linux-gnu/libnccl.so.2") == "2.18.3");
  CHECK(told(facts, "library", "cuda", "/usr/lib/x86_64-linux-gnu/libnccl.so.2").starts_with("unknown: "));
}
