// SPDX-License-Identifier: Apache-2.0
// The report as JSON. The schema's fields are those of tests/schema.json; a field is never renamed.
#include <nlohmann/json.hpp>

#include "formats.hpp"
#include "judge.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

using Json = nlohmann::ordered_json;
constexpr int schema = 1;

Json fact_json(const Fact& fact) {
  Json json;
  constexpr const char* states[] = {"known", "absent", "unknown"};
  json["state"] = states[static_cast<int>(fact.state)];
  if (fact.known()) {
    if (!fact.list.empty()) json["value"] = fact.list;
    else json["value"] = fact.text;
    if (!fact.sure) json["sure"] = false;
  }
  if (fact.state == State::unknown) json["reason"] = fact.reason;
  for (const auto& witness : fact.witnesses) {
    Json one{{"rank", word(witness.rank)}, {"source", witness.source}};
    if (witness.line > 0) one["line"] = witness.line;
    if (witness.value != fact.text) one["value"] = witness.value;
    json["witnesses"].push_back(std::move(one));
  }
  return json;
}

Json facts_json(const Facts& facts) {
  Json all = Json::array();
  for (const Entity* entity : facts.all()) {
    Json one{{"kind", entity->id().kind}, {"key", entity->id().key}};
    for (const auto& [name, fact] : entity->facts()) one["facts"][name] = fact_json(fact);
    all.push_back(std::move(one));
  }
  return all;
}

std::string what(const Evidence& evidence) {
  std::string label = evidence.key.substr(evidence.key.find('.') + 1);
  return replaced(label, "_", " ") + " " + evidence.value;
}

Json finding_json(const Finding& finding) {
  Json json{{"id", finding.id},           {"severity", word(finding.severity)}, {"certainty", finding.certain ? "certain" : "likely"},
            {"subject", finding.subject}, {"title", finding.title},             {"message", finding.message}};
  if (finding.elsewhere) json["elsewhere"] = true;
  if (!finding.because.empty()) json["because"] = finding.because;
  json["evidence"] = Json::array();
  for (const auto& one : finding.evidence)
    json["evidence"].push_back({{"what", what(one)}, {"source", one.source}, {"fact", one.key}, {"rank", word(one.rank)}});
  json["effects"] = Json::array();
  for (const auto& one : finding.effects)
    json["effects"].push_back({{"id", one.id}, {"subject", one.subject}, {"severity", word(one.severity)}, {"message", one.message}});
  json["fixes"] = Json::array();
  for (const auto& fix : finding.fixes) {
    Json one{{"title", fix.title}, {"commands", fix.commands}, {"risk", fix.risk}, {"action", fix.action}, {"needs", fix.needs}};
    if (!fix.said.empty()) one["says"] = fix.said;
    if (!fix.verify.empty()) one["verify"] = fix.verify;
    if (!fix.undo.empty()) one["undo"] = fix.undo;
    json["fixes"].push_back(std::move(one));
  }
  json["refs"] = finding.refs;
  if (!finding.alternatives.empty()) json["alternatives"] = finding.alternatives;
  return json;
}

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string json_report(const Report& report) {
  Json json{{"schema", schema},
            {"tool", {{"name", "gpudoctor"}, {"version", report.tool_version}}},
            {"matrix", {{"date", report.matrix_date}, {"local_rows", report.local_rows}, {"local_rules", report.local_rules}}},
            {"verdict", report.verdict},
            {"exit", report.exit_code}};
  if (!report.ask.empty()) json["ask"] = report.ask;
  json["verdicts"] = Json::array();
  for (const auto& one : report.verdicts)
    json["verdicts"].push_back({{"state", word(one.state)}, {"torch", one.torch.key}, {"gpu", one.gpu.key}, {"framework", one.framework.key}, {"shown", one.shown}, {"why", one.why}, {"active", one.active}});
  json["findings"] = Json::array();
  for (const auto& finding : report.judgement.findings) json["findings"].push_back(finding_json(finding));
  json["undecided"] = Json::array();
  for (const auto& one : report.judgement.undecided) json["undecided"].push_back({{"id", one.id}, {"subject", one.subject}, {"reason", one.reason}});
  json["undecided_groups"] = Json::array();
  for (const auto& group : grouped(report.judgement.undecided))
    json["undecided_groups"].push_back({{"reason", group.reason}, {"ids", group.ids}, {"command", group.command}});
  json["plan"] = Json::array();
  for (const auto& fix : report.plan) json["plan"].push_back({{"action", fix.action}, {"title", fix.title}, {"risk", fix.risk}, {"commands", fix.commands}});
  json["facts"] = facts_json(*report.facts);
  json["run"] = {{"milliseconds", report.milliseconds}};
  return dumped(json);
}

