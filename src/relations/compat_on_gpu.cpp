// SPDX-License-Identifier: Apache-2.0
// A forward-compatibility libcuda that the loader takes, against the driver and each GPU: it serves data-centre GPUs on the
// driver branches that NVIDIA names, and only if it is newer than the driver.
#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

Row compat_row(const Matrix& matrix, unsigned long branch) {
  for (const auto& row : matrix.rows("cuda", "compat"))
    if (to_number(row.get("branch")) == static_cast<long>(branch)) return row;
  return {};
}

/// Kernel and user space of one driver; the branch of the copy against the branch of the module.
void age(const Entity& driver, Entity& copy) {
  const Witness source{Rank::measured, copy.id().key, 0, {}};
  if (!driver.has("loaded") || !copy.has("version")) return void(copy.unknown("shadows", "the loaded module or the version of the copy is unknown"));
  const Order order = compare(copy.version("version"), driver.version("loaded"));
  if (order == Order::unknown) return void(copy.unknown("shadows", "the versions are not precise enough"));
  copy.known("shadows", order == Order::less ? "yes" : "no", source);
}

void serve(const Matrix& matrix, Facts& facts, const Entity& driver, const Entity& copy, const Entity& gpu) {
  Entity& pair = facts.at("compat_on_gpu", copy.id().key + " " + gpu.id().key);
  pair.parent(copy.id()), pair.parent(gpu.id());
  const Row row = compat_row(matrix, copy.version("version").major());
  const auto branches = row.list("drivers");
  const Witness table = row ? matrix.witness("cuda", row) : Witness{Rank::table, "matrix of " + matrix.knowledge().date(), 0, {}};
  if (gpu.is("brand", "geforce") || gpu.is("brand", "workstation")) {
    pair.known("fits", "brand", {Rank::table, "NVIDIA CUDA Compatibility: forward compatibility", 0, {}});
    // Some workstation boards are certified for it ("NGC-ready"); the table does not name them.
    if (gpu.is("brand", "workstation")) pair.unsure("fits");
    return;
  }
  if (!gpu.is("brand", "datacenter")) return void(pair.unknown("fits", "whether this is a data-centre GPU is not known"));
  if (!driver.has("branch") || !row || branches.empty()) return void(pair.unknown("fits", "the matrix has no row for this copy"));
  const bool listed = std::find(branches.begin(), branches.end(), driver.get("branch")) != branches.end();
  if (listed) return void(pair.known("fits", "yes", table));
  // Branches between the listed ones are new-feature ones, which end early: NVIDIA names only those it still supports.
  pair.known("fits", "branch", table).unsure("fits");
}

}  // namespace

void compat_on_gpu(const Matrix& matrix, Facts& facts) {
  const Entity* driver = facts.find("driver");
  for (Entity* copy : facts.of("driver_copy")) {
    if (!copy->is("kind", "compat") || !copy->is("first", "yes") || !driver) continue;
    age(*driver, *copy);
    if (copy->is("shadows", "yes")) continue;   // older than the driver: another fault
    for (const Entity* gpu : std::as_const(facts).of("gpu"))
      if (gpu->is("vendor", "nvidia") && !gpu->is("bound", "vfio-pci")) serve(matrix, facts, *driver, *copy, *gpu);
  }
  if (facts.was_looked("driver_copy") && facts.was_looked("gpu")) facts.looked("compat_on_gpu");
  else facts.not_looked("compat_on_gpu", facts.was_looked("driver_copy") ? facts.why_not("gpu") : facts.why_not("driver_copy"));
}

}  // namespace gpudoctor
