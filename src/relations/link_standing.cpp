// SPDX-License-Identifier: Apache-2.0
// The loader's choice against the copy that is shipped, name by name; then folder by folder, since one folder in a variable
// or a line of ld.so.conf is one cause however many names it wins.
#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

std::string standing_of(const Entity& link) {
  const Fact* chosen = link.find("chosen");
  if (!chosen || chosen->state == State::unknown) return {};
  if (chosen->state == State::absent) return "missing";
  if (!link.has("shipped")) return "system";
  if (link.get("chosen") == link.get("shipped")) return "shipped";
  const std::string untold = link.is("same", "yes") ? "equal" : "other";
  if (!link.has("chosen_version") || !link.has("shipped_version")) return untold;
  const auto parts = std::min(link.version("chosen_version").parts().size(), link.version("shipped_version").parts().size());
  const Version chosen_version(link.version("chosen_version").first(static_cast<int>(parts))),
      shipped_version(link.version("shipped_version").first(static_cast<int>(parts)));
  switch (compare(chosen_version, shipped_version)) {
    case Order::less: return "older";
    case Order::greater: return "newer";
    case Order::equal: return "equal";
    default: return untold;
  }
}

int gravity(const std::string& standing) { return standing == "older" ? 2 : standing == "other" ? 1 : 0; }

struct Group {
  std::vector<std::string> sonames, winners, losers;
  std::string via, worst = "newer";
  const Entity* first = nullptr;
};

void state(Facts& facts, const Id& consumer, const std::string& folder, const Group& group) {
  Entity& shadow = facts.at("shadow", consumer.key + " " + folder);
  shadow.parent(consumer);
  const auto seen = [&](const char* fact) { return Witness{Rank::measured, group.first->find(fact)->witnesses.front().source, 0, {}}; };
  shadow.known("folder", folder, seen("chosen")).known("via", group.via, seen("via")).known("worst", group.worst, seen("chosen"));
  shadow.known("sonames", group.sonames, seen("soname")).known("winners", group.winners, seen("chosen")).known("losers", group.losers, seen("shipped"));
}

bool no_cudnn(const Facts& facts, const Entity& torch) {
  const Entity* env = facts.nearest(torch, "env");
  const auto needs = facts.of("need");
  return std::any_of(needs.begin(), needs.end(), [&](const Entity* need) {
    return need->is("library", "cudnn") && need->is("fits", "missing") && facts.nearest(*need, "env") == env;
  });
}

void state_lacks(const Facts& facts, Entity& torch) {
  const Fact* missing = torch.find("missing_libraries");
  if (!missing) return;
  if (missing->state == State::unknown) return void(torch.unknown("lacks", missing->reason));
  auto names = missing->list;
  const Witness seen{missing->witnesses.front().rank, missing->witnesses.front().source, 0, {}};
  if (no_cudnn(facts, torch)) std::erase_if(names, [](const std::string& name) { return name.starts_with("libcudnn"); });
  if (names.empty()) torch.absent("lacks", seen);
  else torch.known("lacks", std::move(names), seen);
}

}  // namespace

void link_standing(const Matrix&, Facts& facts) {
  for (Entity* torch : facts.of("torch")) state_lacks(facts, *torch);
  std::map<std::pair<Id, std::string>, Group> groups;
  for (Entity* link : facts.of("link")) {
    const auto standing = standing_of(*link);
    if (standing.empty()) {
      link->unknown("standing", link->find("chosen") ? link->find("chosen")->reason : "the loader's choice is unknown");
      continue;
    }
    const auto& witness = link->find("chosen")->witnesses.front();
    link->known("standing", standing, {witness.rank, witness.source, 0, {}});
    if ((standing != "older" && standing != "newer" && standing != "other") || link->parents().empty()) continue;
    Group& group = groups[{link->parents().front(), link->get("folder")}];
    if (!group.first || gravity(standing) > gravity(group.worst)) group.first = link, group.worst = standing, group.via = link->get("via");
    group.sonames.push_back(link->get("soname"));
    group.winners.push_back(link->get("chosen")), group.losers.push_back(link->get("shipped"));
  }
  for (const auto& [key, group] : groups) state(facts, key.first, key.second, group);
}

}  // namespace gpudoctor
