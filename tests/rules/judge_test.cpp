// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "examples.hpp"
#include "judge.hpp"

using namespace gpudoctor;

namespace {

const char* findings = R"(
[a-cause]
severity = "error"
title = "t"
says = "driver {driver.loaded}, {driver.on_disk}"
explains = ["b-effect"]
means = "m"
[b-effect]
severity = "error"
title = "t"
says = "s"
means = "m"
[c-note]
severity = "note"
title = "t"
says = "s"
explains = ["a-cause"]
means = "m"
)";

const char* rules = R"(
[[rule]]
finding = "b-effect"
each = "driver"
when = ["driver.loaded is known"]
[[rule]]
finding = "a-cause"
each = "driver"
when = ["driver.loaded == 1.0"]
[[rule]]
finding = "c-note"
each = "driver"
when = ["driver.loaded is known"]
[[rule]]
finding = "b-effect"
each = "gpu"
when = ["gpu.vendor == nvidia"]
)";

Knowledge small() { return Knowledge({{"findings.toml", parse_toml(findings, "f")}, {"r.toml", parse_toml(rules, "r")}}); }

}  // namespace

TEST_CASE("an effect stands under its cause and is not counted; a note explains no error") {
  const auto judgement = judge(small(), test::facts_of(test::toml("driver = '1.0'")));
  REQUIRE(judgement.findings.size() == 2);
  CHECK(judgement.findings[0].id == "a-cause");
  REQUIRE(judgement.findings[0].effects.size() == 1);
  CHECK(judgement.findings[0].effects[0].id == "b-effect");
  CHECK(judgement.findings[0].message == "driver 1.0, unknown");
}

TEST_CASE("a collection that was not looked at is undecided once") {
  const auto judgement = judge(small(), test::facts_of(test::toml("driver = '2.0'")));
  CHECK(judgement.findings.size() == 2);
  CHECK(judge(small(), Facts{}).undecided.size() >= 1);
}

TEST_CASE("only and skip take ids and families") {
  const auto facts = test::facts_of(test::toml("driver = '1.0'"));
  CHECK(judge(small(), facts, {{"c"}, {}}).findings.size() == 1);
  CHECK(judge(small(), facts, {{}, {"a-cause", "b"}}).findings.size() == 1);
  CHECK_FALSE(Selection{{"torch"}, {}}.wants("torchvision-x"));
}

TEST_CASE("what rests on prose is likely, not certain") {
  Facts facts;
  facts.at("driver").known("loaded", "1.0", {Rank::prose, "ticket", 1, {}});
  facts.looked("driver");
  CHECK_FALSE(judge(small(), facts).findings[0].certain);
}

TEST_CASE("two sources of one fact: shown where they contradict, not where one says less") {
  const auto found = [](const char* first, const char* second, Rank rank = Rank::tool) {
    Facts facts;
    facts.at("driver").known("loaded", first, {Rank::measured, "/proc/driver/nvidia/version", 1, {}}).known("loaded", second, {rank, "a report", 0, {}});
    return judge(test::knowledge(), facts);
  };
  const auto judgement = found("550.120", "535.183.01");
  REQUIRE(test::has(judgement, "witnesses-disagree"));
  const auto& finding = judgement.findings.front();
  CHECK(finding.severity == Severity::warning);
  REQUIRE(finding.evidence.size() == 2);
  CHECK(finding.evidence[0].value == "550.120");
  CHECK(finding.evidence[0].source == "/proc/driver/nvidia/version:1");
  CHECK(finding.evidence[1].value == "535.183.01");
  CHECK_FALSE(test::has(found("580.159.03", "580.159"), "witnesses-disagree"));
  CHECK_FALSE(test::has(found("550.120", "550.120"), "witnesses-disagree"));
  CHECK_FALSE(test::has(found("550.120", "535.183.01", Rank::table), "witnesses-disagree"));
}
