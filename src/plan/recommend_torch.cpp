// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "chooser.hpp"
#include "environment.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

std::string named(const TorchChoice& choice) { return "torch " + choice.torch + "+" + choice.tag; }

/// Packages of the environment that pin torch, besides those that the user named.
void add_installed(const Matrix& matrix, const Entity* env, Needs& needs) {
  const Node* rows = matrix.knowledge().table("framework").find("release");
  if (!env || !rows) return;
  for (const auto& package : env->items("packages")) {
    const auto sign = package.find("==");
    const Wanted one{package.substr(0, sign), sign == std::string::npos ? "" : package.substr(sign + 2), true};
    const bool named = std::any_of(needs.packages.begin(), needs.packages.end(), [&one](const Wanted& other) { return other.name == one.name; });
    const bool pins = std::any_of(rows->items.begin(), rows->items.end(), [&one](const Node& row) { return row.get("framework") == one.name && row.find("torch"); });
    if (pins && !named && !one.version.empty()) needs.packages.push_back(one);
  }
}

/// The lowest driver by which something fits, when the driver alone stands in the way.
std::string least_driver(const Matrix& matrix, const Needs& needs) {
  long first = 0;
  for (const auto& card : needs.cards) first = std::max(first, card.first);
  std::vector<std::string> floors;
  if (const Node* majors = matrix.knowledge().table("cuda").find("major"))
    for (const auto& row : majors->items)
      if (const Node* driver = row.find("driver")) floors.push_back(driver->get(needs.system));
  floors.push_back(std::to_string(first) + ".0");
  std::sort(floors.begin(), floors.end(), [](const auto& a, const auto& b) { return compare(Version(a), Version(b)) == Order::less; });
  for (const auto& floor : floors) {
    Needs with = needs;
    with.driver = Version(floor), with.flavour.clear();
    if (static_cast<long>(with.driver.major()) >= first && obstacles(with).empty() && choose_torch(matrix, with).found()) return floor.ends_with(".0") ? floor.substr(0, floor.size() - 2) : floor;
  }
  return {};
}

/// Single changes by which something fits, smallest first: an own wish, the environment, the driver, the system, a card.
void help(const Matrix& matrix, const Needs& needs, Recommendation& out) {
  const bool stands = !obstacles(needs).empty();   // then only the driver or a card can help
  const auto attempt = [&](const Needs& changed, const std::string& text) {
    if (!obstacles(changed).empty()) return;
    if (const auto choice = choose_torch(matrix, changed); choice.found()) out.help.push_back(text + ": then " + named(choice));
  };
  Needs changed = needs;
  if (!needs.release.empty() || !needs.tag.empty()) changed.release.clear(), changed.tag.clear(), attempt(changed, "another release than " + needs.release + (needs.tag.empty() ? "" : "+" + needs.tag));
  for (std::size_t i = 0; i < needs.packages.size(); ++i) {
    changed = needs, changed.packages.erase(changed.packages.begin() + static_cast<long>(i));
    attempt(changed, "leave out " + needs.packages[i].name);
  }
  changed = needs, changed.python.clear();
  if (!needs.python.empty() && !stands)
    if (const auto choice = choose_torch(matrix, changed); choice.found()) attempt(changed, "a Python of " + matrix.torch(choice.torch).get("python"));
  if (needs.driver.valid()) {
    changed = needs, changed.flavour.clear();
    if (!needs.flavour.empty()) attempt(changed, "the " + std::string(needs.flavour == "open" ? "proprietary" : "open") + " flavour of the driver's modules");
    if (const auto floor = least_driver(matrix, needs); !floor.empty()) {
      changed.driver = Version(floor + (contains(floor, ".") ? "" : ".0"));
      const bool older = compare(needs.driver, changed.driver) == Order::greater;
      if (!older) attempt(changed, "driver " + floor + " or newer");
      else attempt(changed, "an older driver branch, such as " + floor);
    }
  }
  changed = needs, changed.glibc = {};
  if (needs.glibc.valid() && !stands)
    if (const auto choice = choose_torch(matrix, changed); choice.found()) attempt(changed, "a system with glibc " + matrix.torch(choice.torch).get("glibc"));
  for (std::size_t i = 0; needs.cards.size() > 1 && i < needs.cards.size(); ++i) {
    changed = needs, changed.cards.erase(changed.cards.begin() + static_cast<long>(i));
    attempt(changed, "leave out " + needs.cards[i].shown);
  }
  if (!out.help.empty()) return;
  for (std::size_t i = 0; needs.cards.size() > 1 && i < needs.cards.size(); ++i) {   // a card and the driver
    changed = needs, changed.cards.erase(changed.cards.begin() + static_cast<long>(i)), changed.flavour.clear();
    if (const auto floor = least_driver(matrix, changed); !floor.empty()) changed.driver = Version(floor + (contains(floor, ".") ? "" : ".0")), attempt(changed, "leave out " + needs.cards[i].shown + " and take driver " + floor);
  }
  if (out.help.empty()) out.help.push_back("no single change helps");
}

