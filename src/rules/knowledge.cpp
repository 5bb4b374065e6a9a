// SPDX-License-Identifier: Apache-2.0
#include "knowledge.hpp"

#include <algorithm>
#include <stdexcept>

namespace gpudoctor {

const char* word(Severity severity) {
  constexpr const char* words[] = {"error", "warning", "note"};
  return words[static_cast<int>(severity)];
}

namespace {

Severity severity_of(const std::string& file, const Node& node, const std::string& text) {
  if (text == "error") return Severity::error;
  if (text == "warning") return Severity::warning;
  if (text == "note") return Severity::note;
  bad(file, node, "severity should be error, warning or note");
}

/// "cuda" of "tables/cuda.toml"; the error texts are asked for by name too. Empty for any other document.
std::string table_name(const std::string& name) {
  if (name == "signatures.toml") return "signatures";
  return name.starts_with("tables/") ? name.substr(7, name.size() - 12) : std::string();
}

}  // namespace

Knowledge::Knowledge(const Documents& documents) {
  for (const auto& [name, document] : documents) take(name, document);
  finish();
}

Knowledge Knowledge::from_digest(std::string_view bytes) {
  Knowledge knowledge;
  for (auto& [name, value] : read_digest(bytes).fields) {
    if (name == "date") knowledge.date_ = value.text;
    else if (const auto table = table_name(name); !table.empty()) knowledge.folded_.emplace(table, std::move(value.text));
    else knowledge.take(name, read_digest(value.text));
  }
  knowledge.finish();
  return knowledge;
}

void Knowledge::take(const std::string& name, const Node& document) {
  if (const auto table = table_name(name); !table.empty()) {
    date_ = std::max(date_, document.get("date"));
    tables_.emplace(table, document);
  } else if (name.starts_with("actions/")) {
    if (const Node* all = document.find("action"))
      for (const auto& [key, node] : all->fields) actions_.emplace(key, Action{key, node});
  } else if (name == "findings.toml") {
    for (const auto& [id, node] : document.fields) {
      FindingRow row{id, node.get("title"), node.get("says"), node.get("means"), severity_of(name, node, node.get("severity")), node.list("explains"), 0};
      row.order = static_cast<int>(findings_.size());
      findings_.push_back(std::move(row));
    }
  } else if (const Node* all = document.find("rule")) {
    for (const auto& node : all->items) {
      Rule rule;
      rule.finding = node.get("finding"), rule.each = node.get("each"), rule.because = node.get("because");
      rule.file = name, rule.line = node.line;
      rule.severity = node.find("severity") ? severity_of(name, node, node.get("severity")) : Severity::error;
      if (!node.find("severity")) rule.because = "=";   // replaced by the catalogue's in finish()
      for (const auto& text : node.list("when")) {
        try {
          rule.when.push_back(parse_condition(text, rule.each));
        } catch (const std::invalid_argument& error) {
          bad(name, *node.find("when"), "when \"" + text + "\": " + error.what());
        }
      }
      for (const auto& key : node.list("evidence")) rule.evidence.push_back(key.find('.') == std::string::npos ? rule.each + "." + key : key);
      rule.fix = node.list("fix"), rule.refs = node.list("refs");
      if (const Node* fires = node.find("fires")) rule.fires = fires->items;
      if (const Node* quiet = node.find("quiet")) rule.quiet = quiet->items;
      rules_.push_back(std::move(rule));
    }
  }
}

void Knowledge::finish() {
  for (auto& rule : rules_) {
    if (rule.because != "=") continue;
    rule.because.clear();
    if (const auto* row = finding(rule.finding)) rule.severity = row->severity;
  }
}

const FindingRow* Knowledge::finding(std::string_view id) const {
  const auto found = std::find_if(findings_.begin(), findings_.end(), [id](const auto& row) { return row.id == id; });
  return found == findings_.end() ? nullptr : &*found;
}

const Node& Knowledge::table(const std::string& name) const {
  if (const auto folded = folded_.find(name); folded != folded_.end()) {
    tables_.emplace(name, read_digest(folded->second));
    folded_.erase(folded);
  }
  return tables_[name];
}

std::vector<std::string> Knowledge::table_names() const {
  std::vector<std::string> names;
  for (const auto& [name, node] : tables_) names.push_back(name);
  for (const auto& [name, bytes] : folded_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

Node without_examples(Node document) {
  for (auto& [key, list] : document.fields)
    for (auto& rule : list.items) std::erase_if(rule.fields, [](const auto& field) { return field.first == "fires" || field.first == "quiet"; });
  return document;
}

std::string fold(const Knowledge::Documents& documents) {
  Node all;
  std::string date;
  for (const auto& [name, document] : documents) {
    if (name.starts_with("tables/")) date = std::max(date, document.get("date"));
    Node text;
    text.form = Node::Form::text;
    text.text = write_digest(document.find("rule") || document.find("signature") ? without_examples(document) : document);
    all.fields.emplace_back(name, std::move(text));
  }
  Node text;
  text.form = Node::Form::text;
  text.text = date;
  all.fields.emplace_back("date", std::move(text));
  return write_digest(all);
}

Knowledge::Documents unfold(std::string_view bytes) {
  Knowledge::Documents documents;
  for (const auto& [name, value] : read_digest(bytes).fields)
    if (name != "date") documents.emplace(name, read_digest(value.text));
  return documents;
}

}  // namespace gpudoctor
