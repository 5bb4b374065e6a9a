// SPDX-License-Identifier: Apache-2.0
// Known error texts. The only file that includes RE2: linear in the text, whatever the text is.
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <map>

#include "label_values.hpp"
#include "prose.hpp"
#include "reader.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr int max_matches = 8;   // of one signature in one text

/// A row of signatures.toml, compiled.
struct Signature {
  std::string name;
  std::unique_ptr<RE2> pattern;
  bool verdict = false;
  std::vector<std::pair<std::string, std::string>> asserts;   ///< "driver.cuda" ← "{found:cuda}"
};

/// The text as one long line, so that an error that was wrapped is still one; with the way back to its lines.
struct Flow {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> starts;   ///< offset, index of the line

  std::size_t line_at(std::size_t offset) const {
    const auto after = std::upper_bound(starts.begin(), starts.end(), std::pair(offset, ~std::size_t{0}));
    return after == starts.begin() ? 0 : std::prev(after)->second;
  }
};

Flow flow_of(const Paste& paste) {
  Flow flow;
  bool kernel = false;
  for (std::size_t i = 0; i < paste.size(); ++i) {
    std::string_view line = trim(paste[i].text);
    const bool nvrm = line.starts_with("NVRM: ");
    if (nvrm && kernel) line = trim(line.substr(6));   // the kernel log breaks one sentence into several lines
    kernel = nvrm;
    flow.starts.emplace_back(flow.text.size(), i);
    bool space = false;
    for (const char c : line) {
      if (c == ' ' || c == '\t') { space = true; continue; }
      if (space) flow.text += ' ';
      space = false, flow.text += c;
    }
    flow.text += ' ';
  }
  return flow;
}

/// 11060 → 11.6, as CUDA numbers its releases; cuDNN's 8500 → 8.5.0.
std::string transformed(const std::string& value, std::string_view how) {
  const long number = to_number(value);
  if (how == "cuda") return number >= 1000 ? std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10) : std::string();
  if (how == "cudnn") return number > 0 ? cudnn_of_number(static_cast<unsigned long>(number)) : std::string();
  if (how == "lower") return lower(value);
  return value;
}

/// "{a}.{b:cuda}{c?}" with the named groups of a match; empty where a group is that may not be.
std::string filled(const std::string& form, const std::map<std::string, std::string>& groups) {
  std::string result;
  for (std::size_t at = 0; at < form.size();) {
    const auto close = form[at] == '{' ? form.find('}', at) : std::string::npos;
    if (close == std::string::npos) {
      result += form[at++];
      continue;
    }
    auto name = form.substr(at + 1, close - at - 1);
    const bool optional = name.ends_with('?');
    if (optional) name.pop_back();
    const auto colon = name.find(':');
    const auto found = groups.find(name.substr(0, colon));
    if (optional && found != groups.end() && found->second.empty()) {
      at = close + 1;
      continue;
    }
    if (found == groups.end() || found->second.empty()) return {};
    const auto value = colon == std::string::npos ? found->second : transformed(found->second, name.substr(colon + 1));
    if (value.empty()) return {};
    result += value, at = close + 1;
  }
  return result;
}

/// States one assertion; a value that does not fit the fact's type is dropped, since the text is anybody's.
void assert_fact(Said& said, const std::string& key, const std::string& value, const Witness& witness) {
  const auto dot = key.find('.');
  const auto kind = key.substr(0, dot), fact = key.substr(dot + 1);
  const auto* declared = declaration(key);
  if (declared && declared->type == Type::version && !Version(value, declared->scheme).valid()) return;
  if (key == "library.cudnn" || key == "library.nccl") return void(said.library(fact, value, witness));
  if (key == "toolkit.version") return void(said.toolkit(value, "", witness));
  if (key == "env.package") {
    const auto sign = value.find("==");
    return said.package(value.substr(0, sign), sign == std::string::npos ? "" : value.substr(sign + 2), "pip", witness);
  }
  if (key == "gpu.name") return void(said.gpu(value, "the error text", witness));
  if (kind == "gpu") {   // of a GPU that the text does not name: only where there is one
    const auto all = said.facts.of("gpu");
    if (all.size() == 1) all.front()->known(fact, value, witness);
    return;
  }
  Entity& entity = kind == "torch" ? said.torch() : kind == "env" ? said.env() : said.facts.at(kind);
  if (declared && declared->type == Type::list) entity.known(fact, [&] {
    std::vector<std::string> items;
    for (const auto item : words(value)) items.emplace_back(item);
    return items;
  }(), witness);
  else entity.known(fact, value, witness);
}

Signature compiled(const Node& row, const RE2::Options& options) {
  Signature one;
  one.name = row.get("name");
  one.verdict = row.get("verdict") == "true";
  one.pattern = std::make_unique<RE2>(row.get("match"), options);
  if (!one.pattern->ok()) bad("signatures.toml", row, one.name + ": " + one.pattern->error());
  if (const Node* asserts = row.find("asserts"))
    for (const auto& [key, value] : asserts->fields) one.asserts.emplace_back(key, value.text);
  return one;
}

/// The named groups of a match.
std::map<std::string, std::string> named_groups(const RE2& pattern, const std::vector<re2::StringPiece>& groups) {
  std::map<std::string, std::string> named;
  for (const auto& [group, name] : pattern.CapturingGroupNames()) named.emplace(name, std::string(groups[static_cast<std::size_t>(group)]));
  return named;
}

