// SPDX-License-Identifier: Apache-2.0
// The catalogue against the machines: every finding that has a rule is raised on one of them, and stays quiet on
// another where what its rule is about is there.
#include <doctest/doctest.h>

#include <boost/filesystem/operations.hpp>
#include <boost/filesystem/string_file.hpp>
#include <set>

#include "examples.hpp"
#include "gpudoctor/probe.hpp"
#include "judge.hpp"
#include "machines.hpp"
#include "matrix.hpp"
#include "relation.hpp"
#include "text.hpp"

using namespace gpudoctor;
namespace fs = boost::filesystem;

namespace {

struct Seen {
  std::set<std::string> raised, quiet;
};

/// Adds what this machine raises, and what it could raise and does not.
void judge_machine(const std::string& path, Seen& seen) {
  std::string text;
  fs::load_string_file(path, text);
  const Node document = parse_toml(text, path);
  const auto machine = open_recording(document, path);
  Facts facts;
  look(*machine, {}, facts);
  derive(Matrix(test::knowledge()), facts);
  const Judgement judgement = judge(test::knowledge(), facts);
  std::set<std::string> undecided;
  for (const auto& one : judgement.undecided) undecided.insert(one.id);
  for (const auto& rule : test::knowledge().rules())
    if (test::has(judgement, rule.finding)) seen.raised.insert(rule.finding);
    else if (!facts.of(rule.each).empty() && !undecided.contains(rule.finding)) seen.quiet.insert(rule.finding);
  // A gap in the matrix is an entity only where there is one.
  const Node* expect = document.find("expect");
  for (const auto& id : expect ? expect->list("quiet") : std::vector<std::string>())
    if (!test::has(judgement, id)) seen.quiet.insert(id);
}

std::string missing(const std::set<std::string>& from) {
  std::set<std::string> ids;
  for (const auto& rule : test::knowledge().rules())
    if (!from.contains(rule.finding)) ids.insert(rule.finding);
  return joined({ids.begin(), ids.end()}, ", ");
}

}  // namespace

TEST_CASE("catalogue: every finding with a rule has a machine that raises it and a near miss that does not") {
  Seen seen;
  for (const auto& entry : fs::directory_iterator(GPUDOCTOR_SOURCE_DIR "/tests/machines"))
    judge_machine(entry.path().string(), seen);
  CHECK_MESSAGE(missing(seen.raised).empty(), "raised on no machine: " << missing(seen.raised));
  CHECK_MESSAGE(missing(seen.quiet).empty(), "quiet on no machine: " << missing(seen.quiet));
}

TEST_CASE("catalogue: every finding has a rule, or a named origin in the program") {
  // witnesses-disagree is the judge's own (src/rules/judge.cpp); the other two come with a site's policy file.
  const std::set<std::string> without = {"witnesses-disagree", "ignore-expired", "policy-violated"};
  std::set<std::string> with;
  for (const auto& rule : test::knowledge().rules()) with.insert(rule.finding);
  for (const auto& row : test::knowledge().findings()) CHECK_MESSAGE(with.contains(row.id) != without.contains(row.id), row.id);
}
