// SPDX-License-Identifier: Apache-2.0
// Whether a PyTorch build has code for a GPU.
#include "arch_reach.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string cuda_reach(const Facts& facts, const Entity& torch, const Entity& gpu, std::vector<std::string>& serves) {
  if (!torch.has("archs") || !gpu.has("compute_capability")) return "unknown";
  const Entity* driver = facts.find("driver");
  const Version level = driver ? driver->version("cuda") : Version();
  return reach_of(torch.items("archs"), gpu.version("compute_capability"), torch.version("cuda"), level, &serves);
}

namespace {

std::string rocm_reach(const Entity& torch, const Entity& gpu, std::vector<std::string>& serves) {
  if (!torch.has("archs") || !gpu.has("gfx")) return "unknown";
  const auto gfx = gpu.get("gfx");
  for (const auto& word : torch.items("archs")) {
    const auto plain = word.substr(0, word.find(':'));   // gfx90a:xnack-
    const bool generic = plain.ends_with("-generic") && gfx.starts_with(replaced(plain.substr(0, plain.size() - 8), "-", "").substr(0, 5));
    if (plain == gfx || generic) serves.push_back(word);
  }
  return serves.empty() ? "gap" : "runs";
}

/// The CUDA tags of the newest listed release that have this GPU, for people.
std::string wanted(const Matrix& matrix, const Entity& gpu, const std::string& platform) {
  const Version cc = gpu.version("compute_capability");
  std::string tags, from, to;
  for (const auto& row : matrix.torches()) {
    const Node* variants = row.node->find("variant");
    if (!row.verified() || !variants) continue;
    std::string here;
    for (const auto& variant : variants->items) {
      const Node* archs = variant.find("archs");
      if (!archs) continue;
      for (const auto& word : arch_words(archs->get(platform)))
        if (cubin_runs(word, cc)) {
          here += (here.empty() ? "" : ", ") + variant.get("tag");
          break;
        }
    }
    if (here.empty()) continue;
    if (from.empty()) from = row.get("torch");
    to = row.get("torch"), tags = here;
  }
  if (tags.empty()) return {};
  return to == matrix.newest_torch() ? "from torch " + from + " on; in " + to + " in " + tags : "from torch " + from + " to " + to + " (" + tags + ")";
}

}  // namespace

void torch_on_gpu(const Matrix& matrix, Facts& facts) {
  for (const Entity* torch : std::as_const(facts).of("torch")) {
    const auto backend = torch->get("backend");
    const std::string vendor = backend == "cuda" ? "nvidia" : backend == "rocm" ? "amd" : backend == "xpu" ? "intel" : "";
    bool vendor_here = false;
    for (const Entity* gpu : std::as_const(facts).of("gpu")) vendor_here = vendor_here || (!vendor.empty() && gpu->is("vendor", vendor));
    for (const Entity* gpu : std::as_const(facts).of("gpu")) {
      if (!gpu->is("vendor", "nvidia") && !gpu->is("vendor", "amd")) continue;
      Entity& pair = facts.at("torch_on_gpu", torch->id().key + " " + gpu->id().key);
      pair.parent(torch->id()), pair.parent(gpu->id());
      std::vector<std::string> serves;
      std::string reach = "unknown";
      if (backend == "cpu") reach = "cpu";
      else if (!vendor.empty() && !gpu->is("vendor", vendor)) reach = "vendor";
      else if (backend == "cuda") reach = cuda_reach(facts, *torch, *gpu, serves);
      else if (backend == "rocm") reach = rocm_reach(*torch, *gpu, serves);
      const bool sure = [&] {
        for (const auto& [entity, name] : {std::pair(torch, "archs"), std::pair(torch, "backend"), std::pair(gpu, "compute_capability"), std::pair(gpu, "gfx")})
          if (const Fact* fact = entity->find(name); fact && fact->known() && !fact->sure) return false;
        return true;
      }();
      if (reach == "unknown") {
        const char* needed = gpu->is("vendor", "amd") ? "gfx" : "compute_capability";
        const Entity* lacking = backend.empty() || !torch->has("archs") ? torch : gpu;
        const char* fact = lacking == gpu ? needed : backend.empty() ? "backend" : "archs";
        const Fact* found = lacking->find(fact);
        pair.unknown("reach", found && !found->reason.empty() ? found->reason : lacking->id().kind + "." + fact + " is unknown");
      } else {
        pair.known("reach", reach, {Rank::measured, "arch list against the GPU", 0, {}});
        if (!sure) pair.unsure("reach");
      }
      if (!serves.empty()) pair.known("runs_on", serves, {Rank::measured, "arch list", 0, {}});
      pair.known("usable", vendor_here ? "yes" : "no", {Rank::measured, "the GPUs that are there", 0, {}});
      if ((reach == "newer" || reach == "older" || reach == "gap") && gpu->is("vendor", "nvidia"))
        if (const auto text = wanted(matrix, *gpu, platform_of(facts)); !text.empty())
          pair.known("wanted", text, matrix.witness("torch", matrix.torch(matrix.newest_torch())));
    }
  }
  if (facts.was_looked("torch") && facts.was_looked("gpu")) facts.looked("torch_on_gpu");
  else facts.not_looked("torch_on_gpu", facts.was_looked("torch") ? facts.why_not("gpu") : facts.why_not("torch"));
}

}  // namespace gpudoctor
