// SPDX-License-Identifier: Apache-2.0
// Loading is the lint: what a rule, a finding, an action or a table says must exist and be complete.
#include <algorithm>
#include <set>

#include "knowledge.hpp"
#include "local.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

class Lint {
 public:
  explicit Lint(const Knowledge::Documents& documents, bool examples = true) : documents_(documents), examples_(examples) {
    for (const auto& [name, document] : documents)
      if (name.starts_with("actions/")) take_actions(document);
    if (const auto found = documents.find("findings.toml"); found != documents.end())
      for (const auto& [id, node] : found->second.fields) ids_.insert(id);
  }

  std::vector<std::string> run() {
    for (const auto& [name, document] : documents_) {
      if (name == "findings.toml") findings(name, document);
      else if (name == "signatures.toml") signatures(name, document);
      else if (name.starts_with("tables/")) table(name, document);
      else if (name.starts_with("actions/")) actions(name, document);
      else rules(name, document);
    }
    return std::move(faults_);
  }

  /// A file of one's own, that is to be laid over the documents.
  std::vector<std::string> run_local(const std::string& path, const Node& document) {
    const auto name = local_table(path, document);
    const auto found = documents_.find("tables/" + name + ".toml");
    Node own_rules;
    take_actions(document);
    if (const Node* own = document.find("finding"))
      for (const auto& [id, node] : own->fields) ids_.insert(id);
    for (const auto& [key, value] : document.fields) {
      if (key == "rule") own_rules.fields.emplace_back(key, value), rules(path, own_rules);
      else if (key == "finding") findings(path, value);
      else if (key == "action") actions(path, document, false);
      else if (key == "table" || key == "date" || key == "unlisted") continue;
      else if (name.empty()) fault(path, value, "unknown key '" + key + R"('; rows of a table need a line table = "NAME")");
    }
    if (name.empty()) return std::move(faults_);
    if (found == documents_.end()) fault(path, document, "'" + name + "' is no table");
    else rows_like(path, document, found->second);
    return std::move(faults_);
  }

 private:
  void take_actions(const Node& document) {
    if (const Node* all = document.find("action"))
      for (const auto& [key, node] : all->fields) actions_.insert(key);
  }

  /// Rows must look like those of the table: its lists, the fields of its rows, a key, a source.
  void rows_like(const std::string& path, const Node& document, const Node& like) {
    const Node* own = document.find("source");
    const Node* listed = like.find("source");
    for (const auto& [key, list] : document.fields) {
      if (!list.is_list() || key == "rule") continue;
      const Node* model = like.find(key);
      if (!model || !model->is_list()) {
        fault(path, list, "the table has no list '" + key + "'");
        continue;
      }
      for (const auto& row : list.items) {
        if (!row.is_table()) continue;
        row_like(path, row, model->items);
        if (!row.find("source")) fault(path, row, "a row without its source");
        for (const auto& source : row.list("source"))
          if (!(own && own->find(source)) && !(listed && listed->find(source))) fault(path, row, "source '" + source + "' is not in [source]");
      }
    }
  }

  void row_like(const std::string& path, const Node& row, const std::vector<Node>& models) {
    if (!models.empty() && !models.front().fields.empty() && row.fields.size() == 0) fault(path, row, "an empty row");
    for (const auto& [key, value] : row.fields) {
      if (key == "source" || key == "confidence" || key == "note") continue;
      std::vector<Node> inner;
      bool known = false;
      for (const auto& model : models)
        if (const Node* same = model.find(key)) {
          known = true;
          if (value.form != same->form && (value.is_table() || same->is_table() || (value.is_list() && !value.items.empty() && value.items.front().is_table())))
            return fault(path, value, "'" + key + "' is written in another way in the table");
          inner.insert(inner.end(), same->items.begin(), same->items.end());
        }
      if (!known) fault(path, value, "unknown key '" + key + "'");
      for (const auto& item : value.items)
        if (item.is_table()) row_like(path, item, inner);
    }
    const bool keyed = models.empty() || models.front().fields.empty() || row.find(models.front().fields.front().first) || row.find("id") || row.find("names");
    if (!keyed) fault(path, row, "'" + models.front().fields.front().first + "' is missing");
  }

