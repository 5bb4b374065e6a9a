// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

class Changes {
 public:
  Changes(const Question& question, const Attempt& attempt, Recommendation& out) : question_(question), needs_(question.needs), attempt_(attempt), out_(out) {}

  void run() {
    const auto stands = obstacles(question_.matrix, needs_);   // then only the driver or a card can help
    wishes();
    if (stands.empty()) python();
    if (needs_.driver.valid()) driver(stands);
    if (stands.empty()) {
      if (const auto compat = compat_option(question_, attempt_, Outcome{}); !compat.empty()) out_.help.push_back(compat);
      system();
    }
    cards();
    if (out_.help.empty()) card_and_driver();
    if (out_.help.empty()) out_.help.push_back("no single change helps");
  }

 private:
  bool with(const Needs& changed, const std::string& text) {
    if (!obstacles(question_.matrix, changed).empty()) return false;
    const auto then = attempt_(changed);
    if (!then.what.empty()) out_.help.push_back(text + ": then " + then.what);
    return !then.what.empty();
  }

  void wishes() {
    Needs changed = needs_;
    changed.release.clear(), changed.tag.clear();
    if (!needs_.release.empty() || !needs_.tag.empty()) with(changed, "another release than " + needs_.release + (needs_.tag.empty() ? "" : "+" + needs_.tag));
    for (std::size_t i = 0; i < needs_.packages.size(); ++i) {
      changed = needs_, changed.packages.erase(changed.packages.begin() + static_cast<long>(i));
      const auto& package = needs_.packages[i];
      with(changed, package.installed ? "an environment of its own, without " + package.name : "leave out " + package.name);
      if (package.name != "torch" || !package.installed) continue;
      changed.packages.push_back({"torch", "", false});
      with(changed, "another torch beside it (--with torch)");
    }
    changed = needs_, changed.channel = Channel::pip;
    if (needs_.channel == Channel::conda) with(changed, "an environment of pip instead of conda");
    changed.channel = Channel::conda;
    if (needs_.channel == Channel::pip) with(changed, "conda-forge's own build (--installer conda)");
  }

  void python() {
    Needs changed = needs_;
    changed.python.clear();
    if (needs_.python.empty()) return;
    if (const auto then = attempt_(changed); !then.what.empty()) out_.help.push_back("a Python of " + then.python + ": then " + then.what);
  }

  void driver(const std::vector<Refusal>& stands) {
    Needs changed = needs_;
    changed.flavour.clear();
    if (!needs_.flavour.empty() && !stands.empty() && with(changed, "the " + std::string(needs_.flavour == "open" ? "proprietary" : "open") + " flavour of the driver's modules")) return;
    const auto floor = least_driver(needs_);
    if (floor.empty()) return;
    changed.driver = whole(floor);
    if (compare(needs_.driver, changed.driver) != Order::greater) with(changed, "driver " + floor + " or newer" + (needs_.flavour == "proprietary" && wants_open() ? ", with the open modules" : ""));
    else if (!stands.empty()) with(changed, "driver branch " + std::to_string(last_branch(needs_)) + " or older");
  }

  bool wants_open() const {
    return std::any_of(needs_.cards.begin(), needs_.cards.end(), [](const Card& card) { return card.open == "required"; });
  }

  /// The last branch that all cards have.
  static long last_branch(const Needs& needs) {
    long last = 100000;
    for (const auto& card : needs.cards) last = std::min(last, card.last);
    return last;
  }

  static Version whole(const std::string& floor) { return Version(floor + (contains(floor, ".") ? "" : ".0")); }

  /// The lowest driver by which something fits; with a card that was dropped, the lowest of all.
  std::string least_driver(const Needs& needs) const {
    long first = 0;
    for (const auto& card : needs.cards) first = std::max(first, card.first);
    Needs newest = needs;   // where the newest driver does not help, no driver does
    newest.driver = Version(std::to_string(std::min(last_branch(needs), question_.matrix.newest_branch())) + ".999"), newest.flavour.clear();
    if (!obstacles(question_.matrix, newest).empty() || attempt_(newest).what.empty()) return {};
    std::vector<std::string> floors;
    for (const auto& row : question_.matrix.rows("cuda", "major"))
      if (const Node* node = row.node->find("driver")) floors.push_back(node->get(needs.numbers));
    for (const auto& card : needs.cards)   // a board can come after the first driver of its branch
      for (const auto& row : question_.matrix.rows("driver", "branch"))
        if (const auto own = question_.matrix.first_driver_of(card.device, to_number(row.get("branch"))); !own.empty() && own != "none") floors.push_back(own);
    floors.push_back(std::to_string(first) + ".0");
    std::sort(floors.begin(), floors.end(), [](const auto& a, const auto& b) { return compare(Version(a), Version(b)) == Order::less; });
    for (const auto& floor : floors) {
      Needs changed = needs;
      changed.driver = Version(floor), changed.flavour.clear();
      if (static_cast<long>(changed.driver.major()) < first || !obstacles(question_.matrix, changed).empty() || attempt_(changed).what.empty()) continue;
      return floor.ends_with(".0") ? floor.substr(0, floor.size() - 2) : floor;
    }
    return {};
  }

  void system() {
    Needs changed = needs_;
    changed.glibc = {}, changed.musl = false;
    if (!needs_.glibc.valid() && !needs_.musl) return;
    if (const auto then = attempt_(changed); !then.what.empty()) out_.help.push_back("a system with glibc" + (then.glibc.empty() ? "" : " " + then.glibc) + ": then " + then.what);
  }

  void cards() {
    for (std::size_t i = 0; needs_.cards.size() > 1 && i < needs_.cards.size(); ++i) {
      Needs changed = needs_;
      changed.cards.erase(changed.cards.begin() + static_cast<long>(i));
      with(changed, "leave out " + needs_.cards[i].shown);
    }
  }

  void card_and_driver() {
    for (std::size_t i = 0; needs_.cards.size() > 1 && i < needs_.cards.size(); ++i) {
      Needs changed = needs_;
      changed.cards.erase(changed.cards.begin() + static_cast<long>(i)), changed.flavour.clear();
      const auto floor = least_driver(changed);
      if (floor.empty()) continue;
      changed.driver = whole(floor);
      with(changed, "leave out " + needs_.cards[i].shown + " and take driver " + floor);
    }
  }

  const Question& question_;
  const Needs& needs_;
  const Attempt& attempt_;
  Recommendation& out_;
};

}  // namespace

void smallest_changes(const Question& question, const Attempt& attempt, Recommendation& out) { Changes(question, attempt, out).run(); }

std::string compat_option(const Question& question, const Attempt& attempt, const Outcome& now) {
  Needs changed = question.needs;
  if (!obstacles(question.matrix, changed).empty()) return {};
  std::string found;
  Outcome best;
  for (const auto& row : compat_packages(question.matrix, question.needs)) {   // newest first; the oldest that gets as far
    changed.compat = to_number(row.get("branch"));
    const auto then = attempt(changed);
    if (then.what.empty() || then.what == now.what || (!now.release.empty() && compare(Version(then.release), Version(now.release)) == Order::less)) break;
    if (!found.empty() && then.what != best.what) break;
    best = then;
    found = "the package " + row.get("package") + " over this driver (data-centre GPUs only; LD_LIBRARY_PATH=/usr/local/cuda-" + row.get("cuda") + "/compat): then " + then.what;
  }
  return found;
}

}  // namespace gpudoctor
