// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "gpudoctor/recommendation.hpp"
#include "gpudoctor/report.hpp"
#include "judge.hpp"
#include "knowledge.hpp"

namespace gpudoctor {

/// How text is shown: found out once, at the edge.
struct Style {
  bool colour = false;
  bool utf8 = true;      ///< else ASCII only
  int verbose = 0;       ///< 1: notes and every undecided check; 2: every witness
  std::size_t width = 80;
};

/// One verdict for every PyTorch and GPU that belong together, active environment first.
std::vector<Verdict> verdicts(const Facts& facts, const Judgement& judgement);
/// environment, environment-sound or needs-info.
std::string overall(const Facts& facts, const Judgement& judgement, const std::vector<Verdict>& verdicts);

/// What a maintainer asks first of a pasted report: is it the environment, or ours?
struct Ticket {
  std::string verdict;               ///< environment, environment-sound or needs-info
  bool certain = true;               ///< of `environment`: certain, else likely
  const Finding* finding = nullptr;  ///< of `environment`: the one that comes first
  std::string says;                  ///< the same as a sentence
  std::vector<std::string> ask;      ///< of `needs-info`: commands whose output would decide
};
Ticket ticket_of(const Report& report);

std::string text_report(const Report& report, const Style& style);
/// One report of many on one line: name, verdict, finding, sentence.
std::string text_triage(const std::string& name, const Report& report);
std::string json_triage(const std::string& name, const Report& report);
std::string json_report(const Report& report);
std::string text_recommendation(const Recommendation& recommendation, const Style& style);
std::string json_recommendation(const Recommendation& recommendation);
/// What a finding means, and how every condition of its rules stands here, for `gpudoctor explain`.
std::string json_explanation(const FindingRow& row, const std::vector<Trial>& trials, const Facts& facts);
/// Facts alone, for `gpudoctor facts`.
std::string text_facts(const Facts& facts, const Style& style);
std::string json_facts(const Facts& facts);

/// Undecided checks by reason, most first, with the command that would decide them (empty where none is known).
struct UndecidedGroup {
  std::string reason, command;
  std::vector<std::string> ids;
};
std::vector<UndecidedGroup> grouped(const std::vector<Undecided>& undecided);

}  // namespace gpudoctor
