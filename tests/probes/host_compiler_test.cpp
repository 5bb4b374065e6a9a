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
  CHECK(told(look_at(*machine_of(debian + "PATH = \"/usr/bin\"\nCUDA_HOME = \"/usr/lib/nvidia-cuda-toolkit\"\n")), "host",
             "gcc") == "11");
  CHECK(told(look_at(*machine_of("[variables]\nPATH = \"/usr/bin\"\n")), "host", "gcc") == "absent");
}

TEST_CASE("a gcc without a version in its name") {
  const std::string fedora = "[files]\n\"/usr/bin/gcc\" = \"\"\n\"/usr/lib/gcc/x86_64-redhat-linux/15/cc1\" = \"\"\n";
  CHECK(told(look_at(*machine_of(fedora + "[variables]\nPATH = \"/usr/bin\"\n")), "host", "gcc") == "15");
  const std::string two = fedora + "\"/usr/lib/gcc/x86_64-redhat-linux/14/cc1\" = \"\"\n";
  CHECK(told(look_at(*machine_of(two + "[variables]\nPATH = \"/usr/bin\"\n")), "host", "gcc") ==
        "unknown: /usr/bin/gcc: several gcc are below /usr");
}
