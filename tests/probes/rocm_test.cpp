// SPDX-License-Identifier: Apache-2.0
#include "rocm.hpp"

#include <doctest/doctest.h>

#include "device_access.hpp"
#include "machines.hpp"

using namespace gpudoctor;

TEST_CASE("the release in ROCm's .info/version") {
  CHECK(rocm_release("6.4.1-83\n") == "6.4.1");
  CHECK(rocm_release("7.0.2") == "7.0.2");
  CHECK(rocm_release("") == "");
  CHECK(rocm_release("unknown 6.4\n") == "");
}

TEST_CASE("who may open a node, by its mode and the caller's groups") {
  const auto machine = open_recording(parse_toml("[recording]\nformat = 1\nworld = \"closed\"\neuid = 1000\n[files]\n\"/etc/group\" = \"render:x:992:\\n\"\n", "test"), "test");
  const auto node = [](std::uint32_t mode) { return Info{Kind::character, 0, mode, 0, 992}; };
  CHECK(may_open(*machine, node(0666), {}) == true);
  CHECK(may_open(*machine, node(0660), {992}) == true);
  CHECK(may_open(*machine, node(0660), {1000}) == false);
  CHECK(may_open(*machine, node(0660), {}) == std::nullopt);
  CHECK(may_open(*machine, node(0600), {}) == false);
  CHECK(group_name(*machine, 992) == "render");
  CHECK(group_name(*machine, 44) == "");
}
