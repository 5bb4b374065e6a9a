// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "symptoms.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// The entity and its ancestors: what a finding is about.
void bind(const Facts& facts, const Entity& entity, std::vector<Id>& about, int depth = 4) {
  if (std::find(about.begin(), about.end(), entity.id()) != about.end()) return;
  about.push_back(entity.id());
  for (const auto& id : entity.parents())
    if (const Entity* up = facts.find(id); up && depth > 0) bind(facts, *up, about, depth - 1);
}

Trial try_rule(const Rule& rule, const Facts& facts, const Entity& subject) {
  Trial trial{&rule, &subject, {}, Truth::yes};
  for (const auto& condition : rule.when) {
    trial.answers.push_back(evaluate(condition, facts, subject));
    if (trial.answers.back().truth == Truth::no) trial.truth = Truth::no;
    if (trial.answers.back().truth == Truth::unknown && trial.truth == Truth::yes) trial.truth = Truth::unknown;
  }
  return trial;
}

void add_evidence(Finding& finding, const std::string& key, const Facts& facts, const Entity& subject) {
  const Look look = look_up(key, facts, subject);
  if (!look.fact || look.state == State::unknown) return;
  if (look.fact->witnesses.empty()) return;
  const auto& witness = look.fact->witnesses.front();
  const std::string line = witness.line > 0 ? ":" + std::to_string(witness.line) : "";
  finding.evidence.push_back({key, look.state == State::absent ? "absent" : look.fact->text, witness.source + line, witness.rank});
}

/// A torch that another one shadows is as far away as another environment.
bool is_elsewhere(const Facts& facts, const std::vector<Id>& about) {
  return std::any_of(about.begin(), about.end(), [&facts](const Id& id) {
    const Entity* one = id.kind == "env" || id.kind == "torch" ? facts.find(id) : nullptr;
    return one && one->is("active", "no");
  });
}

Finding found(const Knowledge& knowledge, const Trial& trial, const Facts& facts) {
  const Rule& rule = *trial.rule;
  const FindingRow* row = knowledge.finding(rule.finding);
  Finding finding;
  finding.id = rule.finding;
  finding.severity = rule.severity;
  finding.because = rule.because;
  finding.actions = rule.fix;
  finding.refs = rule.refs;
  finding.subject = shown(facts, *trial.subject);
  bind(facts, *trial.subject, finding.about);
  if (row) {
    finding.title = row->title;
    finding.message = filled(row->says, facts, *trial.subject);
    finding.order = row->order;
  }
  for (const auto& answer : trial.answers)
    for (const Fact* fact : answer.facts)
      if (!fact->sure) finding.certain = false;
  for (const auto& key : rule.evidence) add_evidence(finding, key, facts, *trial.subject);
  finding.elsewhere = is_elsewhere(facts, finding.about);
  return finding;
}

/// Whether a later witness says something else than the one that is believed. Versions of different precision agree;
/// names, paths and texts have many right forms; what a user assumes or a table says is no sighting.
bool disagrees(const Declaration& declared, const Witness& believed, const Witness& other) {
  const auto sighting = [](Rank rank) { return rank != Rank::assumed && rank != Rank::table; };
  if (!sighting(believed.rank) || !sighting(other.rank) || believed.value.empty() || other.value.empty()) return false;
  switch (declared.type) {
    case Type::version: {
      const Order order = compare(Version(believed.value, declared.scheme), Version(other.value, declared.scheme));
      return order == Order::less || order == Order::greater;
    }
    case Type::word:
    case Type::flag:
    case Type::number: return believed.value != other.value;
    default: return false;
  }
}

/// The finding that no rule makes: two sources of one fact contradict each other.
void disagreements(const Knowledge& knowledge, const Facts& facts, std::vector<Finding>& findings) {
  const FindingRow* row = knowledge.finding("witnesses-disagree");
  if (!row) return;
  for (const Entity* entity : facts.all()) {
    Finding finding;
    for (const auto& [name, fact] : entity->facts()) {
      const auto key = entity->id().kind + "." + name;
      const Declaration* declared = declaration(key);
      if (!declared || !fact.known() || fact.witnesses.size() < 2) continue;
      const Witness& believed = fact.witnesses.front();
      const auto other = std::find_if(fact.witnesses.begin(), fact.witnesses.end(), [&](const Witness& one) { return disagrees(*declared, believed, one); });
      if (other == fact.witnesses.end()) continue;
      for (const Witness* one : {&believed, &*other})
        finding.evidence.push_back({key, one->value, one->source + (one->line > 0 ? ":" + std::to_string(one->line) : ""), one->rank});
    }
    if (finding.evidence.empty()) continue;
    finding.id = row->id, finding.title = row->title, finding.order = row->order, finding.severity = row->severity;
    finding.subject = shown(facts, *entity);
    finding.message = filled(row->says, facts, *entity);
    bind(facts, *entity, finding.about);
    finding.elsewhere = is_elsewhere(facts, finding.about);
    findings.push_back(std::move(finding));
  }
}

