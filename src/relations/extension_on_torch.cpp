// SPDX-License-Identifier: Apache-2.0
// Native extensions beside the PyTorch that they were compiled for, the Python that loads them and the GPUs. One verdict
// a package, the first that holds: what is built for another vendor or CUDA misses names too, and is mended alike.
#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

const Witness& witness(const Entity& entity, const char* fact) { return entity.find(fact)->witnesses.front(); }

bool companion_misfit(const Facts& facts, const Entity& torch, const std::string& package) {
  const Entity* pair = facts.find("companion", torch.id().key + " " + package);
  return pair && (pair->is("fits", "release") || pair->is("fits", "variant"));
}

bool other_vendor(const Entity& extension, const Entity& torch) {
  if (!torch.has("backend")) return false;
  const auto wants = extension.get("backend"), has = torch.get("backend");
  return (wants == "cuda" && (has == "rocm" || has == "xpu")) || (wants == "rocm" && has != "rocm");
}

bool other_cuda(const Entity& extension, const Entity& torch) {
  const auto majors = extension.items("cuda_majors");
  return torch.has("cuda_major") && !majors.empty() && std::find(majors.begin(), majors.end(), torch.get("cuda_major")) == majors.end();
}

/// A library that this build of PyTorch does not have: libtorch_cuda.so beside a CPU build.
bool needs_cuda_build(const Entity& extension, const Entity& torch) {
  const auto needed = extension.items("needed");
  const auto of_cuda = [](const std::string& name) { return name.starts_with("libtorch_cuda") || name.starts_with("libc10_cuda"); };
  return torch.is("backend", "cpu") && std::any_of(needed.begin(), needed.end(), of_cuda);
}

void judge_fit(const Facts& facts, const Entity& extension, const Entity& torch, Entity& pair) {
  const auto say = [&](const char* fits, const char* by) { pair.known("fits", fits, {witness(extension, by).rank, witness(extension, by).source, 0, {}}); };
  if (companion_misfit(facts, torch, extension.get("package"))) return say("companion", "package");
  if (other_vendor(extension, torch)) return say("vendor", "backend");
  if (other_cuda(extension, torch)) return say("cuda", "cuda_majors");
  if (needs_cuda_build(extension, torch)) return say("torch", "needed");
  if (extension.has("abi") && torch.has("abi") && extension.get("abi") != torch.get("abi")) return say("abi", "abi");
  const Fact* missing = extension.find("missing_names");
  if (missing && missing->known()) return say("torch", "missing_names");
  if (missing && missing->state == State::absent) return say("yes", "missing_names");
  pair.unknown("fits", missing ? missing->reason : "its names were not looked at");
}

void python_fits(const Facts& facts, Entity& extension) {
  const Entity* env = facts.nearest(extension, "env");
  const Fact* pythons = extension.find("pythons");
  if (!pythons || pythons->state == State::unknown) return;
  if (pythons->state == State::absent) {   // any Python takes it
    extension.known("python_fits", "yes", {witness(extension, "pythons").rank, witness(extension, "pythons").source, 0, {}});
    return;
  }
  if (!env || !env->has("python")) {
    extension.unknown("python_fits", "the Python of its environment is unknown");
    return;
  }
  const auto own = env->version("python").first(2);
  const bool fits = std::find(pythons->list.begin(), pythons->list.end(), own) != pythons->list.end();
  extension.known("python_fits", fits ? "yes" : "no", {witness(extension, "pythons").rank, witness(extension, "pythons").source, 0, {}});
}

void on_gpus(Facts& facts, const Entity& extension, const Entity& torch) {
  if (!extension.is("backend", "cuda") || !torch.is("backend", "cuda")) return;
  const Fact* archs = extension.find("archs");
  if (!archs || archs->state == State::absent) return;   // it has no kernels of its own
  for (const Entity* gpu : std::as_const(facts).of("gpu")) {
    if (!gpu->is("vendor", "nvidia")) continue;
    Entity& on = facts.at("extension_on_gpu", extension.id().key + " " + gpu->id().key);
    on.parent(extension.id()), on.parent(gpu->id());
    std::vector<std::string> serves;
    const auto reach = cuda_reach(facts, extension, *gpu, serves);
    if (reach == "unknown") on.unknown("reach", archs->known() ? "the GPU is unknown" : archs->reason);
    else on.known("reach", reach, {archs->witnesses.front().rank, archs->witnesses.front().source, 0, {}});
  }
}

}  // namespace

void extension_on_torch(const Matrix&, Facts& facts) {
  for (Entity* extension : facts.of("extension")) {
    python_fits(facts, *extension);
    const Entity* torch = facts.nearest(*extension, "torch");
    if (!torch) continue;
    Entity& pair = facts.at("extension_on_torch", extension->id().key);
    pair.parent(extension->id());
    judge_fit(facts, *extension, *torch, pair);
    if (pair.is("fits", "yes") && !extension->is("python_fits", "no") && extension->has("missing_libraries"))
      pair.known("missing_libraries", extension->items("missing_libraries"), witness(*extension, "missing_libraries"));
    else pair.absent("missing_libraries", {Rank::measured, extension->id().key, 0, {}});
    on_gpus(facts, *extension, *torch);
  }
  for (const auto* kind : {"extension_on_torch", "extension_on_gpu"})
    if (facts.was_looked("extension")) facts.looked(kind);
    else facts.not_looked(kind, facts.why_not("extension"));
}

}  // namespace gpudoctor
