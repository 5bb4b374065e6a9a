// SPDX-License-Identifier: Apache-2.0
// What the kernel log and nvidia-smi say of each GPU → what an Xid means, whether the driver could start the GPU, and
// whether this user may use the device nodes.
#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

void meaning(const Matrix& matrix, Entity& event) {
  const Node& table = matrix.knowledge().table("xid");
  const Node* rows = table.find("xid");
  for (std::size_t i = 0; rows && i < rows->items.size(); ++i) {
    const Row row{&rows->items[i]};
    if (row.get("xid") != event.get("xid")) continue;
    const Witness witness = matrix.witness("xid", row);
    event.known("means", row.get("means"), witness).known("group", row.list("group"), witness);
    const auto action = row.get("action");
    action.empty() ? event.absent("action", witness) : event.known("action", action, witness);
    const Node* actions = table.find("action");
    const auto next = actions ? actions->get(action) : std::string();
    next.empty() ? event.known("next", "See NVIDIA's Xid catalogue.", witness) : event.known("next", next, witness);
    for (const char* fact : {"means", "group", "action", "next"})
      if (!row.sure()) event.unsure(fact);
    return;
  }
  for (const char* fact : {"means", "group", "action", "next"}) event.unknown(fact, "Xid " + event.get("xid") + " is not in the table");
}

/// Certain by the kernel's own line; likely where nvidia-smi only finds no device that the driver holds.
void init(const Entity& driver, Entity& gpu) {
  const Fact* error = gpu.find("init_error");
  if (gpu.is("virtualization", "vgpu")) return void(gpu.unknown("init", "a virtual GPU depends on the driver of its host"));
  if (gpu.is("smi", "yes")) return void(gpu.known("init", "fine", gpu.find("smi")->witnesses.front()));
  if (error && error->known()) return void(gpu.known("init", "failed", error->witnesses.front()));
  const bool held = gpu.is("bound", "nvidia") && driver.has("loaded");
  if (held && contains(driver.get("nvml_error"), "No devices")) {
    gpu.known("init", "failed", driver.find("nvml_error")->witnesses.front()).unsure("init");
    return;
  }
  if (error && error->state == State::absent) return void(gpu.known("init", "fine", error->witnesses.front()));
  gpu.unknown("init", error && !error->reason.empty() ? error->reason : "neither the kernel log nor nvidia-smi tells it");
}

/// NVIDIA has neither MIG nor vGPU in its GeForce cards: there it needs no nvidia-smi to tell.
void by_brand(Entity& gpu) {
  if (!gpu.is("brand", "geforce")) return;
  const Witness& brand = gpu.find("brand")->witnesses.front();
  const Witness witness{brand.rank, brand.source, 0, {}};
  gpu.absent("mig", witness);
  if (!gpu.has("virtualization")) gpu.known("virtualization", "none", witness);
}

/// A reset starts the counts anew and puts rows in place.
void memory(Entity& gpu) {
  const bool clean = gpu.is("ecc_uncorrected", "0") && gpu.is("remap_pending", "no");
  const Witness witness = clean ? gpu.find("ecc_uncorrected")->witnesses.front() : Witness{Rank::measured, "nvidia-smi", 0, {}};
  gpu.known("memory_clean", clean ? "yes" : "no", {witness.rank, witness.source, 0, {}});
}

/// Modes may refuse what an access list allows, so an answer of nvidia-smi counts more; it does not open nvidia-uvm.
void permission(Entity& driver) {
  const Fact* refused = driver.find("nodes_refused");
  if (!refused) return;
  if (refused->state == State::unknown) return void(driver.unknown("permission", refused->reason));
  if (refused->state == State::absent) return void(driver.known("permission", "open", refused->witnesses.front()));
  const Fact* error = driver.find("nvml_error");
  const bool answers = error && error->state == State::absent && driver.has("nvml_version");
  const auto nodes = driver.items("nodes_refused");
  const bool uvm = std::find(nodes.begin(), nodes.end(), "/dev/nvidia-uvm") != nodes.end();
  driver.known("permission", answers && !uvm ? "open" : "refused", answers && !uvm ? error->witnesses.front() : refused->witnesses.front());
}

}  // namespace

void gpu_health(const Matrix& matrix, Facts& facts) {
  for (Entity* event : facts.of("gpu_event"))
    if (event->has("xid")) meaning(matrix, *event);
  Entity* driver = facts.find(Id{"driver", ""});
  int bound = 0;
  for (Entity* gpu : facts.of("gpu")) {
    if (!gpu->is("vendor", "nvidia")) continue;
    bound += gpu->is("bound", "nvidia");
    by_brand(*gpu);
    memory(*gpu);
    if (driver) init(*driver, *gpu);
  }
  Entity& host = facts.at("host");
  if (facts.was_looked("gpu")) host.known("nvidia_bound", std::to_string(bound), {Rank::measured, "the PCI bus", 0, {}});
  if (driver) permission(*driver);
  if (driver && host.has("kernel")) driver->known("kernel", host.get("kernel"), host.find("kernel")->witnesses.front());
  if (!host.has("visible_devices")) {
    if (const Fact* visible = host.find("visible_devices"); visible && visible->state == State::absent)
      host.absent("visible_mig", visible->witnesses.front());
    return;
  }
  int mig = 0;
  const auto visible = host.get("visible_devices");
  for (const auto part : split(visible, ',')) mig += trim(part).starts_with("MIG-");
  host.known("visible_mig", std::to_string(mig), host.find("visible_devices")->witnesses.front());
}

}  // namespace gpudoctor
