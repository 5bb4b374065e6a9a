// SPDX-License-Identifier: Apache-2.0
#include "gpudoctor/node.hpp"

namespace gpudoctor {

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, node] : fields)
    if (name == key) return &node;
  return nullptr;
}

std::string Node::get(std::string_view key, std::string_view otherwise) const {
  const Node* node = find(key);
  return node && node->items.empty() && node->fields.empty() && !node->is_list() ? node->text : std::string(otherwise);
}

std::vector<std::string> Node::list(std::string_view key) const {
  std::vector<std::string> result;
  const Node* node = find(key);
  if (!node) return result;
  if (!node->is_list()) return {node->text};
  for (const auto& item : node->items) result.push_back(item.text);
  return result;
}

void bad(const std::string& file, const Node& where, const std::string& says) {
  throw BadDocument(file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) + ": " + says);
}

bool operator==(const Node& a, const Node& b) {
  return a.form == b.form && a.text == b.text && a.line == b.line && a.column == b.column && a.items == b.items && a.fields == b.fields;
}

std::string toml_quote(std::string_view text) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\', result += c;
    else if (c == '\n') result += "\\n";
    else if (c == '\t') result += "\\t";
    else if (c == '\r') result += "\\r";
    else if (byte < 0x20 || byte == 0x7F) result += "\\u00", result += hex[byte >> 4], result += hex[byte & 15];
    else result += c;
  }
  return result + '"';
}

}  // namespace gpudoctor