/// Whether two findings can be about the same trouble: no entity of one kind that differs.
bool compatible(const std::vector<Id>& a, const std::vector<Id>& b) {
  for (const auto& x : a)
    for (const auto& y : b)
      if (x.kind == y.kind && x.key != y.key && (x.kind == "gpu" || x.kind == "env" || x.kind == "torch" || x.kind == "extension")) {
        const auto same = [&x](const Id& id) { return id == x; };
        if (std::none_of(b.begin(), b.end(), same)) return false;
      }
  return true;
}

void fold_effects(const Knowledge& knowledge, std::vector<Finding>& findings) {
  std::vector<int> under(findings.size(), -1);
  for (std::size_t cause = 0; cause < findings.size(); ++cause) {
    const auto* row = knowledge.finding(findings[cause].id);
    if (!row) continue;
    for (std::size_t effect = 0; effect < findings.size(); ++effect) {
      if (effect == cause || under[effect] >= 0 || under[cause] == static_cast<int>(effect)) continue;
      if (std::find(row->explains.begin(), row->explains.end(), findings[effect].id) == row->explains.end()) continue;
      if (findings[cause].severity > findings[effect].severity) continue;   // a note explains no error
      if (findings[cause].elsewhere && !findings[effect].elsewhere) continue;
      if (compatible(findings[cause].about, findings[effect].about)) under[effect] = static_cast<int>(cause);
    }
  }
  const auto root = [&under](std::size_t i) {
    std::set<std::size_t> seen;
    while (under[i] >= 0 && seen.insert(i).second) i = static_cast<std::size_t>(under[i]);
    return i;
  };
  std::vector<Finding> kept;
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (under[i] >= 0 && root(i) != i)
      findings[root(i)].effects.push_back({findings[i].id, findings[i].subject, findings[i].message, findings[i].severity});
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (under[i] < 0 || root(i) == i) kept.push_back(std::move(findings[i]));
  findings = std::move(kept);
}

}  // namespace

bool Selection::wants(const std::string& id) const {
  const auto hit = [&id](const std::string& name) { return id == name || id.starts_with(name + "-"); };
  if (std::any_of(skip.begin(), skip.end(), hit)) return false;
  return only.empty() || std::any_of(only.begin(), only.end(), hit);
}

Judgement judge(const Knowledge& knowledge, const Facts& facts, const Selection& selection) {
  Judgement result;
  for (const auto& rule : knowledge.rules()) {
    if (!selection.wants(rule.finding)) continue;
    const auto subjects = facts.of(rule.each);
    for (const Entity* subject : subjects) {
      const Trial trial = try_rule(rule, facts, *subject);
      if (trial.truth == Truth::unknown) {
        for (const auto& answer : trial.answers)
          if (answer.truth == Truth::unknown) {
            result.undecided.push_back({rule.finding, shown(facts, *subject), answer.reason});
            break;
          }
      } else if (trial.truth == Truth::yes) {
        Finding finding = found(knowledge, trial, facts);
        const auto same = std::find_if(result.findings.begin(), result.findings.end(), [&finding](const Finding& other) {
          return other.id == finding.id && other.about == finding.about;
        });
        if (same == result.findings.end()) result.findings.push_back(std::move(finding));
        else if (finding.severity < same->severity) *same = std::move(finding);
      }
    }
    if (subjects.empty() && !facts.was_looked(rule.each)) result.undecided.push_back({rule.finding, rule.each, facts.why_not(rule.each)});
  }
  if (selection.wants("witnesses-disagree")) disagreements(knowledge, facts, result.findings);
  weigh_symptoms(knowledge, facts, selection, result);
  std::stable_sort(result.findings.begin(), result.findings.end(), [](const Finding& a, const Finding& b) {
    const auto key = [](const Finding& f) { return std::tuple(f.elsewhere, f.severity, !f.certain, f.order); };
    return key(a) != key(b) ? key(a) < key(b) : natural_less(a.subject, b.subject);
  });
  fold_effects(knowledge, result.findings);
  // What was found needs no "undecided" beside it.
  std::set<std::pair<std::string, std::string>> seen;
  std::erase_if(result.undecided, [&](const Undecided& one) {
    const bool raised = std::any_of(result.findings.begin(), result.findings.end(), [&one](const Finding& f) { return f.id == one.id; });
    return raised || !seen.emplace(one.id, one.reason).second;
  });
  return result;
}

std::vector<Trial> trials(const Knowledge& knowledge, const Facts& facts, const std::string& finding) {
  std::vector<Trial> result;
  for (const auto& rule : knowledge.rules())
    if (rule.finding == finding)
      for (const Entity* subject : facts.of(rule.each)) result.push_back(try_rule(rule, facts, *subject));
  return result;
}

}  // namespace gpudoctor
