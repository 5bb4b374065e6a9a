// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "chooser.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr const char* guide = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/";

bool ended(const Matrix& matrix, long branch, const std::string& today) {
  const auto eol = matrix.branch(branch).get("eol");
  return eol.starts_with("ended") || (eol.size() >= 7 && !today.empty() && today.substr(0, eol.size()) > eol);
}

std::string today(const Facts& facts) {
  const Entity* host = facts.find("host");
  return host ? host->get("date") : std::string();
}

/// What the GPUs ask of a branch.
struct Window {
  long least = 0, most = 100000;
  std::string least_for, most_for;
  bool open_needed = false, open_impossible = false;
};
Window window_of(const Needs& needs) {
  Window window;
  for (const auto& card : needs.cards) {
    if (!card.capability.valid()) continue;
    if (card.first > window.least) window.least = card.first, window.least_for = card.shown;
    if (card.last < window.most) window.most = card.last, window.most_for = card.shown;
    window.open_needed = window.open_needed || card.open == "required";
    window.open_impossible = window.open_impossible || card.open == "impossible";
  }
  return window;
}

/// The first driver of a branch that will do for all GPUs; false when a GPU is in none of it.
bool first_of(const Matrix& matrix, const Needs& needs, long branch, Version& least, std::string& least_for) {
  for (const auto& card : needs.cards) {
    const auto first = card.capability.valid() ? matrix.first_driver_of(card.device, branch) : "";
    if (first == "none") return least_for = card.shown, false;
    if (!first.empty() && (!least.valid() || compare(least, Version(first)) == Order::less)) least = Version(first), least_for = card.shown;
  }
  return true;
}

}  // namespace

DriverChoice choose_driver(const Matrix& matrix, const Facts& facts, const Action& action, const Demand& demand) {
  const Needs needs = needs_of(matrix, facts, {});
  Window window = window_of(needs);
  if (const long least = demand.least.valid() ? static_cast<long>(demand.least.major()) : 0; least > window.least) window.least = least, window.least_for = demand.least_for;
  DriverChoice choice;
  for (const Entity* gpu : facts.of("gpu"))   // nothing is known of it: any branch would be a guess
    if (gpu->is("vendor", "nvidia") && !gpu->is("bound", "vfio-pci") && !gpu->has("compute_capability") && !gpu->has("first_branch") && !gpu->has("last_branch"))
      return choice.refused = "Which driver branch serves the GPU " + (gpu->has("pci_id") ? gpu->get("pci_id") : gpu->get("name")) + " is not known to the matrix of " + matrix.knowledge().date() + ".", choice;
  if (window.open_needed && window.open_impossible)
    return choice.refused = "No kernel module serves all of these GPUs: the open modules start at Turing and Blackwell needs them. Take one card out, or hand it to a virtual machine.", choice;
  if (window.least > window.most)
    return choice.refused = "No driver branch serves all of this: " + window.least_for + " needs " + std::to_string(window.least) + " or newer, and the last branch for " + window.most_for + " is " + std::to_string(window.most) + ".", choice;
  const Node* section = section_for(action.node, facts);
  if (!section) return choice;
  const Entity* driver = facts.find("driver");
  const long installed = driver ? to_number(driver->get("branch")) : -1;
  // The branch that is there already, if it fits; never an older one while a newer one is served; one that is still
  // maintained; a long-term one, the newest of them; else the least new.
  const auto merit = [&](long branch) {
    const bool lasting = contains(matrix.branch(branch).get("type"), "LTSB");
    return std::tuple(branch == installed, branch >= installed, !ended(matrix, branch, today(facts)), lasting, lasting ? branch : -branch);
  };
  long chosen = 0;
  for (const auto& text : section->list("branches")) {
    const long branch = to_number(text);
    const std::string wanted = window.open_needed ? "open" : window.open_impossible ? "proprietary" : branch >= 560 ? "open" : "proprietary";
    const std::string other = wanted == "open" ? "proprietary" : "open";
    const std::string use = section->find(wanted) ? wanted : (!window.open_needed && !window.open_impossible && section->find(other)) ? other : "";
    Version least = static_cast<long>(demand.least.major()) == branch ? demand.least : Version();
    std::string least_for = least.valid() ? demand.least_for : "";
    if ((demand.exact > 0 && branch != demand.exact) || branch < window.least || branch > window.most || use.empty() || !first_of(matrix, needs, branch, least, least_for)) continue;
    if (chosen == 0 || merit(branch) > merit(chosen)) chosen = branch, choice.flavour = use, choice.least = least, choice.least_for = least_for;
  }
  if (chosen > 0) return choice.branch = std::to_string(chosen), choice;
  const auto served = joined(section->list("branches"), ", ");
  const auto wish = demand.exact > 0 ? "branch " + std::to_string(demand.exact) + " is asked for" : window.least > 0 ? "branch " + std::to_string(window.least) + " or newer is needed" : "a branch is needed";
  choice.refused = "This distribution's packages (" + (served.empty() ? "none" : "branch " + served) + ") do not fit: " + wish + (window.most < 100000 ? ", up to " + std::to_string(window.most) : "") + ". See NVIDIA's installation guide: " + guide;
  return choice;
}

