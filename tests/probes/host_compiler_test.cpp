// SPDX-License-Identifier: Apache-2.0
#include "host_compiler.hpp"

#include <doctest/doctest.h>

#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("gcc by its name") {
  CHECK(gcc_of_program("gcc-13") == "13");
  CHECK(gcc_of_program("x86_64-linux-gnu-g++-12") == "12");
  CHECK(gcc_of_program("gcc") == "");
  CHECK(gcc_of_program("ccache") == "");
  CHECK(gcc_of_program("gcc-ar-13") == "");
}

TEST_CASE("the compiler that nvcc would call") {
  const std::string debian =
      "[files]\n\"/usr/bin/x86_64-linux-gnu-gcc-13\" = \"\"\n\"/usr/bin/gcc-11\" = \"\"\n\"/usr/bin/ccache\" = \"\"\n"
      "[links]\n\"/usr/bin/gcc\" = \"gcc-13\"\n\"/usr/bin/gcc-13\" = \"x86_64-linux-gnu-gcc-13\"\n"
      "\"/usr/lib/ccache/gcc\" = \"../../bin/ccache\"\n"
      "\"/usr/lib/nvidia-cuda-toolkit/bin/gcc\" = \"/usr/bin/gcc-11\"\n[variables]\n";
  CHECK(told(look_at(*machine_of(debian + "PATH = \"/usr/lib/ccache:/usr/bin\"\n")), "host", "gcc") == "13");
  CHECK(told(look_at(*machine_of(debian + "PATH = \"/usr/bin\"\nNVCC_CCBIN = \"gcc-11\"\n")), "host", "gcc") == "11");
  const std::string toolkit = "PATH = \"/usr/bin\"\nCUDA_HOME = \"/usr/lib/nvidia-cuda-toolkit\"\n";
  CHECK(told(look_at(*machine_of(debian + toolkit)), "host", "gcc") == "11");
  CHECK(told(look_at(*machine_of("[variables]\nPATH = \"/usr/bin\"\n")), "host", "gcc") == "absent");
}

TEST_CASE("Debian's wrapper beside nvcc takes the first g++ of its list that is there") {
  const std::string script = "#!/bin/sh\nif g++-11 --version >/dev/null 2>&1; then\n\tprog=gcc-11\nelif g++-10 --version >/dev/null 2>&1; then\n\tprog=gcc-10\nelif clang-14 --version >/dev/null; then\n\texit 1\nfi\n";
  CHECK(wrapped_compilers(script) == std::vector<std::string>{"g++-11", "g++-10"});
  CHECK(wrapped_compilers("g++-11 --version").empty());
  std::string quoted = script;
  for (std::size_t at = 0; (at = quoted.find('\n', at)) != std::string::npos; at += 2) quoted.replace(at, 1, "\\n");
  for (std::size_t at = 0; (at = quoted.find('\t', at)) != std::string::npos; at += 2) quoted.replace(at, 1, "\\t");
  const std::string debian = "[files]\n\"/usr/bin/g++-10\" = \"\"\n\"/usr/bin/gcc-12\" = \"\"\n\"/usr/lib/nvidia-cuda-toolkit/bin/gcc\" = \"" + quoted + "\"\n[variables]\nPATH = \"/usr/bin\"\n"
                             "CUDA_HOME = \"/usr/lib/nvidia-cuda-toolkit\"\n";
  CHECK(told(look_at(*machine_of(debian)), "host", "gcc") == "10");
  // Found on PATH: /usr/bin/nvcc is a script of Debian's too, and the gcc beside it is not what nvcc takes.
  const std::string on_path = "[files]\n\"/usr/bin/nvcc\" = \"#!/bin/sh\\n\"\n\"/usr/lib/nvidia-cuda-toolkit/bin/nvcc\" = \"\"\n\"/usr/bin/gcc\" = \"\"\n" + debian.substr(8);
  CHECK(told(look_at(*machine_of(on_path.substr(0, on_path.find("CUDA_HOME")))), "host", "gcc") == "10");
}

TEST_CASE("a gcc without a version in its name") {
  const std::string fedora = "[files]\n\"/usr/bin/gcc\" = \"\"\n\"/usr/lib/gcc/x86_64-redhat-linux/15/cc1\" = \"\"\n";
  CHECK(told(look_at(*machine_of(fedora + "[variables]\nPATH = \"/usr/bin\"\n")), "host", "gcc") == "15");
  const std::string two = fedora + "\"/usr/lib/gcc/x86_64-redhat-linux/14/cc1\" = \"\"\n";
  CHECK(told(look_at(*machine_of(two + "[variables]\nPATH = \"/usr/bin\"\n")), "host", "gcc") ==
        "unknown: /usr/bin/gcc: several gcc are below /usr");
}
