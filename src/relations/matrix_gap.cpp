// SPDX-License-Identifier: Apache-2.0
// What is newer than the matrix: not judged, and said so, with what can still be said.
#include <algorithm>

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


std::string newest_of(const Matrix& matrix, const std::string& table) {
  std::string newest;
  for (const auto& row : matrix.rows(table, "release"))
    if (row.verified() && (newest.empty() || compare(Version(newest), Version(row.get(table))) == Order::less)) newest = row.get(table);
  return newest;
}

bool newer(const Version& version, std::size_t parts, const std::string& newest) {
  return compare(Version(version.first(parts)), Version(Version(newest).first(parts))) == Order::greater;
}

class Gaps {
 public:
  Gaps(const Matrix& matrix, Facts& facts) : facts_(facts), date_(matrix.knowledge().date()) {}

  void add(const Entity& about, const std::string& what, const char* table, const std::string& says, const char* how = "newer than") {
    Entity& entity = facts_.at("matrix_gap", what);
    entity.parent(about.id());
    const Witness witness{Rank::table, "matrix of " + date_, 0, {}};
    entity.known("what", what, witness).known("table", table, witness).known("how", how, witness).known("date", date_, witness).known("says", says, witness);
    // A row can be drafted from an installed wheel's own files; nothing else is written anywhere to be read.
    const bool torch = about.id().kind == "torch";
    entity.known("command", !torch ? "gpudoctor --rules-add FILE" : "gpudoctor rules draft torch --env " + (about.has("path") ? folder_of(facts_, about) : "PATH"), witness);
  }

 private:
  Facts& facts_;
  std::string date_;
};

/// NVIDIA numbers its devices upwards: what is above all listed ones came later, the rest was never listed.
const char* how_of(const Matrix& matrix, const std::string& pci_id) {
  const auto number = [](const std::string& id) { return id.size() != 4 || id.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos ? 0UL : std::stoul(id, nullptr, 16); };
  unsigned long newest = 0;
  for (const auto& row : matrix.rows("gpu", "nvidia")) newest = std::max(newest, number(row.get("id")));
  const auto colon = pci_id.find(':');
  return colon != std::string::npos && number(pci_id.substr(colon + 1)) > newest ? "newer than" : "not in";
}

/// A toolkit: the drivers of its major serve it, with the limits of minor-version compatibility.
std::string of_toolkit(const Matrix& matrix, const Facts& facts, const Version& cuda) {
  const auto floor = matrix.floor(cuda, system_of(facts));
  if (floor.empty()) return "which driver it needs is not known";
  return "it needs driver " + floor + " or newer, as all of CUDA " + std::to_string(cuda.major()) + "; from which driver on it has no limits is not known";
}

void libraries(const Matrix& matrix, const Facts& facts, Gaps& gaps) {
  const std::string cudnn = newest_of(matrix, "cudnn"), nccl = newest_of(matrix, "nccl");
  for (const Entity* library : facts.of("library")) {
    if (!library->has("version") || library->is("empty", "yes")) continue;
    if (library->is("name", "cudnn") && newer(library->version("version"), 3, cudnn))
      gaps.add(*library, "cuDNN " + library->get("version"), "cudnn", "it may replace an older one of its major and CUDA; which GPUs and drivers it serves is not known");
    if (library->is("name", "nccl") && newer(library->version("version"), 3, nccl))
      gaps.add(*library, "NCCL " + library->get("version"), "nccl", "it has all functions of the older ones; which CUDA and GPUs it is built for is not known");
  }
}

}  // namespace

void matrix_gap(const Matrix& matrix, Facts& facts) {
  Gaps gaps(matrix, facts);
  if (const Entity* driver = facts.find("driver"); driver && driver->is("listed", "no") && to_number(driver->get("branch")) > matrix.newest_branch())
    gaps.add(*driver, "driver " + driver->get("version"), "driver", "a newer driver runs every older CUDA; which GPUs it has dropped is not known");
  for (const Entity* toolkit : std::as_const(facts).of("toolkit"))
    if (toolkit->has("version") && newer(toolkit->version("version"), 2, matrix.newest_cuda()))
      gaps.add(*toolkit, "CUDA " + toolkit->get("version"), "cuda", of_toolkit(matrix, facts, toolkit->version("version")));
  for (const Entity* torch : std::as_const(facts).of("torch"))
    if (torch->is("listed", "newer"))
      gaps.add(*torch, "torch " + torch->get("release"), "torch",
               torch->has("archs") ? "its own files name its CUDA and its GPUs; its companions are not known" : "what it contains is not known");
  libraries(matrix, std::as_const(facts), gaps);
  for (const Entity* gpu : std::as_const(facts).of("gpu"))
    if (gpu->is("vendor", "nvidia") && !gpu->has("compute_capability") && !gpu->has("last_branch") && (gpu->has("pci_id") || gpu->has("name")))
      gaps.add(*gpu, gpu->has("name") ? gpu->get("name") : "GPU " + gpu->get("pci_id"), "gpu",
               "its compute capability is not known, so neither is which build has code for it; the newest driver is the likeliest to know it", how_of(matrix, gpu->get("pci_id")));
  facts.looked("matrix_gap");
}

}  // namespace gpudoctor
