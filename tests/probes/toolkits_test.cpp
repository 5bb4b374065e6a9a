// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "recorded.hpp"
#include "toolkit.hpp"
#include "toolkit_files.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("version.json") {
  CHECK(parse_version_json(
            R"({"cuda":{"name":"CUDA SDK","version":"12.4.1"},"cuda_cudart":{"name":"x","version":"12.4.127"}})") ==
        "12.4.1");
  CHECK(parse_version_json(
            "{\n   \"cuda\" : {\n      \"name\" : \"CUDA SDK\",\n      \"version\" : \"11.3.20210326\"\n   },\n") ==
        "11.3");
  CHECK(parse_version_json(R"({ "cuda_cudart" : { "name" : "CUDA Runtime", "version" : "12.4.127" } })") ==
        std::nullopt);
  CHECK(parse_version_json(R"({"cuda":{"name":"CUDA SDK","ver)") == std::nullopt);
  CHECK(parse_version_json(R"({"cuda":{"version":"12.4.1)") == std::nullopt);
  CHECK(parse_version_json(R"({"cuda":{"version":"$reboot"}})") == std::nullopt);
  CHECK(parse_version_json(R"({"cuda":"12.4.1"})") == std::nullopt);
  CHECK(parse_version_json("") == std::nullopt);
}

TEST_CASE("version.txt") {
  CHECK(parse_version_txt("CUDA Version 10.2.89\n") == "10.2");
  CHECK(parse_version_txt("CUDA Version 10.1.243\nCUDA Patch Version 10.1.243.1\n") == "10.1");
  CHECK(parse_version_txt("CUDA Version\n") == std::nullopt);
  CHECK(parse_version_txt("12.4") == std::nullopt);
}

TEST_CASE("macros, file names, packages") {
  CHECK(cuda_of_macro(12040) == "12.4");
  CHECK(cuda_of_macro(13000) == "13.0");
  CHECK(cuda_of_macro(11080) == "11.8");
  CHECK(cuda_of_macro(-1).empty());
  CHECK(cuda_of_macro(7).empty());
  CHECK(version_of_file_name("libcudart.so.11.8.89") == "11.8.89");
  CHECK(version_of_file_name("libcudnn.so.9") == "9");
  CHECK(version_of_file_name("libcudart.so").empty());
  CHECK(version_of_file_name("libcudart.so.x").empty());
  CHECK(version_of_macros({"CUDNN_MAJOR=9", "CUDNN_MINOR=19", "CUDNN_PATCHLEVEL=0"}, "CUDNN") == "9.19.0");
  CHECK(version_of_macros({"NCCL_MAJOR=2", "NCCL_MINOR=28", "NCCL_PATCH=9", "NCCL_VERSION_CODE=22809"}, "NCCL") ==
        "2.28.9");
  CHECK(version_of_macros({"CUDNN_MAJOR=9"}, "CUDNN").empty());
  CHECK(cuda_of_package("nvidia-nccl-cu13") == "13");
  CHECK(cuda_of_package("nvidia-cudnn-cu12") == "12");
  CHECK(cuda_of_package("libcudnn9-cuda-12") == "12");
  CHECK(cuda_of_package("8.9.7.29-1+cuda12.2") == "12.2");
  CHECK(cuda_of_package("2.21.5-1+cuda12.4") == "12.4");
  CHECK(cuda_of_package("libcudnn8").empty());
  CHECK(cuda_of_package("nvidia-cuda-runtime").empty());
}

TEST_CASE("wheels") {
  const auto folder = parse_wheel("nvidia_cudnn_cu13-9.19.0.56.dist-info");
  REQUIRE(folder);
  CHECK(folder->name == "nvidia-cudnn-cu13");
  CHECK(folder->version == "9.19.0.56");
  const auto item = parse_wheel("nvidia-nccl-cu12==2.21.5");
  REQUIRE(item);
  CHECK(item->name == "nvidia-nccl-cu12");
  CHECK(item->version == "2.21.5");
  CHECK_FALSE(parse_wheel("README"));
}

TEST_CASE("scripts in nvcc's place") {
  CHECK(nvcc_behind_script("#!/bin/sh\n\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n") ==
        "/usr/lib/nvidia-cuda-toolkit/bin/nvcc");
  CHECK(nvcc_behind_script("#!/bin/bash\nexec \"/opt/cuda/bin/nvcc\" $*\n") == "/opt/cuda/bin/nvcc");
  CHECK(nvcc_behind_script("#!/bin/sh\nexec \"${CUDA_HOME}/bin/nvcc\" \"$@\"\n") == std::nullopt);
  CHECK(nvcc_behind_script("#!/bin/sh\nexec /opt/$X/bin/nvcc\n") == std::nullopt);
}

TEST_CASE("a toolkit of NVIDIA's packages, reached in four ways") {
  const auto one = machine("ubuntu2204-cuda-12.4-sound");
  const auto facts = look_at(*one);
  CHECK(facts.was_looked("toolkit"));
  REQUIRE(std::as_const(facts).of("toolkit").size() == 1);
  const std::string key = "/usr/local/cuda-12.4";
  CHECK(told(facts, "toolkit", "version", key) == "12.4.1");  // version.json adds the update
  CHECK(told(facts, "toolkit", "release", key) == "12.4");
  CHECK(told(facts, "toolkit", "major", key) == "12");
  CHECK(told(facts, "toolkit", "nvcc", key) == "12.4.131");
  CHECK(told(facts, "toolkit", "cudart", key) == "12.4.127");
  CHECK(told(facts, "toolkit", "layout", key) == "nvidia");
  CHECK(told(facts, "toolkit", "package", key) == "cuda-nvcc-12-4");
  CHECK(told(facts, "toolkit", "found_by", key) == "path cuda_home usr-local-cuda folder");
  CHECK(told(facts, "host", "cuda_home_toolkit") == "yes");
  CHECK(facts.find("toolkit", key)->find("version")->witnesses.size() == 4);
}

TEST_CASE("a toolkit unpacked from wheels") {
  const auto one = machine("debian12-cuda-13.0-from-wheels");
  const auto facts = look_at(*one);
  const std::string key = "/usr/local/cuda-13.0";
  REQUIRE(std::as_const(facts).of("toolkit").size() == 1);
  CHECK(told(facts, "toolkit", "layout", key) == "wheel");
  CHECK(told(facts, "toolkit", "version", key) == "13.0");
  CHECK(told(facts, "toolkit", "nvcc", key) == "13.0.88");
  CHECK(told(facts, "toolkit", "cudart", key) == "13.0.96");  // the file is libcudart.so.13; the wheel's folder tells
}

TEST_CASE("Debian's layout: a script in /usr/bin, everything else apart") {
  const auto one = machine("debian12-cuda-11.8-packages");
  const auto facts = look_at(*one);
  const std::string key = "/usr/lib/nvidia-cuda-toolkit";
  REQUIRE(std::as_const(facts).of("toolkit").size() == 1);
  CHECK(told(facts, "toolkit", "layout", key) == "debian");
  CHECK(told(facts, "toolkit", "version", key) == "11.8");
  CHECK(told(facts, "toolkit", "nvcc", key) == "11.8.89");
  CHECK(told(facts, "toolkit", "cudart", key) == "11.8.89");
  CHECK(told(facts, "toolkit", "package", key) == "nvidia-cuda-toolkit");
  CHECK(told(facts, "toolkit", "found_by", key) ==
        "path cuda_home folder");  // CUDA_HOME=/usr/lib/cuda is the hull of it
  CHECK(told(facts, "host", "cuda_home_toolkit") == "yes");
}

TEST_CASE("three toolkits") {
  const auto one = machine("ubuntu2204-three-toolkits-disagree");
  const auto facts = look_at(*one);
  CHECK(std::as_const(facts).of("toolkit").size() == 3);
  CHECK(told(facts, "toolkit", "found_by", "/usr/local/cuda-11.8") == "path folder");
  CHECK(told(facts, "toolkit", "found_by", "/usr/local/cuda-12.1") == "cuda_home folder");
  CHECK(told(facts, "toolkit", "found_by", "/usr/local/cuda-12.4") == "usr-local-cuda folder");
  CHECK(told(facts, "toolkit", "version", "/usr/local/cuda-11.8") == "11.8.0");
  CHECK(told(facts, "toolkit", "nvcc", "/usr/local/cuda-12.1") == "absent");
}

TEST_CASE("files that do not tell") {
  const auto one = machine("ubuntu2204-toolkit-files-broken");
  const auto facts = look_at(*one);
  CHECK(told(facts, "toolkit", "version", "/usr/local/cuda-12.4") == "12.4");  // version.json is cut short: nvcc tells
  CHECK(told(facts, "toolkit", "nvcc", "/usr/local/cuda-12.4") == "12.4.131");
  CHECK(told(facts, "toolkit", "version", "/usr/local/cuda-12.6") ==
        "unknown: /usr/local/cuda-12.6/version.json: a FIFO");
  CHECK(told(facts, "toolkit", "release", "/usr/local/cuda-12.6") ==
        "unknown: /usr/local/cuda-12.6/version.json: a FIFO");
  CHECK(told(facts, "toolkit", "nvcc", "/usr/local/cuda-12.6") == "absent");
  CHECK(told(facts, "toolkit", "nvcc", "/usr/local/cuda-12.8") ==
        "unknown: /usr/local/cuda-12.8/bin/nvcc: permission denied");
  CHECK(facts.find("toolkit", "/usr/local/cuda-12.9") == nullptr);  // an empty folder that a removal left
  CHECK(told(facts, "host", "cuda_home_toolkit") == "no");
}

TEST_CASE("ccache in nvcc's place, and a wrapper that cannot be followed") {
  const auto ccache = machine_of(R"(
[files]
"/usr/bin/ccache" = ""
"/usr/local/cuda-12.4/bin/nvcc" = { nvcc-release = { release = "12.4", build = "12.4.131" } }
[links]
"/usr/lib/ccache/nvcc" = "../../bin/ccache"
[variables]
PATH = "/usr/lib/ccache:/usr/local/cuda-12.4/bin"
)");
  const auto facts = look_at(*ccache);
  REQUIRE(std::as_const(facts).of("toolkit").size() == 1);
  CHECK(told(facts, "toolkit", "found_by", "/usr/local/cuda-12.4") == "path folder");

  const auto wrapper = machine_of(R"(
[files]
"/opt/env/bin/nvcc" = "#!/bin/sh\nexec \"${CUDA_HOME}/bin/nvcc\" \"$@\"\n"
[variables]
PATH = "/opt/env/bin"
)");
  const auto wrapped = look_at(*wrapper);
  CHECK(told(wrapped, "toolkit", "version", "/opt/env/bin/nvcc") ==
        "unknown: /opt/env/bin/nvcc: a script that does not tell which nvcc it starts");
  CHECK(told(wrapped, "toolkit", "found_by", "/opt/env/bin/nvcc") == "path");

  const auto loop = machine_of(
      "[files]\n\"/usr/bin/nvcc\" = \"#!/bin/sh\\nexec /usr/bin/nvcc\\n\"\n[variables]\nPATH = \"/usr/bin\"\n");
  CHECK(find_compiler(*loop, "/usr/bin/nvcc").miss().why == Why::loop);
}

TEST_CASE("a machine without any toolkit") {
  const auto one = machine_of("[variables]\nPATH = \"/usr/bin\"\n");
  const auto facts = look_at(*one);
  CHECK(std::as_const(facts).of("toolkit").empty());
  CHECK(facts.was_looked("toolkit"));
  CHECK(told(facts, "host", "cuda_home_toolkit") == "absent");
}

TEST_CASE("a place that may not be listed") {
  const auto one =
      machine_of("[folders]\n\"/usr/local\" = { error = \"refused\" }\n[variables]\nPATH = \"/usr/bin\"\n");
  const auto facts = look_at(*one);
  CHECK_FALSE(facts.was_looked("toolkit"));
  CHECK(facts.why_not("toolkit") == "/usr/local: permission denied");
}
