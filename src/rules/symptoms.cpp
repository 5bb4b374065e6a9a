// SPDX-License-Identifier: Apache-2.0
#include "symptoms.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

struct Symptom {
  const Entity* entity = nullptr;
  const Node* row = nullptr;
  bool verdict = false;
  std::vector<const Node*> candidates;   ///< a text, or a table with `id` and more
};

std::string id_of(const Node& candidate) { return candidate.is_table() ? candidate.get("id") : candidate.text; }

/// What the conditions of a node come to; yes where it has none.
Truth holds(const Node& node, const Facts& facts, const Entity& subject) {
  Truth all = Truth::yes;
  if (!node.is_table()) return all;
  for (const auto& text : node.list("when")) {
    const Truth one = evaluate(parse_condition(text, "symptom"), facts, subject).truth;
    if (one == Truth::no) return one;
    if (one == Truth::unknown) all = one;
  }
  return all;
}

/// Whether measured facts rule a finding out: every rule that leads to it was tried, and none could hold.
bool ruled_out(const Knowledge& knowledge, const Facts& facts, const std::string& id) {
  bool tried = false;
  for (const auto& rule : knowledge.rules()) {
    if (rule.finding != id) continue;
    if (facts.of(rule.each).empty()) return false;
    tried = true;
  }
  const auto all = trials(knowledge, facts, id);
  return tried && std::all_of(all.begin(), all.end(), [](const Trial& trial) { return trial.truth == Truth::no; });
}

std::vector<Symptom> symptoms_of(const Knowledge& knowledge, const Facts& facts) {
  std::vector<Symptom> result;
  const Node* rows = knowledge.table("signatures").find("signature");
  if (!rows) return result;
  for (const Entity* entity : facts.of("symptom"))
    for (const auto& row : rows->items)
      if (row.get("name") == entity->id().key && holds(row, facts, *entity) != Truth::no) {
        Symptom one{entity, &row, row.get("verdict") == "true", {}};
        if (const Node* list = row.find("candidates"))
          for (const auto& candidate : list->items) one.candidates.push_back(&candidate);
        result.push_back(std::move(one));
      }
  // What a component says of itself first; then the text with the fewest causes.
  std::stable_sort(result.begin(), result.end(), [](const Symptom& a, const Symptom& b) {
    return std::pair(!a.verdict, a.candidates.size()) < std::pair(!b.verdict, b.candidates.size());
  });
  return result;
}

Evidence evidence_of(const Symptom& symptom) {
  const Fact& text = *symptom.entity->find("text");
  return {"symptom.text", text.text, text.witnesses.front().source, text.witnesses.front().rank};
}

/// The entity that a finding's rules would bind, where the report knows just one of its kind; else the symptom.
const Entity& subject_of(const Knowledge& knowledge, const Facts& facts, const std::string& id, const Entity& symptom) {
  for (const auto& rule : knowledge.rules())
    if (rule.finding == id)
      if (const auto all = facts.of(rule.each); all.size() == 1) return *all.front();
  return symptom;
}

Finding raised(const Knowledge& knowledge, const Facts& facts, const Symptom& symptom, const Node& candidate, const FindingRow& row) {
  Finding finding;
  const Entity& subject = subject_of(knowledge, facts, row.id, *symptom.entity);
  finding.id = row.id, finding.title = row.title, finding.order = row.order, finding.severity = row.severity;
  if (const auto severity = candidate.get("severity"); candidate.is_table() && !severity.empty()) {
    finding.severity = severity == "error" ? Severity::error : severity == "warning" ? Severity::warning : Severity::note;
    finding.because = "by the error text";
  }
  finding.certain = false;
  const bool own = &subject != symptom.entity;
  finding.subject = own ? shown(facts, subject) : "the reported machine";
  finding.message = candidate.is_table() && candidate.find("says") ? filled(candidate.get("says"), facts, *symptom.entity)
                    : own                                         ? filled(row.says, facts, subject)
                                                                  : row.title + ".";
  if (contains(finding.message, "unknown") || contains(finding.message, " none ")) finding.message = row.title + ".";
  for (const Id& id : {subject.id(), symptom.entity->id()})
    if (std::find(finding.about.begin(), finding.about.end(), id) == finding.about.end()) finding.about.push_back(id);
  for (const auto& rule : knowledge.rules())
    if (rule.finding == row.id) {
      finding.actions = rule.fix, finding.refs = rule.refs;
      break;
    }
  finding.evidence.push_back(evidence_of(symptom));
  return finding;
}

}  // namespace

void weigh_symptoms(const Knowledge& knowledge, const Facts& facts, const Selection& selection, Judgement& judgement) {
  auto& findings = judgement.findings;
  for (const Symptom& symptom : symptoms_of(knowledge, facts)) {
    bool explained = false;
    for (auto& finding : findings) {
      if (finding.severity == Severity::note) continue;
      const auto names = [&](const Node* candidate) { return id_of(*candidate) == finding.id; };
      if (std::none_of(symptom.candidates.begin(), symptom.candidates.end(), names)) continue;
      finding.evidence.push_back(evidence_of(symptom));
      explained = true;
    }
    const auto accounts = symptom.row->list("explained-by");   // other findings after which this text is no riddle
    for (const auto& finding : findings)
      explained = explained || (finding.severity != Severity::note && std::find(accounts.begin(), accounts.end(), finding.id) != accounts.end());
    if (explained) continue;
    std::vector<const Node*> left, undecided;
    for (const Node* candidate : symptom.candidates) {
      const auto id = id_of(*candidate);
      if (!selection.wants(id) || !knowledge.finding(id)) continue;
      const Truth truth = holds(*candidate, facts, *symptom.entity);
      if (truth == Truth::no || (!symptom.verdict && ruled_out(knowledge, facts, id))) continue;
      (truth == Truth::yes ? left : undecided).push_back(candidate);
    }
    left.insert(left.end(), undecided.begin(), undecided.end());   // what may be so comes after what is not in question
    if (left.empty()) continue;
    Finding finding = raised(knowledge, facts, symptom, *left.front(), *knowledge.finding(id_of(*left.front())));
    for (std::size_t i = 1; i < left.size(); ++i) finding.alternatives.push_back(id_of(*left[i]));
    findings.push_back(std::move(finding));
  }
}

}  // namespace gpudoctor