/// Whether something better than prose told this fact already.
bool is_told(const Said& said, const std::string& key) {
  const auto dot = key.find('.');
  const auto kind = key.substr(0, dot), fact = key.substr(dot + 1);
  if (key == "library.cudnn" || key == "library.nccl") return !said.facts.of("library").empty();
  const auto all = said.facts.of(kind);
  if (key == "gpu.name" || key == "toolkit.version") return !all.empty();
  return std::any_of(all.begin(), all.end(), [&fact](const Entity* one) { return one->has(fact); });
}

}  // namespace

struct Signatures::Compiled {
  std::vector<Signature> all, statements;
  std::unique_ptr<RE2::Set> set, said;
};

Signatures::Signatures(const Node& document) : compiled_(std::make_unique<Compiled>()) {
  const Node* rows = document.find("signature");
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(64 << 20);
  compiled_->set = std::make_unique<RE2::Set>(options, RE2::UNANCHORED);
  for (const Node& row : rows ? rows->items : std::vector<Node>{}) {
    compiled_->all.push_back(compiled(row, options));
    if (std::string error; compiled_->set->Add(row.get("match"), &error) < 0) bad("signatures.toml", row, "signature " + row.get("name") + ": " + error);
  }
  compiled_->set->Compile();
  compiled_->said = std::make_unique<RE2::Set>(options, RE2::UNANCHORED);
  if (const Node* statements = document.find("statement"))
    for (const Node& row : statements->items) {
      compiled_->statements.push_back(compiled(row, options));
      compiled_->said->Add(row.get("match"), nullptr);
    }
  compiled_->said->Compile();
}

Signatures::~Signatures() = default;
Signatures::Signatures(Signatures&&) noexcept = default;

void Signatures::read(Paste& paste, Said& said) const {
  const Flow flow = flow_of(paste);
  std::vector<int> hits;
  RE2::Set::ErrorInfo info{};
  if (!compiled_->set->Match(flow.text, &hits, &info) && info.kind != RE2::Set::kNoError)
    for (int i = 0; i < static_cast<int>(compiled_->all.size()); ++i) hits.push_back(i);   // too much for one pass: one by one
  std::sort(hits.begin(), hits.end());
  said.facts.looked("symptom");
  for (const int hit : hits) {
    const Signature& one = compiled_->all[static_cast<std::size_t>(hit)];
    const int count = one.pattern->NumberOfCapturingGroups() + 1;
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(count));
    std::size_t at = 0;
    for (int match = 0; match < max_matches && at < flow.text.size(); ++match) {
      if (!one.pattern->Match(flow.text, at, flow.text.size(), RE2::UNANCHORED, groups.data(), count)) break;
      const auto start = static_cast<std::size_t>(groups[0].data() - flow.text.data());
      at = start + std::max<std::size_t>(groups[0].size(), 1);
      const auto index = flow.line_at(start);
      const Witness witness = paste.witness(index, "error text", one.verdict ? Rank::verdict : Rank::tool);
      Entity& symptom = said.facts.at("symptom", one.name);
      if (match == 0) {
        symptom.known("signature", one.name, witness);
        symptom.known("text", printable(std::string_view(flow.text).substr(start, std::min<std::size_t>(groups[0].size(), 300))), witness);
      }
      const auto named = named_groups(*one.pattern, groups);
      for (const auto& [key, form] : one.asserts)
        if (const auto value = filled(form, named); !value.empty()) assert_fact(said, key, printable(value), witness);
      for (auto line = index; line <= flow.line_at(at - 1) && line < paste.size(); ++line) paste.take(line);
    }
  }
}

void Signatures::read_prose(Paste& paste, Said& said) const {
  const auto told = sentences(paste);
  std::string all;
  for (const auto& sentence : told) all += sentence.text, all += '\n';
  std::vector<int> hits;
  RE2::Set::ErrorInfo info{};
  if (!compiled_->said->Match(all, &hits, &info) && info.kind == RE2::Set::kNoError) return;
  std::sort(hits.begin(), hits.end());
  for (const int hit : hits) {
    const Signature& statement = compiled_->statements[static_cast<std::size_t>(hit)];
    const int count = statement.pattern->NumberOfCapturingGroups() + 1;
    std::vector<re2::StringPiece> groups(static_cast<std::size_t>(count));
    const bool known = std::any_of(statement.asserts.begin(), statement.asserts.end(), [&said](const auto& one) { return is_told(said, one.first); });
    if (known) continue;
    for (const auto& sentence : told) {
      if (!statement.pattern->Match(sentence.text, 0, sentence.text.size(), RE2::UNANCHORED, groups.data(), count) || speaks_of_another(sentence.text)) continue;
      const auto named = named_groups(*statement.pattern, groups);
      const Witness witness = paste.witness(sentence.line, "prose", Rank::prose);
      for (const auto& [key, form] : statement.asserts) {
        const auto value = printable(filled(form, named));
        if (value.empty()) continue;
        if (key == "gpu.name")
          for (const auto& name : gpu_names(value)) said.gpu(name, "prose", witness);
        else if (key == "host.distribution_name") say_system(value, said, witness);
        else assert_fact(said, key, value, witness);
      }
      break;
    }
  }
}

}  // namespace gpudoctor
