// SPDX-License-Identifier: Apache-2.0
// NVSwitches on the bus, or a board that has them behind other bridges → whether a Fabric Manager is needed here, and
// whether the fabric is set up already.
#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// Whether as many GPUs of a board are here as the board has.
bool whole_board(const Facts& facts, const Row& row) {
  long count = 0;
  for (const Entity* gpu : facts.of("gpu")) count += lower(gpu->get("pci_id")) == "10de:" + lower(row.get("id"));
  return count >= std::max(1L, to_number(row.get("gpus")));
}

void needed(const Matrix& matrix, Facts& facts, Entity& fabric) {
  const Entity* host = facts.find("host");
  const Fact* bridges = host ? host->find("nvidia_bridges") : nullptr;
  if (!bridges || bridges->state == State::unknown) {
    for (const char* fact : {"switches", "needed"}) fabric.unknown(fact, bridges ? bridges->reason : facts.why_not("gpu"));
    return;
  }
  const Node& table = matrix.knowledge().table("nvswitch");
  int switches = 0;
  Witness because = bridges->witnesses.front();
  if (const Node* rows = table.find("switch"))
    for (const auto& row : rows->items) switches += static_cast<int>(std::count(bridges->list.begin(), bridges->list.end(), row.get("id")));
  fabric.known("switches", std::to_string(switches), because);
  bool board = false, sure = true;
  if (const Node* rows = table.find("board"))
    for (const auto& row : rows->items)
      if (whole_board(facts, Row{&row})) board = true, sure = Row{&row}.sure(), because = matrix.witness("nvswitch", Row{&row});
  const Entity* container = facts.find("container");
  const bool place = !(container && container->is("inside", "yes"));   // there it is the host's
  fabric.known("needed", place && (switches > 0 || board) ? "yes" : "no", because);
  if (switches == 0 && board && !sure) fabric.unsure("needed");
}

/// What counts in the end: a hypervisor may have set the fabric up for a guest.
void ready(const Facts& facts, Entity& fabric) {
  int gpus = 0, complete = 0, told = 0;
  Witness witness{Rank::verdict, "nvidia-smi -q", 0, {}};
  for (const Entity* gpu : facts.of("gpu")) {
    if (!gpu->is("vendor", "nvidia")) continue;
    ++gpus, told += gpu->has("fabric"), complete += gpu->is("fabric", "completed");
  }
  if (gpus > 0 && told == gpus) fabric.known("ready", complete == gpus ? "yes" : "no", witness);
  else fabric.unknown("ready", "nvidia-smi does not tell the state of the fabric");
}

}  // namespace

void fabric(const Matrix& matrix, Facts& facts) {
  Entity* one = facts.find(Id{"fabric", ""});
  if (!one) return;
  needed(matrix, facts, *one);
  ready(facts, *one);
}

}  // namespace gpudoctor
