// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "condition.hpp"
#include "examples.hpp"

using namespace gpudoctor;

namespace {

Truth truth(const std::string& condition, const std::string& example, const std::string& each = "driver") {
  const Facts facts = test::facts_of(test::toml(example));
  const auto subjects = facts.of(each);
  REQUIRE_FALSE(subjects.empty());
  return evaluate(parse_condition(condition, each), facts, *subjects.front()).truth;
}

}  // namespace

TEST_CASE("three values: known, absent and unknown") {
  CHECK(truth("loaded == 535.54.03", "driver = '535.54.03'") == Truth::yes);
  CHECK(truth("loaded == 535.54.03", "driver = { loaded = 'absent' }") == Truth::no);
  CHECK(truth("loaded is absent", "driver = { loaded = 'absent' }") == Truth::yes);
  CHECK(truth("loaded is absent", "driver = { on_disk = '1.2' }") == Truth::unknown);
  CHECK(truth("loaded is known", "driver = { on_disk = '1.2' }") == Truth::no);
  CHECK(truth("loaded != 535.54.03", "driver = { on_disk = '1.2' }") == Truth::unknown);
}

TEST_CASE("a prefix is undecided inside its own range only") {
  CHECK(truth("loaded < 525.60.13", "driver = '525'") == Truth::unknown);
  CHECK(truth("loaded < 525.60.13", "driver = '470'") == Truth::yes);
  CHECK(truth("loaded != libraries", "driver = { loaded = '580.159.03', libraries = '580.159' }") == Truth::unknown);
}

TEST_CASE("a fact against a fact, of the entity or of another") {
  CHECK(truth("driver.loaded != driver.libraries", "driver = { loaded = '535.54.03', libraries = '535.54.04' }") == Truth::yes);
  CHECK(truth("driver.loaded == host.kernel", "driver = '1.2'\nhost = { kernel = '1.2' }") == Truth::yes);
}

TEST_CASE("lists") {
  CHECK(truth("\"sm_90\" in torch.archs", "torch = { archs = ['sm_80', 'sm_90'] }", "torch") == Truth::yes);
  CHECK(truth("\"sm_90\" not in torch.archs", "torch = { archs = ['sm_80'] }", "torch") == Truth::yes);
  CHECK(truth("backend in [cuda, rocm]", "torch = { backend = 'rocm' }", "torch") == Truth::yes);
  CHECK(truth("backend not in [cuda, rocm]", "torch = { backend = 'cpu' }", "torch") == Truth::yes);
}

TEST_CASE("a collection that was looked at and is empty is knowledge") {
  CHECK(truth("container.inside == yes", "driver = '1.2'\ncontainer = { inside = 'no' }") == Truth::no);
  CHECK(truth("container.inside == yes", "driver = '1.2'") == Truth::unknown);
}

TEST_CASE("what is no comparison is refused with what is wrong") {
  for (const char* text : {"driver.loaded", "driver.nonsense == 1", "loaded ==", "loaded is known today", "backend in [cuda"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_condition(text, "driver"), std::invalid_argument);
  }
}
