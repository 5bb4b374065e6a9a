// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "formats.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// Refusals for one reason, over the releases and builds that share it.
struct Group {
  std::string why, fact, row;
  std::vector<std::string> releases, tags;   ///< newest first
};

bool has(const std::vector<std::string>& list, const std::string& one) { return std::find(list.begin(), list.end(), one) != list.end(); }

/// The row without the release and the build, which stand before it: "torch.toml, release".
std::string table_of(const Refusal& one) {
  std::string row = one.row;
  if (!one.tag.empty() && row.ends_with(" " + one.tag)) row.resize(row.size() - one.tag.size() - 1);
  return one.release.empty() ? row : replaced(row, " " + one.release, "");
}

std::vector<Group> grouped_refusals(const std::vector<Refusal>& refused) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> open;
  for (const auto& one : refused) {
    const auto row = table_of(one);
    const auto key = one.why + "\n" + one.fact + "\n" + row + "\n" + (one.tag.empty() ? "" : "build");
    const auto [at, fresh] = open.emplace(key, groups.size());
    if (fresh) groups.push_back({one.why, one.fact, row, {}, {}});
    auto& group = groups[at->second];
    if (!has(group.releases, one.release)) group.releases.push_back(one.release);
    if (!one.tag.empty() && !has(group.tags, one.tag)) group.tags.push_back(one.tag);
  }
  return groups;
}

/// "13.4.1–13.5.0, 13.0.0–13.3.1": a span holds no release that is refused for another reason.
std::string spans(const Group& group, const std::vector<Refusal>& refused, const std::string& dash) {
  std::vector<std::string> all;
  for (const auto& one : refused)
    if ((group.tags.empty() || has(group.tags, one.tag)) && !has(all, one.release)) all.push_back(one.release);
  std::string result, newest, oldest;
  const auto close = [&] {
    if (!newest.empty()) result += (result.empty() ? "" : ", ") + (oldest == newest ? newest : oldest + dash + newest);
    newest.clear();
  };
  for (const auto& release : all) {
    if (!has(group.releases, release)) close();
    else if (newest.empty()) newest = oldest = release;
    else oldest = release;
  }
  close();
  return result;
}

class Text {
 public:
  Text(const Recommendation& one, const Style& style) : one_(one), style_(style), dash_(style.utf8 ? "–" : "-"), dot_(style.utf8 ? " · " : ", ") {}

  std::string run() {
    out_ = fmt::format("gpudoctor recommend {}{}matrix {}\n", one_.product, dot_, one_.matrix_date);
    machine();
    if (one_.found()) found();
    else none();
    for (const auto& note : one_.notes) wrapped("  note: ", std::string(8, ' '), note);
    refusals();
    return printable(out_);
  }

 private:
  /// Wrapped at spaces; a word that is too long stands alone.
  void wrapped(const std::string& start, const std::string& indent, const std::string& text) {
    std::string line = start;
    bool fresh = true;
    for (const auto word : words(text)) {
      if (!fresh && width(line) + 1 + width(word) > style_.width) out_ += line + "\n", line = indent, fresh = true;
      if (!fresh) line += ' ';
      line += word;
      fresh = false;
    }
    out_ += line + "\n";
  }

  /// GPUs a line each, the rest together.
  void machine() {
    std::string line = "for ", rest;
    const auto place = [&](const std::string& part, bool alone) {
      const bool fits = line == "for " || line == "    " || (!alone && width(line) + width(dot_) + width(part) <= style_.width);
      if (!fits) out_ += line + "\n", line = "    ";
      line += (line == "for " || line == "    " ? "" : dot_) + part;
    };
    bool after_gpu = false;
    for (const auto& part : one_.machine) {
      const bool gpu = part.starts_with("GPU");
      place(part, gpu || after_gpu);
      after_gpu = gpu;
    }
    if (width(line) <= style_.width) out_ += line + "\n\n";
    else wrapped("    ", "    ", line), out_ += "\n";
  }

  void found() {
    std::string head = one_.product + " " + one_.version;
    if (one_.product == "driver") head += one_.tag.empty() ? "" : " (" + one_.tag + " modules)";
    else if (!one_.channel.empty()) head += " of " + one_.channel + ", CUDA " + one_.cuda;
    else if (!one_.tag.empty()) head += "+" + one_.tag;
    out_ += head + "\n";
    if (!one_.sure) out_ += "  likely: it rests on a row of low confidence, or on one that does not say all\n";
    for (const auto& command : one_.commands) out_ += "  " + command + "\n";   // never wrapped
  }

  void none() {
    wrapped("Nothing fits: ", "  ", one_.none);
    for (const auto& help : one_.help) wrapped("  would help: ", std::string(14, ' '), help);
  }

  void refusals() {
    const auto groups = grouped_refusals(one_.refused);
    if (groups.empty()) return;
    out_ += one_.found() ? "\nNot taken:\n" : "\nWhat stands in the way:\n";
    const std::size_t most = style_.verbose > 0 ? groups.size() : 12;
    for (std::size_t i = 0; i < groups.size() && i < most; ++i) refusal(groups[i]);
    if (groups.size() > most) out_ += fmt::format("  and {} more reasons (-v)\n", groups.size() - most);
  }

  void refusal(const Group& group) {
    std::string span = spans(group, one_.refused, dash_);
    std::vector<std::string> tags = group.tags;
    if (tags.size() > 3) tags = {tags.front(), style_.utf8 ? "…" : "...", tags.back()};
    if (!tags.empty()) span += (span.empty() ? "" : " ") + joined(tags, " ");
    const auto says = group.why + (group.fact.empty() ? "" : "; " + group.fact) + " [" + group.row + "]";
    if (span.empty()) return wrapped("  ", "    ", says);
    if (width(span) > 20) out_ += "  " + span + "\n", span.clear();
    wrapped("  " + span + std::string(22 - std::min<std::size_t>(22, width(span)), ' '), std::string(24, ' '), says);
  }

  const Recommendation& one_;
  const Style& style_;
  std::string dash_, dot_, out_;
};

}  // namespace

std::string text_recommendation(const Recommendation& one, const Style& style) { return Text(one, style).run(); }

}  // namespace gpudoctor
