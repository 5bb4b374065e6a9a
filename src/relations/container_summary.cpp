// SPDX-License-Identifier: Apache-2.0
// What a container and its host's engines come to: a GPU that was lost, and whether a runtime of NVIDIA's is named.
#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// NVML's "Unknown Error" inside, while nodes and module are there: the device rules of the cgroup were rewritten.
void lost(const Facts& facts, Entity& container) {
  const Entity* driver = facts.find("driver");
  const Fact* error = driver ? driver->find("nvml_error") : nullptr;
  if (!error || error->state == State::unknown) return void(container.unknown("lost", error ? error->reason : "NVML was not asked"));
  const Witness seen = error->witnesses.empty() ? Witness{Rank::tool, "nvidia-smi", 0, {}} : error->witnesses.front();
  container.known("lost", error->known() && contains(error->text, "Unknown Error") ? "yes" : "no", {Rank::verdict, seen.source, 0, {}});
}

void runtime(Entity& engines) {
  const Fact* names = engines.find("containerd_runtimes");
  if (!names || names->state == State::unknown) return void(engines.unknown("nvidia_runtime", names ? names->reason : "containerd's configuration was not read"));
  const auto is_nvidia = [](const std::string& name) { return contains(name, "nvidia"); };
  const bool any = std::any_of(names->list.begin(), names->list.end(), is_nvidia);
  engines.known("nvidia_runtime", any ? "yes" : "no", names->witnesses.front());
}

}  // namespace

void container_summary(const Matrix&, Facts& facts) {
  if (Entity* container = facts.find(Id{"container", ""})) lost(facts, *container);
  if (Entity* engines = facts.find(Id{"engines", ""})) runtime(*engines), facts.looked("engines");
}

}  // namespace gpudoctor
