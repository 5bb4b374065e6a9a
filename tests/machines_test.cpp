// SPDX-License-Identifier: Apache-2.0
// Every machine of tests/machines: what its [expect] names is found, and no other error or warning is.
#include <doctest/doctest.h>

#include <algorithm>
#include <boost/filesystem/operations.hpp>
#include <boost/filesystem/string_file.hpp>
#include <set>

#include "examples.hpp"
#include "formats.hpp"
#include "gpudoctor/probe.hpp"
#include "judge.hpp"
#include "machines.hpp"
#include "matrix.hpp"
#include "plan.hpp"
#include "relation.hpp"
#include "text.hpp"

using namespace gpudoctor;
namespace fs = boost::filesystem;

namespace {

std::vector<std::string> machine_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(GPUDOCTOR_SOURCE_DIR "/tests/machines")) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

Node load(const std::string& path) {
  std::string text;
  fs::load_string_file(path, text);
  return parse_toml(text, path);
}

Judgement judged(const Machine& machine, Facts& facts) {
  look(machine, {}, facts);
  derive(Matrix(test::knowledge()), facts);
  return judge(test::knowledge(), facts);
}

std::set<std::string> of(const Judgement& judgement, Severity severity) {
  std::set<std::string> result;
  for (const auto& finding : judgement.findings)
    if (finding.severity == severity && !finding.elsewhere) result.insert(finding.id);
  return result;
}

std::string shown(const std::set<std::string>& ids) { return joined({ids.begin(), ids.end()}, ", "); }

}  // namespace

TEST_CASE("machines: what must be found is found, and nothing else is raised") {
  for (const auto& path : machine_files()) {
    CAPTURE(path);
    const Node document = load(path);
    const Node* expect = document.find("expect");
    REQUIRE(expect);
    const auto machine = open_recording(document, path);
    Facts facts;
    const Judgement judgement = judged(*machine, facts);
    for (const auto& [key, severity] : {std::pair("errors", Severity::error), std::pair("warnings", Severity::warning)}) {
      const auto wanted = expect->list(key);
      CHECK_MESSAGE(shown(of(judgement, severity)) == shown({wanted.begin(), wanted.end()}), key);
    }
    const auto notes = of(judgement, Severity::note);
    for (const auto& id : expect->list("notes")) CHECK_MESSAGE(notes.contains(id), id);
    for (const auto& id : expect->list("effects")) CHECK_MESSAGE(test::has(judgement, id), id);
    for (const auto& id : expect->list("quiet")) CHECK_MESSAGE(!test::has(judgement, id), id);
    if (expect->find("plan")) {
      Judgement copy = judgement;
      std::vector<std::string> actions;
      for (const auto& fix : plan(Matrix(test::knowledge()), facts, copy, Machine::World::recorded)) actions.push_back(fix.action);
      CHECK(joined(actions, ", ") == joined(expect->list("plan"), ", "));
    }
  }
}

TEST_CASE("machines: a recording of a recording gives the same findings and the same bytes twice") {
  for (const auto& path : machine_files()) {
    CAPTURE(path);
    const Node document = load(path);
    const auto machine = open_recording(document, path);
    const Recorder recorder(*machine);
    Facts first;
    const Judgement before = judged(recorder, first);
    const std::string text = recorder.toml(nullptr);
    const auto again = open_recording(parse_toml(text, "again"), "again");
    Facts second;
    const Judgement after = judged(*again, second);
    CHECK(joined(test::ids(before), ", ") == joined(test::ids(after), ", "));
    CHECK(json_facts(first) == json_facts(second));
    CHECK(recorder.toml(nullptr) == text);
    Redactor redactor(*machine);
    const auto redacted = open_recording(parse_toml(recorder.toml(&redactor), "redacted"), "redacted");
    Facts third;
    CHECK(joined(test::ids(judged(*redacted, third)), ", ") == joined(test::ids(before), ", "));
  }
}
