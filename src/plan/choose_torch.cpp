// SPDX-License-Identifier: Apache-2.0
#include "choose_torch.hpp"

#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// "3.9-3.13" holds "3.11.7".
bool in_range(const std::string& range, const std::string& python) {
  if (python.empty() || range.empty()) return true;
  const auto dash = range.find('-');
  const Version have(Version(python).first(2));
  return compare(have, Version(range.substr(0, dash))) != Order::less && compare(have, Version(range.substr(dash + 1))) != Order::greater;
}

bool has_kernels(const std::vector<std::string>& archs, const Version& cc) {
  const bool tegra = cc.text() == "8.7" || cc.text() == "7.2" || cc.text() == "5.3" || cc.text() == "6.2" || cc.text() == "11.0";
  return std::any_of(archs.begin(), archs.end(), [&](const auto& word) {
    if (!word.starts_with("sm_")) return false;
    const Version arch(cc_of_sm(word));
    return arch.major() == cc.major() && (tegra ? arch.minor() == cc.minor() : arch.minor() <= cc.minor());
  });
}

/// What every build must satisfy, taken from the facts once.
struct Needs {
  std::vector<Version> capabilities;
  std::vector<std::string> gfx;
  Version driver, glibc;
  std::string python, platform;
};

Needs needs_of(const Facts& facts, const std::string& python) {
  Needs needs;
  for (const Entity* gpu : facts.of("gpu")) {
    if (gpu->is("bound", "vfio-pci")) continue;
    if (gpu->is("vendor", "nvidia") && gpu->has("compute_capability")) needs.capabilities.push_back(gpu->version("compute_capability"));
    if (gpu->is("vendor", "amd") && gpu->has("gfx")) needs.gfx.push_back(gpu->get("gfx"));
  }
  if (const Entity* driver = facts.find("driver")) needs.driver = driver->version("version");
  if (const Entity* host = facts.find("host")) needs.glibc = host->version("glibc");
  needs.python = python;
  needs.platform = platform_of(facts);
  return needs;
}

/// Empty when the variant serves; else why not.
std::string refused(const Matrix& matrix, const Row& release, const Row& variant, const Needs& needs, const std::string& system) {
  if (!in_range(release.get("python"), needs.python)) return "no build for Python " + needs.python;
  const auto platforms = variant.list("on");
  if (std::find(platforms.begin(), platforms.end(), needs.platform) == platforms.end()) return "no build for " + needs.platform;
  const auto glibc = variant.get("glibc").empty() ? release.get("glibc") : variant.get("glibc");
  if (system == "linux" && needs.glibc.valid() && !glibc.empty() && compare(needs.glibc, Version(glibc)) == Order::less) return "needs glibc " + glibc;
  const Node* archs = variant.node->find("archs");
  const auto words = archs ? arch_words(archs->get(needs.platform)) : std::vector<std::string>();
  for (const auto& cc : needs.capabilities)
    if (!has_kernels(words, cc)) return "no code for compute capability " + cc.text();
  const auto floor = matrix.floor(Version(variant.get("cuda")), system);
  if (needs.driver.valid() && !floor.empty() && compare(needs.driver, Version(floor)) == Order::less) return "needs driver " + floor;
  return {};
}

}  // namespace

TorchChoice choose_torch(const Matrix& matrix, const Facts& facts, const std::string& python, const std::string& keep) {
  const Needs needs = needs_of(facts, python);
  const auto system = system_of(facts);
  TorchChoice choice;
  choice.refused = "no published build of PyTorch has code for these GPUs";
  if (needs.capabilities.empty()) {
    choice.refused = needs.gfx.empty() ? "no GPU of a known kind" : "";
    for (const auto& row : matrix.torches()) {   // ROCm: the newest release with a tag whose list holds every target
      if (!row.verified() || !in_range(row.get("python"), python)) continue;
      for (const auto& tag : row.list("rocm")) {
        const auto gfx = matrix.rocm_targets(matrix.rocm(tag), row.get("torch"));
        const bool all = std::all_of(needs.gfx.begin(), needs.gfx.end(), [&](const auto& one) { return std::find(gfx.begin(), gfx.end(), one) != gfx.end(); });
        if (all && !needs.gfx.empty()) choice = {row.get("torch"), row.get("vision"), row.get("audio"), tag, {}, {}};
      }
    }
    if (choice.torch.empty() && choice.refused.empty()) choice.refused = "no published ROCm build of PyTorch has code for " + joined(needs.gfx, ", ");
    return choice;
  }
  std::vector<std::string> reasons;
  const auto rows = matrix.torches();
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    if (!row->verified() || (!keep.empty() && row->get("torch") != keep)) continue;
    const Node* variants = row->node->find("variant");
    if (!variants) continue;
    TorchChoice best;
    Version best_cuda;
    for (const auto& item : variants->items) {
      const Row variant{&item};
      if (!variant.get("tag").starts_with("cu") || !variant.verified() || variant.get("status") == "extra") continue;
      const auto why = refused(matrix, *row, variant, needs, system);
      if (!why.empty()) {
        if (std::find(reasons.begin(), reasons.end(), why) == reasons.end()) reasons.push_back(why);
        continue;
      }
      // Of several that serve, the newest CUDA that the driver runs without limits, else the newest that it runs.
      const Version cuda(variant.get("cuda"));
      const auto own = matrix.own(cuda, system);
      const bool full = !needs.driver.valid() || compare(needs.driver, Version(own)) == Order::greater || compare(needs.driver, Version(own)) == Order::equal;
      const bool better = best.tag.empty() || (full && compare(best_cuda, cuda) == Order::less);
      if (better) best = {row->get("torch"), row->get("vision"), row->get("audio"), variant.get("tag"), cuda.text(), {}}, best_cuda = cuda;
    }
    if (!best.tag.empty()) return best;
  }
  if (!keep.empty()) return choose_torch(matrix, facts, python);
  if (!reasons.empty()) choice.refused += ": " + joined(std::vector<std::string>(reasons.begin(), reasons.begin() + std::min<long>(3, static_cast<long>(reasons.size()))), "; ");
  return choice;
}

}  // namespace gpudoctor