void commands(const Matrix& matrix, const Facts& facts, const TorchChoice& choice, const Wish& wish, const Entity* env, Machine::World world, Recommendation& out) {
  Values values{{"python", "python3"}, {"env", "<your environment>"}};
  std::vector<std::string> managers{"pip"};
  const bool other_python = env && !wish.python.empty() && Version(env->get("python")).first(2) != Version(wish.python).first(2);
  if (other_python) env = nullptr, values["python"] = safe("python" + Version(wish.python).first(2));
  if (env) environment_values(*env, facts, world, values, managers);
  if (!wish.installer.empty()) managers = {wish.installer};
  if (!torch_values_of(matrix, choice, values, managers)) return void(out.notes.push_back("conda has no ROCm build of PyTorch: use an environment with pip."));
  // pip and uv take an installed variant of the same release for the wanted one.
  bool other_variant = false;
  for (const Entity* torch : facts.of("torch")) other_variant = other_variant || (facts.nearest(*torch, "env") == env && torch->is("release", choice.torch) && !torch->is("tag", choice.tag));
  const auto& actions = matrix.knowledge().actions();
  const auto action = actions.find(other_variant ? "torch-gpu-build" : "torch-build-for-these-gpus");
  if (action == actions.end()) return;
  Fix fix = instantiate(action->second, facts, values, managers);
  const bool conda = managers[0].starts_with("conda");
  for (const auto& package : choice.packages)
    if (!conda) fix.commands.push_back(managers[0] == "uv" ? "uv pip install --python " + values["python"] + " '" + package + "' torch==" + choice.torch + " --torch-backend=" + choice.tag
                                                            : values["python"] + " -m pip install '" + package + "' torch==" + choice.torch + "+" + choice.tag + " --extra-index-url " + values["index"]);
    else out.notes.push_back(package + " goes with it.");
  suit_environment(env, values, fix);
  if (!fix.said.empty()) out.notes.push_back(fix.said);
  out.commands = fix.commands;
  if (conda && managers[0] == "conda" && !matrix.conda_forge(Version(choice.torch), Version(choice.cuda)))
    out.notes.push_back("The matrix knows no conda-forge build of torch " + choice.torch + " with CUDA " + Version(choice.cuda).first(2) + ": conda's solver decides.");
}

}  // namespace

void recommend_torch(const Matrix& matrix, const Facts& facts, const Needs& asked, const Wish& wish, Machine::World world, Recommendation& out) {
  const Entity* env = nullptr;
  for (const Entity* one : facts.of("env"))
    if (one->is("active", "yes")) env = one;
  Needs needs = asked;
  add_installed(matrix, env, needs);
  for (const auto& package : needs.packages) {
    std::string said;
    if (fits(matrix, needs, package, "0", Version("0"), "", said) == Fits::unknown)
      out.notes.push_back("The matrix has no row for " + package.name + (package.version.empty() ? "" : " " + package.version) + " that names a torch: whether it goes with it is not known.");
  }
  if (needs.cards.empty()) {
    out.none = "there is no GPU that is known here";
    out.help = {"without a GPU: " + std::string("python3 -m pip install torch --index-url https://download.pytorch.org/whl/cpu")};
    return;
  }
  const auto stands = any_nvidia(needs) ? obstacles(needs) : std::vector<Refusal>();
  const TorchChoice choice = stands.empty() ? choose_torch(matrix, needs) : TorchChoice();
  if (!stands.empty() || !choice.found()) {
    out.none = stands.empty() ? choice.refused : stands.front().why;
    out.refused = stands.empty() ? choice.refusals : stands;
    const bool blackwell = std::any_of(needs.cards.begin(), needs.cards.end(), [](const Card& card) { return card.open == "required"; });
    const bool old = std::any_of(needs.cards.begin(), needs.cards.end(), [](const Card& card) { return card.open == "impossible"; });
    if (blackwell && old && !needs.one_flavour) out.notes.push_back("conda-forge's builds for CUDA 12.9 have code for Maxwell to Blackwell in one (torch.toml, conda-forge 2.7.1-2.13.0).");
    return help(matrix, needs, out);
  }
  out.version = choice.torch, out.tag = choice.tag, out.cuda = choice.cuda, out.refused = choice.refusals, out.sure = choice.sure;
  if (choice.limited) out.notes.push_back("The driver runs CUDA " + Version(choice.cuda).first(2) + " with limits (minor-version compatibility): PTX that it must compile does not run.");
  if (!needs.driver.valid() && any_nvidia(needs)) out.notes.push_back("It needs an NVIDIA driver, " + matrix.floor(Version(choice.cuda), needs.system) + " or newer: gpudoctor recommend driver.");
  commands(matrix, facts, choice, wish, env, world, out);
}

}  // namespace gpudoctor
