// SPDX-License-Identifier: Apache-2.0
// What the parts of a machine come to together: usable GPUs, the nvcc that a build takes, cuDNN copies, driver installs.
#include <algorithm>
#include <set>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

const Witness seen_here(const char* source) { return {Rank::measured, source, 0, {}}; }

void flag(Entity& entity, const char* fact, bool yes, const char* source) { entity.known(fact, yes ? "yes" : "no", seen_here(source)); }

/// NVIDIA GPUs that nothing rules out, and AMD GPUs that ROCm is meant for.
void usable_gpus(Facts& facts, Entity& host) {
  if (!facts.was_looked("gpu")) return;
  int usable = static_cast<int>(std::max(0L, to_number(host.get("amd_gpus"))));
  for (const Entity* gpu : std::as_const(facts).of("gpu")) {
    if (!gpu->is("vendor", "nvidia") || gpu->is("bound", "vfio-pci")) continue;
    // A PyTorch GPU build starts at compute capability 3.5 or so; older boards are no reason to call a CPU build wrong.
    if (gpu->has("compute_capability") && gpu->version("compute_capability").major() < 5) continue;
    if (const Fact* capability = gpu->find("compute_capability"); capability && capability->state == State::absent) continue;
    ++usable;
  }
  host.known("usable_gpus", std::to_string(usable), seen_here("the PCI bus"));
}

/// CUDA's own rule: indices or UUIDs up to the first that names none (CUDA C++ Programming Guide, "CUDA environment variables").
void visible_gpus(Facts& facts, Entity& host) {
  if (!host.has("visible_devices") || !host.has("nvidia_gpus")) return;
  const long gpus = to_number(host.get("nvidia_gpus"));
  const std::string text = host.get("visible_devices");
  long visible = 0;
  for (const auto part : split(text, ',')) {
    const auto item = trim(part);
    if (item.starts_with("GPU-") || item.starts_with("MIG-")) ++visible;
    else if (const long index = to_number(item); index >= 0 && index < gpus) ++visible;
    else break;
  }
  host.known("visible_gpus", std::to_string(std::min(visible, std::max(gpus, visible))), seen_here("CUDA_VISIBLE_DEVICES against the PCI bus"));
  (void)facts;
}

/// The nvcc that a build takes: CUDA_HOME, else PATH, else /usr/local/cuda (torch.utils.cpp_extension asks in this order).
void build_nvcc(const Matrix& matrix, Facts& facts, Entity& host) {
  const Entity* chosen = nullptr;
  for (const char* way : {"cuda_home", "path", "usr-local-cuda"})
    for (const Entity* toolkit : std::as_const(facts).of("toolkit")) {
      const auto ways = toolkit->items("found_by");
      if (!chosen && toolkit->has("nvcc") && std::find(ways.begin(), ways.end(), way) != ways.end()) chosen = toolkit;
    }
  if (chosen) {
    const auto& witness = chosen->find("nvcc")->witnesses.front();
    const Witness seen{witness.rank, witness.source, 0, {}};
    host.known("nvcc_release", chosen->version("nvcc").first(2), seen);
    host.known("nvcc_major", std::to_string(chosen->version("nvcc").major()), seen);
  }
  if (host.has("nvcc_release") && !host.has("nvcc_major"))
    host.known("nvcc_major", std::to_string(host.version("nvcc_release").major()), host.find("nvcc_release")->witnesses.front());
  if (!host.has("nvcc_release") && facts.was_looked("toolkit")) host.absent("nvcc_release", seen_here("PATH, CUDA_HOME, /usr/local/cuda")).absent("nvcc_major", seen_here("PATH, CUDA_HOME, /usr/local/cuda"));
  if (host.has("gcc")) host.known("gcc_major", std::to_string(host.version("gcc").major()), host.find("gcc")->witnesses.front());
  if (!host.has("nvcc_release") || host.has("nvcc_gcc_max")) return;
  // 11.4.0 stops at gcc 10, 11.4.1 at 11: where only "11.4" is known the later one counts, for no false alarm.
  Row newest;
  for (const auto& row : matrix.rows("compiler", "nvcc")) {
    const Node* gcc = row.node->find("gcc");
    if (!gcc || gcc->get("max").empty() || !row.verified() || Version(row.get("cuda")).first(2) != host.get("nvcc_release")) continue;
    if (!newest || to_number(gcc->get("max")) >= to_number(newest.node->find("gcc")->get("max"))) newest = row;
  }
  if (!newest) return;
  host.known("nvcc_gcc_max", newest.node->find("gcc")->get("max"), matrix.witness("compiler", newest));
  if (!newest.sure()) host.unsure("nvcc_gcc_max");
}

