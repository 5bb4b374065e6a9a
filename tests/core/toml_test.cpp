// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "gpudoctor/node.hpp"

using namespace gpudoctor;

TEST_CASE("malformed TOML is named with file, line and column") {
  try {
    parse_toml("a = 1\nb = = 2\n", "rules/x.toml");
    FAIL("accepted");
  } catch (const BadDocument& error) {
    CHECK(std::string(error.what()).starts_with("rules/x.toml:2:"));
  }
}

TEST_CASE("a document keeps its order, and its places") {
  const Node node = parse_toml("zebra = '1'\n[apple]\nx = [1, 2]\ny = true\nz = 2026-11-30\n", "x");
  CHECK(node.fields[0].first == "zebra");
  CHECK(node.find("apple")->find("x")->items[1].text == "2");
  CHECK(node.find("apple")->get("z") == "2026-11-30");
  CHECK(node.find("apple")->get("y") == "true");
  CHECK(node.find("apple")->find("x")->line == 3);
}

TEST_CASE("the digest gives back what was written") {
  const Node node = parse_toml("a = 'ü'\n[[b]]\nc = [1, [2, 'x']]\nd = { e = '' }\n", "x");
  CHECK(read_digest(write_digest(node)) == node);
}

TEST_CASE("quoting survives the round") {
  const std::string nasty = "a\"b\\c\nd\te\x01" "f\x7f";
  CHECK(parse_toml("x = " + toml_quote(nasty), "x").get("x") == nasty);
}
