// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "chooser.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

bool ended(const Matrix& matrix, long branch, const std::string& today) {
  const auto eol = matrix.branch(branch).get("eol");
  return eol.starts_with("ended") || (eol.size() >= 7 && !today.empty() && today.substr(0, eol.size()) > eol);
}

}  // namespace

DriverChoice choose_driver(const Matrix& matrix, const Facts& facts, const Action& action, long least, std::string least_for) {
  long most = 100000;
  bool open_needed = false, open_impossible = false;
  for (const Entity* gpu : facts.of("gpu")) {
    if (!gpu->is("vendor", "nvidia") || gpu->is("bound", "vfio-pci")) continue;
    if (const long first = to_number(gpu->get("first_branch")); first > least) least = first, least_for = gpu->get("name");
    if (gpu->has("last_branch")) most = std::min(most, to_number(gpu->get("last_branch")));
    open_needed = open_needed || gpu->is("open_module", "required");
    open_impossible = open_impossible || gpu->is("open_module", "impossible");
  }
  DriverChoice choice;
  if (open_needed && open_impossible)
    return choice.refused = "No kernel module serves all of these GPUs: the open modules start at Turing and Blackwell needs them. Take one card out, or hand it to a virtual machine.", choice;
  if (least > most)
    return choice.refused = "No driver branch serves all of this: " + least_for + " needs " + std::to_string(least) + " or newer, and the last branch for another GPU here is " + std::to_string(most) + ".", choice;
  const Node* section = section_for(action.node, facts);
  if (!section) return choice;
  const Entity* host = facts.find("host");
  const std::string today = host ? host->get("date") : std::string();
  const Entity* driver = facts.find("driver");
  const long installed = driver ? to_number(driver->get("branch")) : -1;
  // The branch that is there already, if it fits; never an older one while a newer one is served; one that is still
  // maintained; a long-term one, the newest of them; else the least new.
  const auto merit = [&](long branch) {
    const bool lasting = contains(matrix.branch(branch).get("type"), "LTSB");
    return std::tuple(branch == installed, branch >= installed, !ended(matrix, branch, today), lasting, lasting ? branch : -branch);
  };
  long chosen = 0;
  for (const auto& text : section->list("branches")) {
    const long branch = to_number(text);
    const std::string wanted = open_needed ? "open" : open_impossible ? "proprietary" : branch >= 560 ? "open" : "proprietary";
    const std::string other = wanted == "open" ? "proprietary" : "open";
    const std::string use = section->find(wanted) ? wanted : (!open_needed && !open_impossible && section->find(other)) ? other : "";
    if (branch < least || branch > most || use.empty()) continue;
    if (chosen == 0 || merit(branch) > merit(chosen)) chosen = branch, choice.flavour = use;
  }
  if (chosen > 0) return choice.branch = std::to_string(chosen), choice;
  const auto served = joined(section->list("branches"), ", ");
  choice.refused = "This distribution's packages (" + (served.empty() ? "none" : "branch " + served) + ") do not fit: " + (least > 0 ? "branch " + std::to_string(least) + " or newer" : "a branch") +
                   (most < 100000 ? ", up to " + std::to_string(most) : "") + " is needed. See NVIDIA's installation guide: https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/";
  return choice;
}

void recommend_driver(const Matrix& matrix, const Facts& facts, const Needs& needs, Recommendation& out) {
  const auto action = matrix.knowledge().actions().find("install-driver");
  if (!any_nvidia(needs)) return void(out.none = "there is no NVIDIA GPU that is known");
  if (action == matrix.knowledge().actions().end()) return void(out.none = "no way to install a driver is known");
  const long asked = needs.release.empty() ? 0 : static_cast<long>(Version(needs.release).major());
  const DriverChoice choice = choose_driver(matrix, facts, action->second, asked, "your wish");
  if (!choice.refused.empty()) {
    out.none = choice.refused;
    for (std::size_t i = 0; needs.cards.size() > 1 && i < needs.cards.size(); ++i) {
      Needs without = needs;
      without.driver = {}, without.cards.erase(without.cards.begin() + static_cast<long>(i));
      if (obstacles(without).empty()) out.help.push_back("leave out " + needs.cards[i].shown);
    }
    return;
  }
  if (choice.branch.empty()) return void(out.none = "which branches this distribution serves is not known here");
  Fix fix = instantiate(action->second, facts, {{"branch", choice.branch}, {"flavour", choice.flavour}, {"version", choice.branch}}, {});
  out.version = choice.branch, out.tag = choice.flavour, out.commands = fix.commands;
  if (!fix.said.empty()) out.notes.push_back(fix.said);
  const Entity* host = facts.find("host");
  const Node* branches = matrix.knowledge().table("driver").find("branch");
  for (std::size_t i = branches ? branches->items.size() : 0; i-- > 0;) {
    const auto name = branches->items[i].get("branch");
    const long branch = to_number(name);
    if (branch <= to_number(choice.branch)) continue;
    const auto card = std::find_if(needs.cards.begin(), needs.cards.end(), [branch](const Card& one) { return one.last < branch; });
    const std::string row = "driver.toml, branch " + name;
    if (card != needs.cards.end()) out.refused.push_back({name, "", Bar::gpu, "no longer drives this GPU: the last branch is " + std::to_string(card->last), card->shown, row});
    else if (ended(matrix, branch, host ? host->get("date") : "")) out.refused.push_back({name, "", Bar::status, "has reached its end of life", "", row});
    else out.refused.push_back({name, "", Bar::platform, "is not the best maintained branch of this distribution that fits", host ? host->get("distribution") : "", "actions/driver.toml, install-driver"});
  }
}

}  // namespace gpudoctor
