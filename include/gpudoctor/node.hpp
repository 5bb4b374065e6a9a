// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpudoctor/result.hpp"

namespace gpudoctor {

/// A piece of a TOML document, with its place. Numbers, dates and flags keep their text.
struct Node {
  enum class Form : unsigned char { text, number, flag, date, list, table };
  Form form = Form::table;
  std::string text;
  std::vector<Node> items;                                ///< of a list
  std::vector<std::pair<std::string, Node>> fields;       ///< of a table, in the order of the document
  int line = 0, column = 0;

  const Node* find(std::string_view key) const;
  /// The text of a field, or the default when there is none.
  std::string get(std::string_view key, std::string_view otherwise = {}) const;
  /// The texts of a list field; a single text counts as a list of one.
  std::vector<std::string> list(std::string_view key) const;
  bool is_table() const { return form == Form::table; }
  bool is_list() const { return form == Form::list; }
};

/// A document that cannot be used; what() is "file:line:column: what is wrong".
class BadDocument : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void bad(const std::string& file, const Node& where, const std::string& says);

/// Parses TOML (toml++ inside). Throws BadDocument.
Node parse_toml(std::string_view text, const std::string& name);

/// Parses JSON (nlohmann/json inside); its Nodes have no places. Throws BadDocument.
Node parse_json(std::string_view text, const std::string& name);

/// A flat, compact form for embedding: read_digest(write_digest(x)) equals x, places included.
std::string write_digest(const Node& node);
Node read_digest(std::string_view bytes);
bool operator==(const Node& a, const Node& b);

/// A TOML string literal, quoted and escaped.
std::string toml_quote(std::string_view text);

}  // namespace gpudoctor
