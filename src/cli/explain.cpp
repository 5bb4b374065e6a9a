// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <iostream>

#include "judge.hpp"
#include "pipeline.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

const char* mark(Truth truth) { return truth == Truth::yes ? "holds" : truth == Truth::no ? "does not hold" : "undecided"; }

/// One fact of a condition: its value and where it was seen.
std::string value_line(const std::string& key, const Facts& facts, const Entity& subject) {
  const Look look = look_up(key, facts, subject);
  std::string value = look.state == State::known ? look.fact->text : look.state == State::absent ? "absent" : "unknown: " + look.reason;
  if (look.fact && !look.fact->witnesses.empty()) value += "   [" + short_path(look.fact->witnesses.front().source, facts) + "]";
  return fmt::format("        {} = {}\n", key, printable(short_path(value, facts)));
}

std::string text_explanation(const Options& options, const Pipeline& pipeline, const FindingRow& row, const std::vector<Trial>& tried) {
  std::string out = fmt::format("{} ({})\n{}\n\n{}\n", row.id, word(row.severity), row.title, std::string(trim(row.means)));
  if (!row.explains.empty()) out += "\nIt explains, when they come together: " + joined(row.explains, ", ") + "\n";
  out += "\nOn " + std::string(options.from.empty() && options.root.empty() ? "this machine" : options.from + options.root) + ":\n";
  bool any_rule = false;
  for (const auto& rule : pipeline.knowledge().rules()) any_rule = any_rule || rule.finding == row.id;
  if (!any_rule) out += "  no rule of this version looks for it\n";
  else if (tried.empty()) out += "  nothing here that its rules are about\n";
  for (const auto& trial : tried) {
    out += fmt::format("  {} ({}:{}): {}\n", shown(pipeline.facts(), *trial.subject), trial.rule->file, trial.rule->line,
                       trial.truth == Truth::yes ? "raised" : trial.truth == Truth::no ? "not raised" : "undecided");
    for (std::size_t i = 0; i < trial.answers.size(); ++i) {
      const auto& condition = trial.rule->when[i];
      out += fmt::format("    {:<14} {}\n", mark(trial.answers[i].truth), condition.text);
      if (!condition.left_literal) out += value_line(condition.left, pipeline.facts(), *trial.subject);
      if (condition.right_fact) out += value_line(condition.right[0], pipeline.facts(), *trial.subject);
    }
  }
  return printable(out);
}

}  // namespace

int run_explain(const Options& options) {
  Pipeline pipeline(options);
  const FindingRow* row = pipeline.knowledge().finding(options.id);
  if (!row) throw BadInput("'" + options.id + "' is no finding (see `gpudoctor rules list`)");
  pipeline.look();
  const auto tried = trials(pipeline.knowledge(), pipeline.facts(), options.id);
  std::string out = options.format == "json" ? json_explanation(*row, tried, pipeline.facts()) : text_explanation(options, pipeline, *row, tried);
  if (options.format != "json" && !options.no_redact) out = Redactor(pipeline.machine())(std::move(out));
  std::cout << out;
  return 0;
}

}  // namespace gpudoctor
