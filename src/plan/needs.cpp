// SPDX-License-Identifier: Apache-2.0
#include "needs.hpp"

#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

Card card_of(const Matrix& matrix, const Entity& gpu) {
  Card card;
  card.shown = "GPU" + (gpu.has("index") ? " " + gpu.get("index") : "") + (gpu.has("name") ? " " + gpu.get("name") : "");
  if (gpu.is("vendor", "amd")) card.gfx = gpu.get("gfx");
  if (!gpu.is("vendor", "nvidia")) return card;
  card.capability = gpu.version("compute_capability");
  const auto id = gpu.get("pci_id");
  if (gpu.has("first_branch")) card.first = to_number(gpu.get("first_branch"));
  if (gpu.has("last_branch")) card.last = to_number(gpu.get("last_branch"));
  card.open = gpu.get("open_module");
  // Whose device counts is Blackwell only (driver.toml, first): there a name alone is looked up too.
  card.device = id.starts_with("10de:") ? id.substr(5) : card.open == "required" ? matrix.nvidia_by_name(gpu.get("name")).get("id") : "";
  card.datacenter = gpu.is("brand", "datacenter");
  return card;
}

}  // namespace

Needs needs_of(const Matrix& matrix, const Facts& facts, const std::string& python) {
  Needs needs;
  for (const Entity* gpu : facts.of("gpu")) {
    if (gpu->is("bound", "vfio-pci")) continue;
    const Card card = card_of(matrix, *gpu);
    if (card.capability.valid() || !card.gfx.empty()) needs.cards.push_back(card);
  }
  if (const Entity* driver = facts.find("driver")) needs.driver = driver->version("version"), needs.flavour = driver->get("flavour");
  if (const Entity* host = facts.find("host")) {
    const Fact* glibc = host->find("glibc");
    needs.glibc = host->version("glibc");
    needs.musl = glibc && glibc->state == State::absent && !host->is("system", "windows");
    needs.wsl = host->is("wsl", "1") || host->is("wsl", "2");
    needs.one_flavour = !needs.wsl && !host->is("system", "windows");
  }
  needs.python = python;
  needs.platform = platform_of(facts);
  needs.system = system_of(facts);
  needs.numbers = needs.wsl ? "windows" : needs.system;
  return needs;
}

bool any_nvidia(const Needs& needs) {
  return std::any_of(needs.cards.begin(), needs.cards.end(), [](const Card& card) { return card.capability.valid(); });
}

bool any_amd(const Needs& needs) {
  return std::any_of(needs.cards.begin(), needs.cards.end(), [](const Card& card) { return !card.gfx.empty(); });
}

bool asked(const Needs& needs, const std::string& release) {
  return needs.release.empty() || release == needs.release || release.starts_with(needs.release + ".");
}

/// The driver as programs meet it: a cuda-compat package is the user-space part of a newer branch.
static Version user_driver(const Needs& needs) { return needs.compat > 0 ? Version(std::to_string(needs.compat) + ".999") : needs.driver; }

std::string floor_row(const Version& cuda) { return "cuda.toml, floor of CUDA " + (cuda.major() < 11 ? cuda.first(2) : std::to_string(cuda.major())); }

Runs runs(const Matrix& matrix, const Needs& needs, const Version& cuda) {
  const Version driver = user_driver(needs);
  if (!driver.valid()) return Runs::full;
  // By CUDA's minor: its patches bring no newer PTX.
  const auto floor = matrix.floor(cuda, needs.numbers), own = matrix.own(Version(cuda.first(2)), needs.numbers);
  if (!floor.empty() && compare(driver, Version(floor)) == Order::less) return Runs::no;
  if (own.empty()) return Runs::full;
  if (own.find('.') == std::string::npos) return to_number(own) <= static_cast<long>(driver.major()) ? Runs::full : Runs::limited;
  const Order order = compare(driver, Version(own));
  return order == Order::greater || order == Order::equal ? Runs::full : Runs::limited;
}

Version level(const Matrix& matrix, const Needs& needs) {
  const Version driver = user_driver(needs);
  return driver.valid() ? Version(matrix.level(matrix.branch_of(driver, needs.numbers == "windows"))) : Version();
}

std::vector<Row> compat_packages(const Matrix& matrix, const Needs& needs) {
  std::vector<Row> result;
  const auto unfit = [](const Card& card) { return card.capability.valid() && !card.datacenter; };
  if (!needs.driver.valid() || needs.system != "linux" || needs.wsl || needs.musl || !any_nvidia(needs)) return result;
  if (std::any_of(needs.cards.begin(), needs.cards.end(), unfit)) return result;
  const auto branch = std::to_string(needs.driver.major());
  for (const auto& row : matrix.rows("cuda", "compat")) {
    const auto drivers = row.list("drivers");
    if (row.verified() && std::find(drivers.begin(), drivers.end(), branch) != drivers.end()) result.push_back(row);
  }
  std::sort(result.begin(), result.end(), [](const Row& a, const Row& b) { return compare(Version(a.get("cuda")), Version(b.get("cuda"))) == Order::greater; });
  return result;
}

std::vector<Refusal> obstacles(const Matrix& matrix, const Needs& needs) {
  std::vector<Refusal> result;
  const long branch = needs.driver.valid() ? matrix.branch_of(needs.driver, needs.numbers == "windows") : 0;
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
  // Blackwell boards came one by one. The numbers are those of Linux.
  for (const Card& card : needs.cards) {
    if (!result.empty() || !needs.one_flavour || !card.capability.valid()) break;
    const auto first = matrix.first_driver_of(card.device, branch);
    const std::string row = "driver.toml, first of device " + card.device;
    if (first == "none") result.push_back({"", "", Bar::driver, card.shown + " is in no driver of branch " + std::to_string(branch), here, row});
    else if (!first.empty() && compare(needs.driver, Version(first)) == Order::less) result.push_back({"", "", Bar::driver, card.shown + " needs driver " + first + " or newer of this branch", here, row});
  }
  if (needs.one_flavour && open && needs.flavour == "proprietary") add(Bar::driver, open->shown + " needs the open kernel modules", here, *open);
  if (needs.one_flavour && closed && needs.flavour == "open") add(Bar::driver, closed->shown + " needs the proprietary kernel modules", here, *closed);
  return result;
}

}  // namespace gpudoctor
