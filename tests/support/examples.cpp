// SPDX-License-Identifier: Apache-2.0
#include "examples.hpp"

#include <algorithm>

#include "matrix.hpp"
#include "relation.hpp"
#include "rule_files.hpp"

namespace gpudoctor::test {
namespace {

const Witness given{Rank::measured, "given", 0, {}};

const char* main_fact(const std::string& kind) { return kind == "driver" ? "loaded" : kind == "torch" || kind == "toolkit" ? "version" : "name"; }

bool singleton(const std::string& kind) { return kind == "host" || kind == "driver" || kind == "container" || kind == "engines" || kind == "rocm" || kind == "fabric"; }

void set(Entity& entity, const std::string& fact, const Node& value) {
  if (value.is_list()) {
    std::vector<std::string> items;
    for (const auto& item : value.items) items.push_back(item.text);
    if (items.empty()) entity.absent(fact, given);
    else entity.known(fact, items, given);
  } else if (value.text == "absent") {
    entity.absent(fact, given);
  } else {
    entity.known(fact, value.text, given);
  }
}

void add(Facts& facts, const std::string& kind, const Node& value, int index) {
  std::string key = singleton(kind) ? "" : kind + " " + std::to_string(index);
  if (const Node* path = value.find("path")) key = path->text;
  Entity& entity = facts.at(kind, key);
  if (!value.is_table()) set(entity, main_fact(kind), value);
  for (const auto& [fact, item] : value.fields) set(entity, fact, item);
}

}  // namespace

const Knowledge::Documents& documents() {
  static const auto all = read_rule_folder(GPUDOCTOR_SOURCE_DIR "/rules");
  return all;
}

const Knowledge& knowledge() {
  static const Knowledge one(documents());
  return one;
}

Node toml(const std::string& text) { return parse_toml(text, "test"); }

Facts facts_of(const Node& example) {
  Facts facts;
  for (const auto& [kind, value] : example.fields) {
    facts.looked(kind);
    int index = 0;
    if (!value.is_list()) add(facts, kind, value, index);
    for (const auto& item : value.items) add(facts, kind, item, index++);
  }
  // A torch stands in an environment; where none is given, it is one that is not known further.
  for (Entity* torch : facts.of("torch"))
    torch->parent(facts.of("env").empty() ? facts.at("env", "env 0").id() : facts.of("env").front()->id());
  // What is said of an extension is said beside that torch.
  for (Entity* extension : facts.of("extension")) {
    for (const auto* kind : {"torch", "env"})
      if (!facts.of(kind).empty()) extension->parent(facts.of(kind).front()->id());
  }
  for (Entity* link : facts.of("link"))
    if (!facts.of("torch").empty()) link->parent(facts.of("torch").front()->id());
  for (Entity* program : facts.of("program"))
    if (!facts.of("libtorch").empty()) program->parent(facts.of("libtorch").front()->id());
  return facts;
}

Facts derived(const Node& example) {
  Facts facts = facts_of(example);
  derive(Matrix(knowledge()), facts);
  return facts;
}

std::vector<std::string> ids(const Judgement& judgement, bool errors_only) {
  std::vector<std::string> result;
  for (const auto& finding : judgement.findings) {
    if (!errors_only || finding.severity == Severity::error) result.push_back(finding.id);
    for (const auto& effect : finding.effects)
      if (!errors_only) result.push_back(effect.id);
  }
  return result;
}

bool has(const Judgement& judgement, const std::string& id) {
  const auto all = ids(judgement);
  return std::find(all.begin(), all.end(), id) != all.end();
}

}  // namespace gpudoctor::test
