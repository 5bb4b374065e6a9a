// SPDX-License-Identifier: Apache-2.0
// What is newer than the matrix: not judged, and said so, with what can still be said.
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {

namespace {

/// Its environment where the path is plain enough to stand in a command as it is.
std::string folder_of(const Facts& facts, const Entity& torch) {
  for (const auto& id : torch.parents())
    if (const Entity* env = facts.find(id); env && env->id().kind == "env" && env->id().key.starts_with('/') &&
        env->id().key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == std::string::npos)
      return env->id().key;
  return "PATH";
}

}  // namespace

void matrix_gap(const Matrix& matrix, Facts& facts) {
  const std::string date = matrix.knowledge().date();
  const auto gap = [&](const Entity& about, const std::string& what, const char* table, const char* says) {
    Entity& entity = facts.at("matrix_gap", what);
    entity.parent(about.id());
    const Witness witness{Rank::table, "matrix of " + date, 0, {}};
    entity.known("what", what, witness).known("table", table, witness).known("says", says, witness);
    // A row can be drafted from an installed wheel's own files; nothing else is written anywhere to be read.
    if (about.id().kind == "torch" && about.has("path")) entity.known("command", "gpudoctor rules draft torch --env " + folder_of(facts, about), witness);
    else entity.known("command", about.id().kind == "torch" ? "gpudoctor rules draft torch --env PATH" : "gpudoctor --rules-add FILE", witness);
  };
  if (const Entity* driver = facts.find("driver"); driver && driver->is("listed", "no") && to_number(driver->get("branch")) > matrix.newest_branch())
    gap(*driver, "driver " + driver->get("version"), "driver", "a newer driver runs every older CUDA");
  for (const Entity* toolkit : std::as_const(facts).of("toolkit"))
    if (toolkit->has("version") && compare(Version(toolkit->version("version").first(2)), Version(Version(matrix.newest_cuda()).first(2))) == Order::greater)
      gap(*toolkit, "CUDA " + toolkit->get("version"), "cuda", "which driver it needs is not known");
  for (const Entity* torch : std::as_const(facts).of("torch"))
    if (torch->is("listed", "newer"))
      gap(*torch, "torch " + torch->get("release"), "torch",
          torch->has("archs") ? "its own arch list was read; its companions are not known" : "what it contains is not known");
  for (const Entity* gpu : std::as_const(facts).of("gpu"))
    if (gpu->is("vendor", "nvidia") && !gpu->has("compute_capability") && !gpu->has("last_branch") && (gpu->has("pci_id") || gpu->has("name")))
      gap(*gpu, gpu->has("name") ? gpu->get("name") : "GPU " + gpu->get("pci_id"), "gpu", "its compute capability is not known");
  facts.looked("matrix_gap");
}

}  // namespace gpudoctor