  void fault(const std::string& file, const Node& at, const std::string& says) {
    faults_.push_back(file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + says);
  }

  void only(const std::string& file, const Node& node, std::initializer_list<std::string_view> keys) {
    for (const auto& [key, value] : node.fields)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) fault(file, value, "unknown key '" + key + "'");
  }

  void needs(const std::string& file, const Node& node, std::initializer_list<std::string_view> keys) {
    for (const auto key : keys)
      if (!node.find(key)) fault(file, node, "'" + std::string(key) + "' is missing");
  }

  /// Every {kind.fact} of a sentence. A bare name is the subject's own fact; which kind that is, the rules say.
  void placeholders(const std::string& file, const Node& node, const std::set<std::string>& kinds) {
    const std::string& text = node.text;
    for (std::size_t at = 0; (at = text.find('{', at)) != std::string::npos; ++at) {
      const auto key = text.substr(at + 1, text.find('}', at) - at - 1);
      if (key.find('.') != std::string::npos ? declaration(key) != nullptr
                                              : std::any_of(kinds.begin(), kinds.end(), [&](const auto& kind) { return declaration(kind + "." + key); }))
        continue;
      fault(file, node, "{" + key + "} is no declared fact");
    }
  }

  void findings(const std::string& file, const Node& document) {
    std::map<std::string, std::set<std::string>> kinds;   // finding → kinds of its rules
    for (const auto& [name, other] : documents_)
      if (const Node* all = other.find("rule"))
        for (const auto& rule : all->items) kinds[rule.get("finding")].insert(rule.get("each"));
    for (const auto& [id, node] : document.fields) {
      if (!node.is_table()) {
        fault(file, node, "expected a table");
        continue;
      }
      only(file, node, {"severity", "title", "says", "explains", "means"});
      needs(file, node, {"severity", "title", "says", "means"});
      for (const auto& other : node.list("explains"))
        if (!ids_.contains(other)) fault(file, node, "explains '" + other + "', which is no finding");
      if (const Node* says = node.find("says"); says && kinds.contains(id)) placeholders(file, *says, kinds[id]);
    }
  }

  void rules(const std::string& file, const Node& document) {
    only(file, document, {"rule"});
    const Node* all = document.find("rule");
    if (!all) return;
    for (const auto& rule : all->items) {
      only(file, rule, {"finding", "each", "when", "severity", "because", "evidence", "fix", "refs", "fires", "quiet"});
      needs(file, rule, {"finding", "each", "when"});
      if (examples_) needs(file, rule, {"fires", "quiet"});
      if (!ids_.contains(rule.get("finding"))) fault(file, rule, "'" + rule.get("finding") + "' is not in findings.toml");
      const auto each = rule.get("each");
      const auto& all_facts = declarations();
      if (std::none_of(all_facts.begin(), all_facts.end(), [&](const auto& d) { return std::string_view(d.key).starts_with(each + "."); }))
        fault(file, rule, "'" + each + "' is no kind of entity or relation");
      for (const auto& text : rule.list("when")) {
        try {
          parse_condition(text, each);
        } catch (const std::exception& error) {
          fault(file, *rule.find("when"), std::string("when \"") + text + "\": " + error.what());
        }
      }
      for (const auto& key : rule.list("evidence"))
        if (!declaration(key.find('.') == std::string::npos ? each + "." + key : key)) fault(file, *rule.find("evidence"), "'" + key + "' is no declared fact");
      for (const auto& name : rule.list("fix"))
        if (!actions_.contains(name)) fault(file, *rule.find("fix"), "'" + name + "' is no action");
      if (rule.find("severity") && !rule.find("because")) fault(file, rule, "a changed severity needs 'because'");
    }
  }

  void actions(const std::string& file, const Node& document, bool alone = true) {
    if (alone) only(file, document, {"action"});
    const Node* all = document.find("action");
    if (!all) return;
    static const std::set<std::string> risks{"read-only", "environment", "system", "reboot"};
    for (const auto& [name, action] : all->fields) {
      needs(file, action, {"does", "risk", "verify"});
      only(file, action, {"does", "risk", "needs", "sets", "verify", "not-in", "on", "with", "then", "before", "undo", "run", "says", "because"});
      for (const auto& next : action.list("then"))
        if (!actions_.contains(next)) fault(file, action, "then '" + next + "', which is no action");
      for (const auto& later : action.list("before"))
        if (!actions_.contains(later)) fault(file, action, "before '" + later + "', which is no action");
      if (!risks.contains(action.get("risk"))) fault(file, action, "risk should be read-only, environment, system or reboot");
    }
  }

  void table(const std::string& file, const Node& document) {
    needs(file, document, {"date", "source"});
    const Node* sources = document.find("source");
    for (const auto& [key, list] : document.fields) {
      if (!list.is_list()) continue;
      for (const auto& row : list.items) {
        if (!row.is_table()) continue;
        if (!row.find("source")) fault(file, row, "a row without its source");
        for (const auto& source : row.list("source"))
          if (!sources || !sources->find(source)) fault(file, row, "source '" + source + "' is not in [source]");
      }
    }
  }

  void conditions(const std::string& file, const Node& node) {
    for (const auto& text : node.list("when")) {
      try {
        parse_condition(text, "symptom");
      } catch (const std::exception& error) {
        fault(file, node, "when \"" + text + "\": " + error.what());
      }
    }
  }

  void asserted(const std::string& file, const Node& row) {
    if (const Node* asserts = row.find("asserts"))
      for (const auto& [key, value] : asserts->fields)
        if (!declaration(key) && key != "library.cudnn" && key != "library.nccl" && key != "env.package") fault(file, value, "'" + key + "' is no declared fact");
  }

  /// Error texts. Whether a pattern compiles, and finds its examples, is for the reader that uses it.
  void signatures(const std::string& file, const Node& document) {
    only(file, document, {"date", "source", "signature", "statement"});
    table(file, document);
    if (const Node* statements = document.find("statement"))
      for (const auto& row : statements->items) {
        only(file, row, {"name", "match", "asserts", "fires", "quiet", "source"});
        needs(file, row, {"name", "match", "asserts"});
        if (examples_) needs(file, row, {"fires", "quiet"});
        asserted(file, row);
      }
    const Node* all = document.find("signature");
    if (!all) return;
    std::set<std::string> names;
    for (const auto& row : all->items) {
      only(file, row, {"name", "match", "asserts", "candidates", "explained-by", "verdict", "when", "fires", "quiet", "source"});
      needs(file, row, {"name", "match"});
      if (examples_) needs(file, row, {"fires"});
      if (!names.insert(row.get("name")).second) fault(file, row, "a second signature '" + row.get("name") + "'");
      conditions(file, row);
      asserted(file, row);
      if (const Node* candidates = row.find("candidates"))
        for (const auto& one : candidates->items) {
          const auto id = one.is_table() ? one.get("id") : one.text;
          if (!ids_.contains(id)) fault(file, one, "'" + id + "' is not in findings.toml");
          if (one.is_table()) only(file, one, {"id", "when", "says", "severity"}), conditions(file, one);
        }
      for (const auto& id : row.list("explained-by"))
        if (!ids_.contains(id)) fault(file, row, "'" + id + "' is not in findings.toml");
    }
  }

  const Knowledge::Documents& documents_;
  bool examples_;
  std::set<std::string> ids_, actions_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> verify(const Knowledge::Documents& documents) { return Lint(documents).run(); }

std::vector<std::string> verify_local(const Knowledge::Documents& base, const std::string& path, const Node& document) {
  return Lint(base, false).run_local(path, document);
}

}  // namespace gpudoctor