std::string json_triage(const std::string& name, const Report& report) {
  const Ticket ticket = ticket_of(report);
  Json json{{"file", name}, {"verdict", report.verdict}};
  if (ticket.finding) json["certainty"] = ticket.certain ? "certain" : "likely", json["finding"] = ticket.finding->id;
  json["says"] = ticket.says;
  if (!ticket.ask.empty()) json["ask"] = ticket.ask;
  json["findings"] = Json::array();
  for (const auto& finding : report.judgement.findings)
    if (finding.severity != Severity::note) json["findings"].push_back({{"id", finding.id}, {"severity", word(finding.severity)}, {"certainty", finding.certain ? "certain" : "likely"}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_facts(const Facts& facts) { return dumped({{"schema", schema}, {"facts", facts_json(facts)}}); }

std::string json_explanation(const FindingRow& row, const std::vector<Trial>& trials, const Facts& facts) {
  const auto state = [](Truth truth, const char* yes, const char* no) { return truth == Truth::yes ? yes : truth == Truth::no ? no : "undecided"; };
  Json json{{"schema", schema}, {"id", row.id}, {"severity", word(row.severity)}, {"title", row.title}, {"means", std::string(trim(row.means))}, {"explains", row.explains}};
  json["trials"] = Json::array();
  for (const auto& trial : trials) {
    Json one{{"subject", shown(facts, *trial.subject)}, {"rule", trial.rule->file + ":" + std::to_string(trial.rule->line)}, {"state", state(trial.truth, "raised", "not-raised")}};
    one["conditions"] = Json::array();
    for (std::size_t i = 0; i < trial.answers.size(); ++i) {
      const auto& condition = trial.rule->when[i];
      Json said{{"text", condition.text}, {"state", state(trial.answers[i].truth, "holds", "does-not-hold")}};
      const auto value = [&](const std::string& key) {
        const Look look = look_up(key, facts, *trial.subject);
        Json fact{{"fact", key}, {"state", look.state == State::known ? "known" : look.state == State::absent ? "absent" : "unknown"}};
        if (look.state == State::known) fact["value"] = look.fact->text;
        if (look.state == State::unknown) fact["reason"] = look.reason;
        if (look.fact && !look.fact->witnesses.empty()) fact["source"] = look.fact->witnesses.front().source;
        said["facts"].push_back(std::move(fact));
      };
      said["facts"] = Json::array();
      if (!condition.left_literal) value(condition.left);
      if (condition.right_fact) value(condition.right[0]);
      one["conditions"].push_back(std::move(said));
    }
    json["trials"].push_back(std::move(one));
  }
  return dumped(json);
}

std::string json_recommendation(const Recommendation& one) {
  Json json{{"schema", schema}, {"product", one.product}, {"matrix", one.matrix_date}, {"machine", one.machine}, {"found", one.found()}};
  if (one.found()) {
    json["version"] = one.version;
    if (!one.tag.empty()) json["tag"] = one.tag;
    if (!one.cuda.empty()) json["cuda"] = one.cuda;
    if (!one.channel.empty()) json["channel"] = one.channel;
    json["certainty"] = one.sure ? "certain" : "likely";
    json["commands"] = one.commands;
  } else {
    json["why"] = one.none;
    json["help"] = one.help;
  }
  json["refused"] = Json::array();
  for (const auto& no : one.refused)
    json["refused"].push_back({{"release", no.release}, {"tag", no.tag}, {"because", word(no.bar)}, {"why", no.why}, {"fact", no.fact}, {"row", no.row}});
  json["notes"] = one.notes;
  return dumped(json);
}

}  // namespace gpudoctor
