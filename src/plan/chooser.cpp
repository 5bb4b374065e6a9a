// SPDX-License-Identifier: Apache-2.0
#include "chooser.hpp"

#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {

Needs needs_of(const Facts& facts, const std::string& python) {
  Needs needs;
  for (const Entity* gpu : facts.of("gpu")) {
    if (gpu->is("bound", "vfio-pci")) continue;
    Card card;
    card.shown = "GPU" + (gpu->has("index") ? " " + gpu->get("index") : "") + (gpu->has("name") ? " " + gpu->get("name") : "");
    if (gpu->is("vendor", "nvidia")) card.capability = gpu->version("compute_capability");
    if (gpu->is("vendor", "amd")) card.gfx = gpu->get("gfx");
    if (gpu->has("first_branch")) card.first = to_number(gpu->get("first_branch"));
    if (gpu->has("last_branch")) card.last = to_number(gpu->get("last_branch"));
    card.open = gpu->get("open_module");
    if (card.capability.valid() || !card.gfx.empty()) needs.cards.push_back(card);
  }
  if (const Entity* driver = facts.find("driver")) needs.driver = driver->version("version"), needs.flavour = driver->get("flavour");
  if (const Entity* host = facts.find("host")) {
    needs.glibc = host->version("glibc");
    needs.one_flavour = !host->is("wsl", "1") && !host->is("wsl", "2") && !host->is("system", "windows");
  }
  needs.python = python;
  needs.platform = platform_of(facts);
  needs.system = system_of(facts);
  return needs;
}

bool any_nvidia(const Needs& needs) {
  return std::any_of(needs.cards.begin(), needs.cards.end(), [](const Card& card) { return card.capability.valid(); });
}

Runs runs(const Matrix& matrix, const Needs& needs, const Version& cuda) {
  if (!needs.driver.valid()) return Runs::full;
  // By CUDA's minor: its patches bring no newer PTX.
  const auto floor = matrix.floor(cuda, needs.system), own = matrix.own(Version(cuda.first(2)), needs.system);
  if (!floor.empty() && compare(needs.driver, Version(floor)) == Order::less) return Runs::no;
  if (own.empty()) return Runs::full;
  if (own.find('.') == std::string::npos) return to_number(own) <= static_cast<long>(needs.driver.major()) ? Runs::full : Runs::limited;
  const Order order = compare(needs.driver, Version(own));
  return order == Order::greater || order == Order::equal ? Runs::full : Runs::limited;
}

std::vector<Refusal> obstacles(const Needs& needs) {
  std::vector<Refusal> result;
  const long branch = needs.driver.valid() ? static_cast<long>(needs.driver.major()) : 0;
  const std::string here = "driver " + needs.driver.text() + (needs.flavour.empty() ? "" : " (" + needs.flavour + ")");
  const Card *open = nullptr, *closed = nullptr, *newest = nullptr, *oldest = nullptr;
  for (const Card& card : needs.cards) {
    if (!card.capability.valid()) continue;
    if (card.open == "required" && !open) open = &card;
    if (card.open == "impossible" && !closed) closed = &card;
    if (!newest || card.first > newest->first) newest = &card;
    if (!oldest || card.last < oldest->last) oldest = &card;
  }
  const auto add = [&result](Bar bar, std::string why, std::string fact, const Card& card) {
    result.push_back({"", "", bar, std::move(why), std::move(fact), "driver.toml, architecture of compute capability " + card.capability.text()});
  };
  if (needs.one_flavour && open && closed)
    add(Bar::gpu, "no kernel module serves both: " + open->shown + " needs the open modules, which start at Turing", closed->shown, *closed);
  if (newest && oldest && newest->first > oldest->last)
    add(Bar::gpu, "no driver branch serves both: " + newest->shown + " starts at " + std::to_string(newest->first) + ", and the last for the other is " + std::to_string(oldest->last), oldest->shown, *oldest);
  if (!result.empty() || branch == 0) return result;
  if (newest && newest->first > branch) add(Bar::driver, newest->shown + " needs driver " + std::to_string(newest->first) + " or newer", here, *newest);
  if (oldest && oldest->last < branch) add(Bar::driver, oldest->shown + " was dropped after driver branch " + std::to_string(oldest->last), here, *oldest);
  if (needs.one_flavour && open && needs.flavour == "proprietary") add(Bar::driver, open->shown + " needs the open kernel modules", here, *open);
  if (needs.one_flavour && closed && needs.flavour == "open") add(Bar::driver, closed->shown + " needs the proprietary kernel modules", here, *closed);
  return result;
}

Recommendation recommend(const Matrix& matrix, const Facts& facts, const Wish& wish, Machine::World world) {
  Recommendation out;
  out.product = wish.product;
  out.matrix_date = matrix.knowledge().date();
  const Entity* env = nullptr;
  for (const Entity* one : facts.of("env"))
    if (one->is("active", "yes")) env = one;
  Needs needs = needs_of(facts, !wish.python.empty() ? wish.python : env ? env->get("python") : "");
  const auto plus = wish.version.find('+');
  needs.release = wish.version.substr(0, plus);
  if (plus != std::string::npos) needs.tag = wish.version.substr(plus + 1);
  for (const auto& text : wish.with) {
    const auto sign = text.find("==");
    needs.packages.push_back({normalized_package(text.substr(0, sign)), sign == std::string::npos ? "" : text.substr(sign + 2), false});
  }
  for (const auto& card : needs.cards)
    out.machine.push_back(card.shown + ", " + (card.capability.valid() ? "compute capability " + card.capability.text() : card.gfx));
  for (const Entity* gpu : facts.of("gpu"))
    if ((gpu->is("vendor", "nvidia") && !gpu->has("compute_capability")) || (gpu->is("vendor", "amd") && !gpu->has("gfx")))
      out.notes.push_back(gpu->shown() + " is not in the matrix: nothing can be said for it.");
  if (needs.driver.valid() || any_nvidia(needs) || needs.cards.empty()) out.machine.push_back(needs.driver.valid() ? "driver " + needs.driver.text() + (needs.flavour.empty() ? "" : " (" + needs.flavour + ")") : "no NVIDIA driver");
  if (!needs.python.empty()) out.machine.push_back("Python " + needs.python);
  if (needs.glibc.valid()) out.machine.push_back("glibc " + needs.glibc.text());
  out.machine.push_back(needs.platform);

  const auto& product = wish.product;
  if (product == "torch") recommend_torch(matrix, facts, needs, wish, world, out);
  else if (product == "libtorch") recommend_libtorch(matrix, needs, out);
  else if (product == "driver") recommend_driver(matrix, facts, needs, out);
  else if (product == "cuda") recommend_cuda(matrix, facts, needs, out);
  else if (product == "cudnn" || product == "nccl") recommend_library(matrix, facts, needs, wish, out);
  else recommend_framework(matrix, facts, needs, wish, world, out);
  return out;
}

}  // namespace gpudoctor
