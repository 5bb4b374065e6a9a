// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "condition.hpp"
#include "gpudoctor/finding.hpp"
#include "gpudoctor/node.hpp"

namespace gpudoctor {

/// A row of rules/findings.toml: the one owner of severity, order, what explains what, and all sentences.
struct FindingRow {
  std::string id, title, says, means;
  Severity severity = Severity::error;
  std::vector<std::string> explains;
  int order = 0;
};

/// A [[rule]] of rules/*.toml.
struct Rule {
  std::string finding, each, because, file;
  int line = 0;
  Severity severity = Severity::error;
  std::vector<Condition> when;
  std::vector<std::string> evidence, fix, refs;
  std::vector<Node> fires, quiet;
};

/// An [action.NAME] of rules/actions/*.toml; its commands are kept as they stand.
struct Action {
  std::string name;
  Node node;
};

/// All that the product knows: rows, rules and actions. Loading checks nothing but form; `verify` does the rest.
class Knowledge {
 public:
  /// Documents by name: "findings.toml", "torch.toml", "tables/cuda.toml", "actions/driver.toml".
  using Documents = std::map<std::string, Node>;
  explicit Knowledge(const Documents& documents);
  /// From the digest that the build embeds; a table is expanded when first asked for.
  static Knowledge from_digest(std::string_view bytes);

  const std::vector<FindingRow>& findings() const { return findings_; }
  const FindingRow* finding(std::string_view id) const;
  const std::vector<Rule>& rules() const { return rules_; }
  const std::map<std::string, Action>& actions() const { return actions_; }
  /// A table by its file's name ("cuda"); an empty one when there is none.
  const Node& table(const std::string& name) const;
  std::vector<std::string> table_names() const;
  /// The newest date of its tables, YYYY-MM-DD.
  const std::string& date() const { return date_; }

 private:
  Knowledge() = default;
  void take(const std::string& name, const Node& document);
  void finish();
  std::vector<FindingRow> findings_;
  std::vector<Rule> rules_;
  std::map<std::string, Action> actions_;
  std::string date_;
  mutable std::map<std::string, Node> tables_;
  mutable std::map<std::string, std::string> folded_;   // tables that were not asked for yet
};

/// A document of rules without their examples: they are for the tests and the reader, and cost time at every start.
Node without_examples(Node document);
/// The digest of a set of documents (rules without their examples), and its inverse.
std::string fold(const Knowledge::Documents& documents);
Knowledge::Documents unfold(std::string_view bytes);

/// Every fault of a set of documents, as "file:line:column: …": unknown keys, ids, facts, actions; missing sources,
/// sentences or examples. Empty when there is none.
std::vector<std::string> verify(const Knowledge::Documents& documents);

}  // namespace gpudoctor