namespace {

/// The floor of everything that was asked for, and of the torch that is active.
Demand demand_of(const Question& question) {
  Demand demand;
  const auto want = [&](const Version& cuda, const std::string& what) {
    const Version floor(cuda.valid() ? question.matrix.floor(cuda, question.needs.numbers) : "");
    if (floor.valid() && (!demand.least.valid() || compare(demand.least, floor) == Order::less)) demand.least = floor, demand.least_for = what + " (CUDA " + cuda.first(2) + ")";
  };
  for (const Entity* torch : question.facts.of("torch"))
    if (torch->is("active", "yes") && torch->is("backend", "cuda")) want(torch->version("cuda"), "torch " + torch->get("version"));
  for (const auto& package : question.needs.packages) want(cuda_of(question.matrix, question.needs, package), package.name + (package.version.empty() ? "" : " " + package.version));
  demand.exact = question.needs.release.empty() ? 0 : static_cast<long>(Version(question.needs.release).major());
  return demand;
}

/// The driver that is here runs the GPUs and what was asked for.
bool serves(const Question& question, const Demand& demand) {
  const Needs& needs = question.needs;
  return needs.driver.valid() && obstacles(question.matrix, needs).empty() && (!demand.least.valid() || compare(needs.driver, demand.least) != Order::less) &&
         (demand.exact == 0 || demand.exact == static_cast<long>(needs.driver.major()));
}

void keep(const Question& question, Recommendation& out, std::string why) {
  out.version = question.needs.driver.text(), out.tag = question.needs.flavour;
  out.notes.push_back("It is here already" + std::move(why));
}

/// Why each newer branch was not taken.
void newer(const Question& question, const Demand& demand, const DriverChoice& choice, const std::vector<std::string>& served, Recommendation& out) {
  const auto rows = question.matrix.rows("driver", "branch");
  const long chosen = to_number(choice.branch), here = question.needs.driver.valid() ? static_cast<long>(question.needs.driver.major()) : 0;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const auto name = row->get("branch");
    const long branch = to_number(name);
    if (branch <= chosen) continue;
    const auto card = std::find_if(question.needs.cards.begin(), question.needs.cards.end(), [branch](const Card& one) { return one.last < branch; });
    const auto no = [&](Bar bar, std::string why, std::string fact, std::string where) { out.refused.push_back({name, "", bar, std::move(why), std::move(fact), std::move(where)}); };
    const std::string where = "driver.toml, branch " + name;
    Version least;
    std::string least_for;
    if (card != question.needs.cards.end()) no(Bar::gpu, "no longer drives this GPU: the last branch is " + std::to_string(card->last), card->shown, where);
    else if (!first_of(question.matrix, question.needs, branch, least, least_for)) no(Bar::gpu, "has no driver for this GPU", least_for, "driver.toml, first of its device");
    else if (ended(question.matrix, branch, today(question.facts))) no(Bar::status, "has reached its end of life", "", where);
    else if (demand.exact > 0) no(Bar::release, "is not the branch that was asked for", "", where);
    else if (std::find(served.begin(), served.end(), name) == served.end()) no(Bar::platform, "is not known to be in this distribution's packages", "branch " + joined(served, ", "), "actions/driver.toml, install-driver");
    else if (chosen == here) no(Bar::status, "is newer than the branch that is here, which will do", "driver " + question.needs.driver.text(), where);
    else no(Bar::status, "is no long-term branch, as " + choice.branch + " is", row->get("type"), where);
  }
}

}  // namespace