void cudnn_versions(Facts& facts, Entity& host) {
  if (!facts.was_looked("library")) return;
  std::set<std::string> versions;
  for (const Entity* library : std::as_const(facts).of("library"))
    if (library->is("name", "cudnn") && library->is("reachable", "yes") && library->has("version")) versions.insert(library->version("version").first(3));
  if (versions.empty()) host.absent("cudnn_versions", seen_here("the loader's folders"));
  else host.known("cudnn_versions", std::vector<std::string>(versions.begin(), versions.end()), seen_here("the loader's folders"));
  flag(host, "cudnn_versions_differ", versions.size() > 1, "the loader's folders");
}

/// Several owners or versions of the driver, and whether the loaded parts still agree.
void driver_installs(Facts& facts, Entity& host) {
  if (!facts.was_looked("driver_copy")) return;
  const bool several = host.items("driver_owners").size() > 1 || host.items("driver_versions").size() > 1;
  bool clash = host.items("driver_versions").size() > 1;
  // Of two copies in one folder the loader reaches one only; it must be the one of the loaded module.
  for (const Entity* copy : std::as_const(facts).of("driver_copy"))
    if (copy->is("first", "yes") && copy->has("agrees") && !copy->is("agrees", "unknown")) clash = copy->is("agrees", "no");
  host.known("driver_installs", !several ? "single" : clash ? "clashing" : "agreeing", seen_here("the copies of libcuda"));
}

}  // namespace

void host_summary(const Matrix& matrix, Facts& facts) {
  Entity& host = facts.at("host");
  usable_gpus(facts, host);
  visible_gpus(facts, host);
  build_nvcc(matrix, facts, host);
  cudnn_versions(facts, host);
  driver_installs(facts, host);
  if (host.find("toolkit_releases")) flag(host, "toolkit_releases_differ", host.items("toolkit_releases").size() > 1, "PATH, CUDA_HOME, /usr/local/cuda");
  for (Entity* env : facts.of("env")) {
    if (env->find("cuda_wheel_majors")) flag(*env, "cuda_wheel_majors_differ", env->items("cuda_wheel_majors").size() > 1, "its packages");
    if (env->find("nccl_wheels")) flag(*env, "nccl_wheels_differ", env->items("nccl_wheels").size() > 1, "its packages");
  }
  Entity* driver = facts.find(Id{"driver", ""});
  // "2026-06" against "2026-11-30": ended when the month is over; words ("ended", "not listed") say it themselves.
  if (driver && driver->has("branch_eol")) {
    const auto eol = driver->get("branch_eol");
    const auto date = host.get("date");
    const auto& witness = driver->find("branch_eol")->witnesses.front();
    const bool sure = driver->find("branch_eol")->sure;
    if (eol.starts_with("ended")) driver->known("branch_ended", "yes", witness);
    else if (eol.size() >= 7 && to_number(eol.substr(0, 4)) > 0 && !date.empty()) driver->known("branch_ended", date.substr(0, eol.size()) > eol ? "yes" : "no", witness);
    else driver->unknown("branch_ended", "no end of life is published");
    if (!sure) driver->unsure("branch_ended");
  } else if (driver && !driver->find("branch_ended")) {
    const Fact* version = driver->find("version");
    driver->unknown("branch_ended", version && !version->reason.empty() ? version->reason : "the driver's branch is not known");
  }
}

}  // namespace gpudoctor
