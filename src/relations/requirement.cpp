// SPDX-License-Identifier: Apache-2.0
#include "requirement.hpp"

#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

using Holds = std::optional<bool>;

/// "cuda>=12.4" → name, sign, value.
struct Part {
  std::string_view name, sign, value;
};

std::optional<Part> part_of(std::string_view text) {
  const auto at = text.find_first_of("<>=!");
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const auto end = text.find_first_not_of("<>=!", at);
  if (end == std::string_view::npos) return std::nullopt;
  return Part{text.substr(0, at), text.substr(at, end - at), text.substr(end)};
}

Holds ordered(std::string_view sign, const Version& have, const Version& want) {
  if (!have.valid() || !want.valid()) return std::nullopt;
  // "driver<471" means the branch: compared as far as it is written.
  const Order order = compare(Version(have.first(want.parts().size())), want);
  if (order == Order::unknown) return std::nullopt;
  const bool less = order == Order::less, equal = order == Order::equal;
  if (sign == ">=") return !less;
  if (sign == ">") return !less && !equal;
  if (sign == "<=") return less || equal;
  if (sign == "<") return less;
  if (sign == "=" || sign == "==") return equal;
  if (sign == "!=") return !equal;
  return std::nullopt;
}

/// Any GPU that fits will do; no answer when none is known to and one is not known.
template <class Items, class Test>
Holds any(const Items& items, Test&& test) {
  if (items.empty()) return std::nullopt;
  bool unknown = false;
  for (const auto& item : items) {
    const Holds one = test(item);
    if (one == true) return true;
    unknown = unknown || !one;
  }
  return unknown ? Holds() : Holds(false);
}

Holds holds(std::string_view text, const Offer& offer) {
  const auto part = part_of(text);
  if (!part) return std::nullopt;
  const Version want{std::string(part->value)};
  if (part->name == "cuda") return ordered(part->sign, offer.cuda, want);
  if (part->name == "driver") return ordered(part->sign, offer.driver, want);
  if (part->name == "arch") return any(offer.capabilities, [&](const Version& one) { return ordered(part->sign, one, want); });
  if (part->name == "brand")
    return any(offer.brands, [&](const std::string& one) { return one.empty() ? Holds() : Holds((one == part->value) == (part->sign != "!=")); });
  return std::nullopt;
}

/// NVML's brand by the name that the driver prints: Tesla boards up to Turing say it, later ones are "NVIDIA".
std::string brand_of(const Entity& gpu) {
  const auto name = gpu.get("name");
  if (gpu.is("brand", "geforce")) return contains(name, "TITAN") ? "titan" : "geforce";
  if (name.starts_with("Tesla ")) return "tesla";
  if (gpu.is("brand", "datacenter")) return "nvidia";
  if (name.starts_with("Quadro RTX")) return "quadrortx";
  if (name.starts_with("Quadro")) return "quadro";
  if (contains(name, "RTX") && gpu.is("brand", "workstation")) return "nvidiartx";
  return {};
}

}  // namespace

std::optional<bool> satisfied(std::string_view requirement, const Offer& offer) {
  Holds result = false;
  bool none = true;
  for (const auto alternative : words(requirement)) {
    none = false;
    Holds all = true;
    for (const auto part : split(alternative, ',')) {
      const Holds one = holds(part, offer);
      if (one == false) all = false;
      if (!one && all == true) all = std::nullopt;
    }
    if (all == true) return true;
    if (!all) result = std::nullopt;
  }
  return none ? Holds(true) : result;
}

void requirement(const Matrix&, Facts& facts) {
  Entity* container = facts.find(Id{"container", ""});
  if (!container) return;
  const Fact* require = container->find("require");
  if (!require || require->state == State::unknown) return void(container->unknown("require_holds", require ? require->reason : "NVIDIA_REQUIRE_CUDA was not looked for"));
  if (require->state == State::absent) return void(container->absent("require_holds", require->witnesses.front()));
  const Entity* disabled = variable_named(facts, "NVIDIA_DISABLE_REQUIRE");
  const auto& witness = container->find("require")->witnesses.front();
  const Witness here{witness.rank, witness.source, 0, {}};
  if (disabled && (disabled->is("value", "1") || disabled->is("value", "true"))) return void(container->known("require_holds", "yes", disabled->find("value")->witnesses.front()));
  if (container->is("gpu_nodes", "no")) return void(container->absent("require_holds", container->find("gpu_nodes")->witnesses.front()));   // nothing was asked of a driver
  const Entity* driver = facts.find("driver");
  Offer offer;
  if (driver) offer.cuda = driver->version("cuda"), offer.driver = driver->version("version");
  if (!offer.driver.valid()) return void(container->unknown("require_holds", "the host's driver is not known"));
  for (const Entity* gpu : std::as_const(facts).of("gpu")) {
    if (!gpu->is("vendor", "nvidia")) continue;
    offer.brands.push_back(brand_of(*gpu));
    offer.capabilities.push_back(gpu->version("compute_capability"));
  }
  const auto answer = satisfied(container->get("require"), offer);
  if (!answer) container->unknown("require_holds", "the requirement names something that is not known here");
  else container->known("require_holds", *answer ? "yes" : "no", here);
}

}  // namespace gpudoctor
