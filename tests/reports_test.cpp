// SPDX-License-Identifier: Apache-2.0
// Real faults as people paste them (tests/reports): the finding that names the cause is there and comes first, and an environment
// that is in order raises no error.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "examples.hpp"
#include "judge.hpp"
#include "matrix.hpp"
#include "reader.hpp"
#include "relation.hpp"
#include "text.hpp"

using namespace gpudoctor;

namespace {

const std::string folder = GPUDOCTOR_SOURCE_DIR "/tests/reports/";

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Judgement judged(const std::string& text, const std::string& name) {
  static const Signatures signatures(test::knowledge().table("signatures"));
  Facts facts;
  read_paste(text, name, signatures, facts);
  derive(Matrix(test::knowledge()), facts);
  return judge(test::knowledge(), facts);
}

}  // namespace

TEST_CASE("pasted reports") {
  const Node expected = parse_toml(content(folder + "expected.toml"), "expected.toml");
  CHECK(expected.fields.size() >= 45);
  for (const auto& [name, row] : expected.fields) {
    const Judgement judgement = judged(content(folder + name + ".txt"), name + ".txt");
    const auto wanted = row.list("one_of"), allowed = row.list("allow");
    std::vector<std::string> errors, seen;
    for (const auto& finding : judgement.findings) {
      if (finding.severity == Severity::error) errors.push_back(finding.id);
      if (finding.severity == Severity::note) continue;
      seen.push_back(finding.id);
      for (const auto& effect : finding.effects) seen.push_back(effect.id);
    }
    INFO(name << ": " << joined(seen, ", "));
    if (row.get("sound") == "true") {
      CHECK(joined(errors, ", ") == "");
      continue;
    }
    const auto among = [](const std::vector<std::string>& list) { return [&list](const std::string& id) { return std::find(list.begin(), list.end(), id) != list.end(); }; };
    CHECK_MESSAGE(std::any_of(seen.begin(), seen.end(), among(wanted)), "the cause is not named");
    if (!errors.empty() && std::any_of(seen.begin(), seen.end(), among(wanted))) CHECK_MESSAGE(among(wanted)(errors.front()), "another error comes first");
    for (const auto& id : errors) CHECK_MESSAGE((among(wanted)(id) || among(allowed)(id)), id << " is not expected");
  }
}
