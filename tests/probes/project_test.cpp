// SPDX-License-Identifier: Apache-2.0
#include "project.hpp"

#include <doctest/doctest.h>

using namespace gpudoctor;

TEST_CASE("a PyTorch that requirements.txt pins") {
  const auto asked = asked_torches("# GPU\n--extra-index-url https://download.pytorch.org/whl/cu121\ntorchvision==0.21.0\ntorch == 2.6.0 ; python_version >= '3.9'\n"
                                   "torch[opt-einsum]==2.9.1+cu130 --hash=sha256:00\ntorch>=2.0\ntorch==2.*\ntorch-geometric==2.6.1\n");
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].version == "2.6.0");
  CHECK(asked[0].tag == "cu121");
  CHECK(asked[0].line == 4);
  CHECK(asked[1].version == "2.9.1");
  CHECK(asked[1].tag == "cu130");
  CHECK(asked_torches("").empty());
  CHECK(asked_torches("torch==\ntorch==abc\n--index-url\n").empty());
}
