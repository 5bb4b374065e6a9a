// SPDX-License-Identifier: Apache-2.0
// The only file that includes toml++.
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "gpudoctor/node.hpp"

namespace gpudoctor {
namespace {

Node convert(const toml::node& from) {
  Node node;
  node.line = static_cast<int>(from.source().begin.line);
  node.column = static_cast<int>(from.source().begin.column);
  if (const auto* table = from.as_table()) {
    node.form = Node::Form::table;
    for (const auto& [key, value] : *table) node.fields.emplace_back(std::string(key.str()), convert(value));
    // toml++ orders keys by name; the document's own order is what people meant.
    std::stable_sort(node.fields.begin(), node.fields.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second.line, a.second.column) < std::pair(b.second.line, b.second.column);
    });
  } else if (const auto* array = from.as_array()) {
    node.form = Node::Form::list;
    for (const auto& item : *array) node.items.push_back(convert(item));
  } else if (const auto* text = from.as_string()) {
    node.form = Node::Form::text;
    node.text = text->get();
  } else if (const auto* flag = from.as_boolean()) {
    node.form = Node::Form::flag;
    node.text = flag->get() ? "true" : "false";
  } else {
    node.form = from.is_number() ? Node::Form::number : Node::Form::date;
    std::ostringstream written;
    from.visit([&](const auto& value) {
      if constexpr (toml::is_value<decltype(value)>) written << value.get();
    });
    node.text = written.str();
  }
  return node;
}

}  // namespace

Node parse_toml(std::string_view text, const std::string& name) {
  try {
    return convert(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    throw BadDocument(name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + std::string(error.description()));
  }
}

}  // namespace gpudoctor
