// SPDX-License-Identifier: Apache-2.0
// Rows and rules of one's own, laid over those that are built in.
#include "local.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

using Keys = std::vector<std::string>;

/// What tells a row from another: the first field of its list, but for these.
Keys keys_of(const std::string& list, const Node& rows) {
  static const std::map<std::string, Keys> several{
      {"cuda/level", {"cuda", "branch"}},         {"framework/release", {"framework", "versions"}},
      {"framework/archs", {"framework", "versions", "cuda"}}, {"gpu/nvidia", {"id"}},
      {"gpu/amd", {"id", "names"}},               {"jetson/torch", {"jetpack", "python", "torch"}},
      {"libtorch/archive", {"to", "on"}},         {"torch/conda-forge", {"torch", "cuda"}},
      {"torch/wheels", {"from", "to"}}};
  if (const auto found = several.find(list); found != several.end()) return found->second;
  if (rows.items.empty() || rows.items.front().fields.empty()) return {};
  return {rows.items.front().fields.front().first};
}

std::string key(const Node& row, const Keys& keys) {
  std::string text;
  for (const auto& name : keys) text += joined(row.list(name), " ") + "\n";
  return text;
}

bool rows_list(const Node& node) { return node.is_list() && !node.items.empty() && node.items.front().is_table(); }

Node* field(Node& node, std::string_view name) {
  for (auto& [other, value] : node.fields)
    if (other == name) return &value;
  return nullptr;
}

/// Adds or replaces; lists of rows inside a replaced row (a release's variants) are merged in the same way.
void merge(const std::string& list, Node& base, const Node& more) {
  const auto keys = keys_of(list, base.items.empty() ? more : base);
  for (const auto& row : more.items) {
    const auto same = [&](const Node& other) { return key(other, keys) == key(row, keys); };
    const auto found = std::find_if(base.items.begin(), base.items.end(), same);
    if (found == base.items.end()) {
      base.items.push_back(row);
      continue;
    }
    Node merged = row;
    for (const auto& [name, value] : found->fields) {
      if (!rows_list(value)) continue;
      Node* own = field(merged, name);
      if (!own) merged.fields.emplace_back(name, value);
      else if (rows_list(*own)) {
        Node all = value;
        merge(list + "/" + name, all, *own);
        *own = std::move(all);
      }
    }
    *found = std::move(merged);
    base.items.erase(std::remove_if(found + 1, base.items.end(), same), base.items.end());
  }
}

/// A local source keeps its own name beside a built-in one that is called the same.
void rename_sources(Node& node, const Node& sources) {
  for (auto& [name, value] : node.fields) {
    if (name == "source") {
      if (!value.is_list() && sources.find(value.text)) value.text = "local " + value.text;
      for (auto& item : value.items)
        if (sources.find(item.text)) item.text = "local " + item.text;
    }
    for (auto& item : value.items)
      if (item.is_table()) rename_sources(item, sources);
  }
}

Node& part(Node& document, const std::string& name) {
  if (Node* found = field(document, name)) return *found;
  return document.fields.emplace_back(name, Node{}).second;
}

}  // namespace

std::string local_table(const std::string& path, const Node& document) {
  if (auto name = document.get("table"); !name.empty()) return name;
  const auto pieces = split(path, '/');
  const bool in_tables = pieces.size() > 1 && pieces[pieces.size() - 2] == "tables" && pieces.back().ends_with(".toml");
  return in_tables ? std::string(pieces.back().substr(0, pieces.back().size() - 5)) : std::string();
}

LocalCount lay_over(Knowledge::Documents& base, const std::string& path, const Node& document) {
  LocalCount count;
  Node rules;
  for (const auto& [name, value] : document.fields) {
    if (name == "rule") {
      rules.fields.emplace_back(name, value);
      count.rules += static_cast<int>(value.items.size());
    } else if (name == "finding") {
      for (const auto& [id, row] : value.fields) part(base["findings.toml"], id) = row;
    } else if (name == "action") {
      for (const auto& [id, row] : value.fields) part(part(base["actions/local.toml"], "action"), id) = row;
    }
  }
  if (!rules.fields.empty()) base.emplace("./" + path, std::move(rules));
  const auto table = local_table(path, document);
  if (table.empty()) return count;
  Node& target = base["tables/" + table + ".toml"];
  Node own = document;
  const Node sources = document.find("source") ? *document.find("source") : Node{};
  rename_sources(own, sources);
  for (const auto& [name, text] : sources.fields) part(part(target, "source"), "local " + name) = text;
  for (const auto& [name, rows] : own.fields) {
    if (!rows_list(rows) || name == "rule") continue;
    count.rows += static_cast<int>(rows.items.size());
    Node& list = part(target, name);
    list.form = Node::Form::list;
    merge(table + "/" + name, list, rows);
  }
  return count;
}

}  // namespace gpudoctor
