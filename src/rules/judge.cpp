// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <algorithm>
#include <set>
#include <tuple>

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
  for (const auto& id : finding.about)   // a torch that another one shadows is as far away as another environment
    if (const Entity* one = id.kind == "env" || id.kind == "torch" ? facts.find(id) : nullptr; one && one->is("active", "no")) finding.elsewhere = true;
  return finding;
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
