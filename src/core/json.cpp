// SPDX-License-Identifier: Apache-2.0
// JSON of other programs' configuration, as Nodes. Comments are taken, as those programs take them.
#include <nlohmann/json.hpp>

#include "gpudoctor/node.hpp"

namespace gpudoctor {
namespace {

using Json = nlohmann::ordered_json;

Node convert(const Json& from, int depth) {
  Node node;
  if (depth > 64) throw BadDocument("nested too deep");
  if (from.is_object()) {
    node.form = Node::Form::table;
    for (const auto& [key, value] : from.items()) node.fields.emplace_back(key, convert(value, depth + 1));
  } else if (from.is_array()) {
    node.form = Node::Form::list;
    for (const auto& item : from) node.items.push_back(convert(item, depth + 1));
  } else if (from.is_string()) {
    node.form = Node::Form::text;
    node.text = from.get<std::string>();
  } else {
    node.form = from.is_boolean() ? Node::Form::flag : Node::Form::number;
    node.text = from.dump();
  }
  return node;
}

}  // namespace

Node parse_json(std::string_view text, const std::string& name) {
  try {
    return convert(Json::parse(text, nullptr, true, true), 0);
  } catch (const std::exception& error) {
    throw BadDocument(name + ": " + error.what());
  }
}

}  // namespace gpudoctor
