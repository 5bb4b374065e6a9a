// SPDX-License-Identifier: Apache-2.0
// The rules' own examples, and the form of all knowledge.
#include <doctest/doctest.h>

#include <set>

#include "embedded.hpp"
#include "examples.hpp"
#include "judge.hpp"
#include "text.hpp"

using namespace gpudoctor;

namespace {

Judgement judged(const Rule& rule, const Node& example) {
  return judge(test::knowledge(), test::derived(example), Selection{{rule.finding}, {}});
}

}  // namespace

TEST_CASE("every rule fires on its own examples, and is quiet on the others") {
  for (const auto& rule : test::knowledge().rules()) {
    CAPTURE(rule.finding);
    CAPTURE(rule.file);
    CHECK_FALSE(rule.fires.empty());
    CHECK_FALSE(rule.quiet.empty());
    for (const auto& example : rule.fires) {
      CAPTURE(example.line);
      CHECK(test::has(judged(rule, example), rule.finding));
    }
    for (const auto& example : rule.quiet) {
      CAPTURE(example.line);
      const auto facts = test::derived(example);
      for (const auto& trial : trials(test::knowledge(), facts, rule.finding))
        if (trial.rule->line == rule.line && trial.rule->file == rule.file) CHECK(trial.truth != Truth::yes);
    }
  }
}

TEST_CASE("the lint has nothing to say about the rules that are shipped") {
  for (const auto& fault : verify(test::documents())) FAIL_CHECK(fault);
}

TEST_CASE("the digest holds what was folded into it, places included") {
  auto documents = test::documents();
  for (auto& [name, document] : documents)
    if (document.find("rule") || document.find("signature")) document = without_examples(document);
  CHECK(unfold(fold(test::documents())) == documents);
  CHECK(unfold(embedded_knowledge()) == documents);
}

TEST_CASE("a digest that is cut short is refused at every length") {
  const auto whole = fold({{"findings.toml", test::toml("[a-b]\nseverity='note'\ntitle='t'\nsays='s'\n")}});
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK_THROWS_AS(unfold(std::string_view(whole).substr(0, size)), BadDocument);
}

TEST_CASE("the lint names what is wrong, with file, line and column") {
  Knowledge::Documents documents;
  documents.emplace("findings.toml", parse_toml("[a-b]\nseverity = \"error\"\ntitle = \"t\"\nsays = \"{driver.nonsense}\"\nmeans = \"m\"\n", "findings.toml"));
  documents.emplace("x.toml", parse_toml("[[rule]]\nfinding = \"a-b\"\neach = \"driver\"\nwhen = [\"driver.nonsense == 1\"]\nfix = [\"no-such\"]\n", "x.toml"));
  documents.emplace("tables/t.toml", parse_toml("date = 2026-01-01\n[source]\ns = \"S\"\n[[row]]\nx = \"1\"\n", "t.toml"));
  const auto faults = joined(verify(documents), "\n");
  CHECK(contains(faults, "x.toml:4:8: when \"driver.nonsense == 1\""));
  CHECK(contains(faults, "'no-such' is no action"));
  CHECK(contains(faults, "'fires' is missing"));
  CHECK(contains(faults, "findings.toml:4:8: {driver.nonsense} is no declared fact"));
  CHECK(contains(faults, "a row without its source"));
}

TEST_CASE("every finding has its sentences, and every id is in the style family-what") {
  for (const auto& row : test::knowledge().findings()) {
    CAPTURE(row.id);
    CHECK(row.id.find('-') != std::string::npos);
    CHECK_FALSE(row.title.empty());
    CHECK_FALSE(row.says.empty());
    CHECK_FALSE(row.means.empty());
  }
  CHECK(test::knowledge().findings().size() >= 109);
}
