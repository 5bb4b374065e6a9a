// SPDX-License-Identifier: Apache-2.0
// What a PCI id or a name stands for: chip, compute capability, brand; AMD's gfx target. Then how many of each there are.
#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// What a board is called where no driver says it: the name for all that share its id, else the newest form of the first.
std::string board_name(const Row& row) {
  if (const auto common = row.get("name"); !common.empty()) return common;
  const auto names = row.list("names");
  if (names.empty()) return {};
  const auto longer = "NVIDIA " + names.front();
  return std::find(names.begin(), names.end(), longer) != names.end() ? longer : names.front();
}

void nvidia(const Matrix& matrix, Entity& gpu) {
  const auto id = gpu.get("pci_id");
  Row row = id.starts_with("10de:") ? matrix.nvidia_by_id(id.substr(5)) : Row{};
  if (!row && gpu.has("name")) row = matrix.nvidia_by_name(gpu.get("name"));
  if (!row.verified()) row = {};
  if (row) {
    const Witness witness = matrix.witness("gpu", row);
    if (const auto name = board_name(row); !name.empty() && !gpu.has("name")) gpu.known("name", name, witness);
    if (!row.get("chip").empty()) gpu.known("chip", row.get("chip"), witness);
    if (!row.get("class").empty()) gpu.known("brand", row.get("class"), witness);
    if (row.get("cc").empty()) gpu.absent("compute_capability", witness);   // a card from before CUDA
    else gpu.known("compute_capability", row.get("cc"), witness);
    if (!row.sure()) gpu.unsure("compute_capability");
    if (!row.get("last-branch").empty()) gpu.known("last_branch", row.get("last-branch"), witness);
    if (!row.get("open").empty()) gpu.known("open_module", row.get("open"), witness);
  }
  if (!gpu.has("compute_capability")) {
    if (const Fact* found = gpu.find("compute_capability"); found && found->state == State::absent) return void(gpu.known("open_module", "impossible", found->witnesses.front()));
    gpu.unknown("compute_capability", (id.empty() ? gpu.get("name") : "device " + id) + " is not in the matrix of " + matrix.knowledge().date());
    return;
  }
  const auto cc = gpu.get("compute_capability");
  const Row capability = matrix.capability(cc);
  gpu.known("sm", "sm_" + sm_digits(cc), gpu.find("compute_capability")->witnesses.front());
  if (!gpu.find("compute_capability")->sure) gpu.unsure("sm");
  if (const Row arch = matrix.architecture(cc); arch && arch.verified()) {
    const Witness witness = matrix.witness("driver", arch);
    gpu.known("architecture", arch.get("name"), witness);
    // [[cc]] is finer than [[arch]]: 8.6 came a branch after 8.0.
    auto first = !capability.get("first-branch").empty() ? capability.get("first-branch") : arch.get("first-branch");
    // Finer still: the oldest branch that lists this very device (no 570 knows the desktop RTX 5050).
    const Row listed = id.starts_with("10de:") ? matrix.first_driver(id.substr(5)) : Row{};
    if (const Node* firsts = listed.node && listed.verified() ? listed.node->find("first") : nullptr)
      for (const auto& [branch, version] : firsts->fields)
        if (to_number(branch) >= to_number(first)) { first = branch; break; }
    if (!first.empty()) gpu.known("first_branch", first, witness);
    if (!gpu.has("open_module")) gpu.known("open_module", arch.get("open"), witness);
    if (!gpu.has("last_branch")) {
      if (!arch.get("last-branch").empty()) gpu.known("last_branch", arch.get("last-branch"), witness);
      else gpu.absent("last_branch", witness);
    }
    if (!arch.sure())
      for (const char* fact : {"first_branch", "last_branch", "open_module"}) gpu.unsure(fact);
  }
}

void amd(const Matrix& matrix, Entity& gpu) {
  const auto id = gpu.get("pci_id");
  Row row = id.starts_with("1002:") ? matrix.amd_by_id(id.substr(5)) : Row{};
  if (!row && gpu.has("name")) row = matrix.amd_by_name(gpu.get("name"));
  if (!row || !row.verified()) {
    if (!gpu.has("gfx")) gpu.unknown("gfx", (id.empty() ? gpu.get("name") : "device " + id) + " is not in the matrix of " + matrix.knowledge().date());
    return;
  }
  const Witness witness = matrix.witness("gpu", row);
  if (const auto name = board_name(row); !name.empty() && !gpu.has("name")) gpu.known("name", name.starts_with("AMD ") ? name : "AMD " + name, witness);
  if (!row.get("chip").empty()) gpu.known("chip", row.get("chip"), witness);
  gpu.known("gfx", row.get("gfx"), witness);
  if (!row.sure()) gpu.unsure("gfx");
}

/// An AMD GPU that ROCm can be meant for; the graphics part of a processor beside a card is no reason to want ROCm.
bool for_rocm(const Matrix& matrix, const Entity& gpu) {
  const auto gfx = gpu.get("gfx");
  if (const Node* rows = matrix.knowledge().table("torch").find("rocm"))
    for (const auto& row : rows->items)
      for (const auto& one : row.list("gfx"))
        if (one == gfx) return true;
  // Consumer cards that the wheels never had (RX 5700, RX 6700) still want an answer; APUs do not.
  return gfx.starts_with("gfx101") || gfx == "gfx1031" || gfx == "gfx1032" || gfx == "gfx1034" || gfx == "gfx803";
}

}  // namespace

void gpu_identity(const Matrix& matrix, Facts& facts) {
  std::map<std::string, int> indices;
  for (Entity* gpu : facts.of("gpu")) {
    if (!gpu->has("vendor") && gpu->has("name")) {   // a name alone, as people write it
      const auto name = gpu->get("name");
      const Witness& witness = gpu->find("name")->witnesses.front();
      if (matrix.nvidia_by_name(name) || lower(name).starts_with("nvidia")) gpu->known("vendor", "nvidia", {witness.rank, witness.source, 0, {}});
      else if (matrix.amd_by_name(name) || lower(name).starts_with("amd")) gpu->known("vendor", "amd", {witness.rank, witness.source, 0, {}});
    }
    if (gpu->is("vendor", "nvidia")) nvidia(matrix, *gpu);
    if (gpu->is("vendor", "amd")) amd(matrix, *gpu);
    if (!gpu->has("index")) gpu->known("index", std::to_string(indices[gpu->get("vendor")]), {Rank::measured, "order of the bus", 0, {}});
    ++indices[gpu->get("vendor")];
  }
  if (!facts.was_looked("gpu")) {
    for (const char* fact : {"nvidia_gpus", "amd_gpus", "gpus", "usable_gpus"}) facts.at("host").unknown(fact, facts.why_not("gpu"));
    return;
  }
  int nvidias = 0, amds = 0;
  for (const Entity* gpu : facts.of("gpu")) {
    nvidias += gpu->is("vendor", "nvidia");
    amds += gpu->is("vendor", "amd") && for_rocm(matrix, *gpu);
  }
  const Witness counted{Rank::measured, "the PCI bus", 0, {}};
  Entity& host = facts.at("host");
  host.known("nvidia_gpus", std::to_string(nvidias), counted);
  host.known("amd_gpus", std::to_string(amds), counted);
  host.known("gpus", std::to_string(facts.of("gpu").size()), counted);
}

}  // namespace gpudoctor
