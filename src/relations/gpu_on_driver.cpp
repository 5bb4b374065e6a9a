// SPDX-License-Identifier: Apache-2.0
// Whether the installed driver's branch still and already runs a GPU, and whether its module's flavour may.
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {

void gpu_on_driver(const Matrix& matrix, Facts& facts) {
  const Entity* driver = facts.find("driver");
  for (const Entity* gpu : std::as_const(facts).of("gpu")) {
    if (!gpu->is("vendor", "nvidia") || !driver || gpu->is("bound", "vfio-pci")) continue;
    Entity& pair = facts.at("gpu_on_driver", gpu->id().key);
    pair.parent(gpu->id());
    const Witness by_table = gpu->find("first_branch") ? gpu->find("first_branch")->witnesses.front() : Witness{Rank::table, "matrix", 0, {}};
    const auto say = [&](const char* fact, const std::string& value, bool sure) {
      pair.known(fact, value, {Rank::measured, by_table.source, 0, {}});
      if (!sure) pair.unsure(fact);
    };
    const Fact* first = gpu->find("first_branch");
    const Fact* last = gpu->find("last_branch");
    const Fact* version = driver->find("version");
    if (version && version->state == State::absent) {   // no driver at all: nothing to hold against the GPU
      pair.absent("window", version->witnesses.front()).absent("module", version->witnesses.front());
      continue;
    }
    // A Jetson's driver is part of L4T and numbered by it up to JetPack 5 ("35.4.1"): no branch to hold against anything.
    if (const Entity* host = facts.find("host"); host && host->has("jetson")) {
      const Witness l4t = host->find("jetson")->witnesses.front();
      pair.known("window", "fits", l4t).known("module", "fits", l4t);
      continue;
    }
    if (!driver->has("branch")) {
      const Fact* branch = driver->find("branch");
      pair.unknown("window", branch && !branch->reason.empty() ? branch->reason : "the driver's version is unknown");
    } else if (!gpu->has("compute_capability") && !gpu->has("last_branch")) {
      pair.unknown("window", gpu->find("compute_capability") ? gpu->find("compute_capability")->reason : "the GPU is not known to the matrix");
    } else {
      const long branch = to_number(driver->get("branch"));
      std::string window = "fits";
      bool sure = true;
      if (last && last->known() && branch > to_number(last->text)) window = "dropped", sure = last->sure;
      else if (first && first->known() && branch < to_number(first->text)) window = "too-old", sure = first->sure;
      // Blackwell boards came one by one: the first driver of the branch that lists the device.
      if (const auto id = gpu->get("pci_id"); window == "fits" && id.starts_with("10de:")) {
        const Row row = matrix.first_driver(id.substr(5));
        const auto needed = matrix.first_driver_of(id.substr(5), branch);
        if (needed == "none") {   // no driver of this branch has it: the first of the next one that has
          const Node* firsts = row.node->find("first");
          for (const auto& [name, version_of] : firsts->fields)
            if (to_number(name) > branch && !pair.has("first")) pair.known("first", version_of.text, matrix.witness("driver", row));
          window = "too-old", sure = row.sure();
        } else if (!needed.empty()) {
          pair.known("first", needed, matrix.witness("driver", row));
          if (compare(driver->version("version"), Version(needed)) == Order::less) window = "too-old", sure = row.sure();
        }
      }
      say("window", window, sure);
    }
    const auto flavour = driver->get("flavour");
    const Fact* open = gpu->find("open_module");
    if (flavour.empty() || !open || !open->known()) {
      const Fact* found = driver->find("flavour");
      pair.unknown("module", flavour.empty() ? (found && !found->reason.empty() ? found->reason : "the module's flavour is unknown") : "not in the matrix");
    } else {
      const bool needs = open->text == "required" && flavour == "proprietary", cannot = open->text == "impossible" && flavour == "open";
      say("module", needs ? "needs-open" : cannot ? "open-unsupported" : "fits", open->sure);
    }
  }
  if (facts.was_looked("gpu") && driver) facts.looked("gpu_on_driver");
  else facts.not_looked("gpu_on_driver", driver ? facts.why_not("gpu") : facts.why_not("driver"));
  if (!driver || !facts.was_looked("gpu")) return;
  int supported = 0;
  for (const Entity* pair : std::as_const(facts).of("gpu_on_driver")) supported += pair->is("window", "fits");
  facts.at("host").known("nvidia_supported", std::to_string(supported), {Rank::measured, "branch against the GPUs", 0, {}});
}

}  // namespace gpudoctor
