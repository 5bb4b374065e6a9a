// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <map>

#include "formats.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// Refusals of one build for one reason, over the releases that share it.
struct Group {
  std::string newest, oldest, tag, says;
};

std::vector<Group> grouped_refusals(const std::vector<Refusal>& refused) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> open;
  for (const auto& one : refused) {
    // The row names the release, or the table that all of them share.
    const auto row = one.release.empty() ? one.row : replaced(one.row, " " + one.release, "");
    const auto says = one.why + (one.fact.empty() ? "" : "   " + one.fact) + "   [" + (one.tag.empty() || !row.ends_with(" " + one.tag) ? row : row.substr(0, row.size() - one.tag.size() - 1)) + "]";
    const auto [at, fresh] = open.emplace(one.tag + "\n" + says, groups.size());
    if (fresh) groups.push_back({one.release, one.release, one.tag, says});
    else groups[at->second].oldest = one.release;
  }
  return groups;
}

}  // namespace

std::string text_recommendation(const Recommendation& one, const Style& style) {
  const std::string dash = style.utf8 ? "–" : "-", dot = style.utf8 ? " · " : ", ";
  std::string out = fmt::format("gpudoctor recommend {}{}matrix {}\n", one.product, dot, one.matrix_date);
  out += "for  " + joined(one.machine, dot) + "\n\n";
  if (one.found()) {
    out += fmt::format("{} {}{}{}\n", one.product, one.version, one.tag.empty() ? "" : one.product == "driver" ? " " + one.tag : "+" + one.tag, one.sure ? "" : "   (likely: by a row of low confidence, or one that does not say all)");
    for (const auto& command : one.commands) out += "  " + command + "\n";
  } else {
    out += "Nothing fits: " + one.none + "\n";
    for (const auto& help : one.help) out += "  would help: " + help + "\n";
  }
  for (const auto& note : one.notes) out += "  note: " + note + "\n";
  const auto groups = grouped_refusals(one.refused);
  if (!groups.empty()) out += one.found() ? "\nNot taken:\n" : "\nWhat stands in the way:\n";
  const std::size_t most = style.verbose > 0 ? groups.size() : 16;
  for (std::size_t i = 0; i < groups.size() && i < most; ++i) {
    const auto& group = groups[i];
    const auto span = group.oldest == group.newest ? group.newest : group.oldest + dash + group.newest;
    out += fmt::format("  {:<20} {}\n", span + (group.tag.empty() ? "" : (span.empty() ? "" : " ") + group.tag), group.says);
  }
  if (groups.size() > most) out += fmt::format("  and {} more (-v)\n", groups.size() - most);
  return printable(out);
}

}  // namespace gpudoctor