void recommend_driver(const Question& question, Recommendation& out) {
  const auto action = question.matrix.knowledge().actions().find("install-driver");
  const Needs& needs = question.needs;
  if (!any_nvidia(needs)) return void((out.none = "there is no NVIDIA GPU that is known", out.help = {"an NVIDIA GPU; drivers of other makers are part of the kernel"}));
  if (action == question.matrix.knowledge().actions().end()) return void((out.none = "no way to install a driver is known", out.help = {guide}));
  const Demand demand = demand_of(question);
  if (demand.least.valid()) out.machine.push_back("driver " + demand.least.text() + " at least for " + demand.least_for);
  // In WSL, in a container and on a Jetson the driver is somebody else's.
  const Fix elsewhere = instantiate(action->second, question.facts, {{"branch", "580"}, {"flavour", "open"}, {"version", "580"}}, {});
  const bool foreign = elsewhere.commands.empty() && !elsewhere.said.empty() && section_for(action->second.node, question.facts) != nullptr;
  if (foreign && serves(question, demand)) return keep(question, out, ", and it will do. " + elsewhere.said);
  const DriverChoice choice = choose_driver(question.matrix, question.facts, action->second, demand);
  if (foreign) {
    out.none = elsewhere.said;
    const long first = window_of(needs).least;
    const auto least = demand.least.valid() && static_cast<long>(demand.least.major()) >= first ? demand.least.text() : std::to_string(first);
    return void(out.help.push_back((question.needs.wsl ? "Windows driver " : "driver ") + least + " or newer"));
  }
  if (choice.branch.empty() && serves(question, demand)) return keep(question, out, ", and it will do: of the branches that this distribution serves none does.");
  if (!choice.refused.empty() || choice.branch.empty()) {
    out.none = !choice.refused.empty() ? choice.refused.substr(0, choice.refused.find(" See NVIDIA's")) : "which branches this distribution serves is not known here";
    const bool fits = window_of(needs).least <= window_of(needs).most && !(window_of(needs).open_needed && window_of(needs).open_impossible);
    for (std::size_t i = 0; needs.cards.size() > 1 && i < needs.cards.size(); ++i) {
      Needs without = needs;
      without.driver = {}, without.cards.erase(without.cards.begin() + static_cast<long>(i));
      if (!fits && obstacles(question.matrix, without).empty()) out.help.push_back("leave out " + needs.cards[i].shown);
    }
    if (out.help.empty()) out.help.push_back(std::string("NVIDIA's own packages, which serve more branches: ") + guide);
    return;
  }
  const Fix fix = instantiate(action->second, question.facts, {{"branch", choice.branch}, {"flavour", choice.flavour}, {"version", choice.branch}}, {});
  out.version = choice.branch, out.tag = choice.flavour;
  const bool same = needs.driver.valid() && std::to_string(needs.driver.major()) == choice.branch && serves(question, demand);
  if (same) out.notes.push_back("This branch is here already and will do: there is nothing to install.");
  else out.commands = fix.commands;
  if (!fix.said.empty()) out.notes.push_back(fix.said);
  if (choice.least.valid() && !same) out.notes.push_back(choice.least_for + " needs " + choice.least.text() + " or newer of this branch: see that the package is not older.");
  const Node* section = section_for(action->second.node, question.facts);
  newer(question, demand, choice, section ? section->list("branches") : std::vector<std::string>(), out);
}

}  // namespace gpudoctor
