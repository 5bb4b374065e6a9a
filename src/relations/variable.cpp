// SPDX-License-Identifier: Apache-2.0
// What a variable that is set does (variable.toml), and whether CUDA counts GPUs in another order than the bus.
#include <algorithm>
#include <set>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

void effect(const Matrix& matrix, Entity& variable) {
  for (const auto& row : matrix.rows("variable", "variable")) {
    if (row.get("name") != variable.get("name")) continue;
    const auto when = row.list("when");
    const auto value = variable.get("value");
    if (value == "0" || (!when.empty() && std::find(when.begin(), when.end(), value) == when.end())) break;
    variable.known("weight", row.get("weight"), matrix.witness("variable", row)).known("effect", row.get("effect"), matrix.witness("variable", row));
  }
  const Witness table{Rank::table, "matrix of " + matrix.knowledge().date(), 0, {}};
  if (!variable.has("weight")) variable.absent("weight", table).absent("effect", table);
}

/// CUDA_HOME, else CUDA_PATH, that leads to no toolkit: builds look there first.
void home_nowhere(Facts& facts) {
  const Entity* host = facts.find("host");
  if (!host || !host->is("cuda_home_toolkit", "no")) return;
  const Witness& seen = host->find("cuda_home")->witnesses.front();
  Entity& variable = facts.at("variable", "CUDA_HOME");
  variable.known("name", "CUDA_HOME", seen).known("value", host->get("cuda_home"), seen);
  variable.known("weight", "harmful", host->find("cuda_home_toolkit")->witnesses.front());
  variable.known("effect", "leads to no toolkit, and builds of extensions look there first", host->find("cuda_home_toolkit")->witnesses.front());
}

/// CUDA's own order is fastest first; nvidia-smi's is that of the bus. They can differ only where the GPUs do.
void device_order(Facts& facts) {
  Entity& host = facts.at("host");
  if (!facts.was_looked("gpu")) return void(host.unknown("gpu_models_differ", facts.why_not("gpu")));
  std::set<std::string> models;
  for (const Entity* gpu : std::as_const(facts).of("gpu"))
    if (gpu->is("vendor", "nvidia")) models.insert(gpu->has("name") ? gpu->get("name") : gpu->get("pci_id"));
  host.known("gpu_models_differ", models.size() > 1 ? "yes" : "no", {Rank::measured, "the GPUs that are there", 0, {}});
  if (const Entity* order = variable_named(facts, "CUDA_DEVICE_ORDER")) host.known("device_order", order->get("value"), order->find("value")->witnesses.front());
  else if (facts.was_looked("variable")) host.absent("device_order", {Rank::measured, "CUDA_DEVICE_ORDER", 0, {}});
  else host.unknown("device_order", facts.why_not("variable"));
}

}  // namespace

const Entity* variable_named(const Facts& facts, std::string_view name) {
  for (const Entity* one : facts.of("variable"))
    if (one->is("name", name)) return one;
  return nullptr;
}

void variable(const Matrix& matrix, Facts& facts) {
  for (Entity* one : facts.of("variable")) effect(matrix, *one);
  home_nowhere(facts);
  device_order(facts);
}

}  // namespace gpudoctor
