// SPDX-License-Identifier: Apache-2.0
// What a maintainer asks first of a pasted report: is it the environment, or ours?
#include <algorithm>

#include "formats.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// A finding that answers for the trouble: an error, or a warning that a pasted error text points to.
bool answers(const Finding& finding) {
  const auto pasted = [](const Evidence& one) { return one.key == "symptom.text"; };
  return finding.severity == Severity::error || (finding.severity == Severity::warning && std::any_of(finding.evidence.begin(), finding.evidence.end(), pasted));
}

/// The commands whose output would decide, two at most; for the reporter's system.
std::vector<std::string> questions(const Facts& facts) {
  const Entity* host = facts.find("host");
  const bool windows = host && host->is("system", "windows");
  std::vector<std::string> ask;
  const auto torches = facts.of("torch");
  const bool torch = !torches.empty() && torches.front()->has("version") && torches.front()->has("backend");
  if (!torch && facts.of("framework").empty()) ask.push_back(windows ? "py -m torch.utils.collect_env" : "python -m torch.utils.collect_env");
  const Entity* driver = facts.find("driver");
  if (facts.of("gpu").empty() || !driver || !driver->has("version")) ask.push_back("nvidia-smi");
  if (ask.size() > 2) ask.resize(2);
  return ask;
}

}  // namespace

Ticket ticket_of(const Report& report) {
  Ticket ticket;
  for (const auto& finding : report.judgement.findings)
    if (answers(finding) && !finding.elsewhere) {
      ticket.verdict = "environment", ticket.certain = finding.certain, ticket.finding = &finding;
      ticket.says = finding.message;
      return ticket;
    }
  const auto& all = report.verdicts;
  const bool ready = !all.empty() && std::all_of(all.begin(), all.end(), [](const Verdict& one) { return one.state == Verdict::State::ready; });
  const Facts& facts = *report.facts;
  const auto torches = facts.of("torch");
  const bool on_purpose = !torches.empty() && torches.front()->is("backend", "cpu") && facts.of("gpu").empty();
  if (!ready && !on_purpose) ticket.ask = questions(facts);
  if (ready || on_purpose || ticket.ask.empty()) {
    ticket.verdict = "environment-sound";
    ticket.says = on_purpose ? "This is a CPU build on a machine of which no GPU is reported: nothing is wrong with it."
                             : "Driver, CUDA, PyTorch and GPU go together as far as the report tells: the trouble lies elsewhere.";
    return ticket;
  }
  ticket.verdict = "needs-info";
  ticket.says = "The report does not say enough to decide. Please add the output of: " + joined(ticket.ask, "  and  ");
  return ticket;
}

std::string text_triage(const std::string& name, const Report& report) {
  const Ticket ticket = ticket_of(report);
  std::string line = name + "\t" + report.verdict;
  if (ticket.finding) line += std::string("\t") + (ticket.certain ? "certain" : "likely") + "\t" + ticket.finding->id;
  else line += "\t\t";
  line += "\t" + printable(ticket.says);
  for (char& c : line)
    if (c == '\n') c = ' ';
  return line + "\n";
}

}  // namespace gpudoctor
