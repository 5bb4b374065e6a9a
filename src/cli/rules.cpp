// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <iostream>
#include <set>

#include "pipeline.hpp"
#include "rule_files.hpp"

namespace gpudoctor {

int run_rules_list(const Options& options) {
  const Knowledge knowledge = [&] {
    try {
      return load_knowledge(options.rules);
    } catch (const std::runtime_error& error) {
      throw BadInput(error.what());
    }
  }();
  std::set<std::string> with_rule;
  for (const auto& rule : knowledge.rules()) with_rule.insert(rule.finding);
  if (options.format == "json") std::cout << "[\n";
  bool first = true;
  for (const auto& row : knowledge.findings()) {
    const bool has = with_rule.contains(row.id);
    if (options.format == "json")
      std::cout << (first ? "" : ",\n") << fmt::format("  {{\"id\": {}, \"severity\": \"{}\", \"title\": {}, \"rule\": {}}}", toml_quote(row.id), word(row.severity), toml_quote(row.title), has);
    else
      std::cout << fmt::format("{:<36} {:<8} {}{}\n", row.id, word(row.severity), row.title, has ? "" : "  (no rule yet)");
    first = false;
  }
  if (options.format == "json") std::cout << "\n]\n";
  return 0;
}

int run_rules_verify(const Options& options) {
  try {
    const auto documents = read_rule_folder(options.path);
    const auto faults = verify(documents);
    for (const auto& fault : faults) std::cerr << options.path << "/" << fault << "\n";
    if (!faults.empty()) return 1;
    const Knowledge knowledge(documents);
    std::cout << fmt::format("{} findings, {} rules, {} actions, {} tables: no fault\n", knowledge.findings().size(), knowledge.rules().size(),
                             knowledge.actions().size(), knowledge.table_names().size());
    return 0;
  } catch (const std::runtime_error& error) {
    throw BadInput(error.what());
  }
}

}  // namespace gpudoctor
