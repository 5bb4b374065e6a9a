// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <iostream>
#include <set>

#include "embedded.hpp"
#include "local_rules.hpp"
#include "pipeline.hpp"
#include "rule_files.hpp"

namespace gpudoctor {

int run_rules_list(const Options& options) {
  const Knowledge knowledge = load_knowledge(options);
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

namespace {

/// A whole folder like rules/ is checked by itself, anything else as what is laid over the built-in rules.
std::vector<std::string> faults_of_own(const std::string& path, std::string& counted) {
  auto base = unfold(embedded_knowledge());
  std::vector<std::string> faults;
  LocalCount count;
  const auto files = read_local(path);
  for (const auto& [name, document] : files) {
    const auto found = name.ends_with("/findings.toml") ? verify({{"findings.toml", document}}) : verify_local(base, name, document);
    faults.insert(faults.end(), found.begin(), found.end());
    if (!found.empty() || name.ends_with("/findings.toml")) continue;
    const auto one = lay_over(base, name, document);
    count.rows += one.rows, count.rules += one.rules;
  }
  counted = fmt::format("{} file{}, {} rows, {} rules: no fault\n", files.size(), files.size() == 1 ? "" : "s", count.rows, count.rules);
  return faults;
}

}  // namespace

int run_rules_verify(const Options& options) {
  try {
    std::vector<std::string> faults;
    std::string counted;
    if (open_live()->info(options.path + "/findings.toml")) {
      const auto documents = read_rule_folder(options.path);
      for (const auto& fault : verify(documents)) faults.push_back(options.path + "/" + fault);
      const Knowledge knowledge(documents);
      counted = fmt::format("{} findings, {} rules, {} actions, {} tables: no fault\n", knowledge.findings().size(), knowledge.rules().size(),
                            knowledge.actions().size(), knowledge.table_names().size());
    } else {
      faults = faults_of_own(options.path, counted);
    }
    for (const auto& fault : faults) std::cerr << fault << "\n";
    if (faults.empty()) std::cout << counted;
    return faults.empty() ? 0 : 1;
  } catch (const std::runtime_error& error) {
    throw BadInput(error.what());
  }
}

int run_rules_info(const Options& options) {
  LocalCount local;
  const Knowledge knowledge = load_knowledge(options, &local);
  const bool json = options.format == "json";
  std::string out = fmt::format(fmt::runtime(json ? "{{\n  \"date\": \"{}\", \"findings\": {}, \"rules\": {}, \"actions\": {}, \"local_rows\": {}, \"local_rules\": {},\n  \"tables\": [\n"
                                     : "matrix {}: {} findings, {} rules, {} actions; laid over it: {} rows, {} rules\n\n"),
                                knowledge.date(), knowledge.findings().size(), knowledge.rules().size(), knowledge.actions().size(), local.rows, local.rules);
  if (!json) out += fmt::format("{:<12} {:>5}  {:<10}  {:>7}  {}\n", "table", "rows", "date", "sources", "not listed means");
  bool first = true;
  for (const auto& name : knowledge.table_names()) {
    const Node& table = knowledge.table(name);
    std::size_t rows = 0;
    for (const auto& [key, list] : table.fields)
      if (list.is_list() && !list.items.empty() && list.items.front().is_table()) rows += list.items.size();
    const Node* sources = table.find("source");
    const auto count = sources ? sources->fields.size() : 0;
    if (json) out += fmt::format("{}    {{\"table\": \"{}\", \"rows\": {}, \"date\": \"{}\", \"sources\": {}, \"unlisted\": {}}}", first ? "" : ",\n", name, rows,
                                 table.get("date"), count, toml_quote(table.get("unlisted")));
    else out += fmt::format("{:<12} {:>5}  {:<10}  {:>7}  {}\n", name, rows, table.get("date"), count, table.get("unlisted"));
    first = false;
  }
  std::cout << out << (json ? "\n  ]\n}\n" : "");
  return 0;
}

}  // namespace gpudoctor
