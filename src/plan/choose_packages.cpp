// SPDX-License-Identifier: Apache-2.0
// What else is wanted beside a torch: the rows of framework.toml that name a torch.
#include <algorithm>

#include "chooser.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// "2.10-" from there on; "2.3" all that begin with it.
bool names(const std::vector<std::string>& torches, const std::string& torch) {
  return std::any_of(torches.begin(), torches.end(), [&torch](const std::string& one) { return in_range(one, torch); });
}

std::string first_of(const std::string& range) { return range.substr(0, range.find('-')); }
std::string last_of(const std::string& range) { return range.substr(range.find('-') == std::string::npos ? 0 : range.find('-') + 1); }

/// The CUDA of a package's wheels, where a row without torch says it for that release.
std::string cuda_of(const Node& rows, const std::string& name, const std::string& release) {
  for (const auto& item : rows.items)
    if (item.get("framework") == name && !item.find("torch") && item.find("cuda") && Row{&item}.verified() && in_range(item.get("versions"), release)) return item.get("cuda");
  return {};
}

}  // namespace

Fits fits(const Matrix& matrix, const Needs& needs, const Wanted& package, const std::string& torch, const Version& cuda, const std::string& tag, std::string& row) {
  const Node* rows = matrix.knowledge().table("framework").find("release");
  bool any = false;
  if (!rows) return Fits::unknown;
  for (auto item = rows->items.rbegin(); item != rows->items.rend(); ++item) {
    const Row one{&*item};
    if (one.get("framework") != package.name || !item->find("torch") || !one.verified()) continue;
    const auto range = one.get("versions");
    if (!package.version.empty() && !in_range(range, package.version) && range != package.version) continue;
    const auto torches = one.list("torch");
    if (!any) row = package.name + " " + range + " is for torch " + joined(torches, ", ");
    any = true;
    if (!names(torches, torch)) continue;
    if (!in_range(one.get("python"), needs.python)) continue;
    if (const auto tags = one.list("tags"); !tags.empty() && std::find(tags.begin(), tags.end(), tag) == tags.end()) continue;
    const auto least = one.get("cc-min");
    if (!least.empty() && std::any_of(needs.cards.begin(), needs.cards.end(), [&least](const Card& card) { return compare(card.capability, Version(least)) == Order::less; })) continue;
    const auto built = one.get("cuda").empty() ? cuda_of(*rows, package.name, first_of(range)) : one.get("cuda");
    if (!built.empty() && (Version(built).major() != cuda.major() || runs(matrix, needs, Version(built)) == Runs::no)) continue;
    const auto last = last_of(range);
    const bool whole = Version(last).parts().size() > 2 || contains(last, "post");
    row = package.name + (!package.version.empty() ? "==" + package.version : last.empty() ? "" : "==" + last + (whole ? "" : ".*"));
    return Fits::yes;
  }
  return any ? Fits::no : Fits::unknown;
}

}  // namespace gpudoctor
