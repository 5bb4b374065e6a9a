// SPDX-License-Identifier: Apache-2.0
// Whether a PyTorch build has code for a GPU.
// CUDA C++ Programming Guide, "Application compatibility": a cubin runs on its own major and an equal or higher minor
// compute capability; sm_90a only on 9.0; sm_100f on its family; PTX of compute_80 is compiled by the driver for 8.0 and
// above, if the driver's CUDA level is not older than the toolkit that made the PTX. Tegra promises none of the first.
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

struct Arch {
  bool ptx = false;
  unsigned long major = 0, minor = 0;
  char suffix = ' ';   // 'a': this chip only, 'f': its family
};

Arch parse(std::string_view word) {
  Arch arch;
  arch.ptx = word.starts_with("compute_");
  const Version cc(cc_of_sm(word));
  arch.major = cc.major(), arch.minor = cc.minor();
  if (!word.empty() && (word.back() == 'a' || word.back() == 'f')) arch.suffix = word.back();
  return arch;
}

bool is_tegra(const Version& cc) {
  for (const auto* chip : {"5.3", "6.2", "7.2", "8.7", "11.0"})
    if (cc.text() == chip) return true;
  return false;
}

bool cubin_runs(const Arch& arch, const Version& cc) {
  if (arch.ptx || arch.major != cc.major()) return false;
  if (arch.suffix == 'a' || is_tegra(cc)) return arch.minor == cc.minor();
  return arch.minor <= cc.minor() && !is_tegra(Version(std::to_string(arch.major) + "." + std::to_string(arch.minor)));
}

bool ptx_serves(const Arch& arch, const Version& cc) {
  if (!arch.ptx || arch.suffix == 'a') return false;
  if (arch.suffix == 'f') return arch.major == cc.major() && arch.minor <= cc.minor();
  return std::pair(arch.major, arch.minor) <= std::pair(cc.major(), cc.minor());
}

/// Whether the driver can compile PTX of this CUDA: its level must not be older. Unknown counts as yes, as it is rarely so.
bool driver_compiles(const Facts& facts, const Version& cuda) {
  const Entity* driver = facts.find("driver");
  if (!driver || !driver->has("cuda") || !cuda.valid()) return true;
  return compare(Version(driver->version("cuda").first(2)), Version(cuda.first(2))) != Order::less;
}

}  // namespace

std::string cuda_reach(const Facts& facts, const Entity& torch, const Entity& gpu, std::vector<std::string>& serves) {
  if (!torch.has("archs") || !gpu.has("compute_capability")) return "unknown";
  const Version cc = gpu.version("compute_capability");
  bool jit = false, any_newer = false, any_older = false;
  for (const auto& word : torch.items("archs")) {
    const Arch arch = parse(word);
    if (cubin_runs(arch, cc)) serves.push_back(word);
    if (ptx_serves(arch, cc) && driver_compiles(facts, torch.version("cuda"))) jit = true;
    if (!arch.ptx) (std::pair(arch.major, arch.minor) > std::pair(cc.major(), cc.minor()) ? any_newer : any_older) = true;
  }
  if (!serves.empty()) return "runs";
  if (jit) {
    for (const auto& word : torch.items("archs"))
      if (ptx_serves(parse(word), cc)) serves.push_back(word);
    return "jit";
  }
  return any_newer && any_older ? "gap" : any_newer ? "older" : "newer";
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
        if (cubin_runs(parse(word), cc)) {
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
