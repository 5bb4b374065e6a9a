// SPDX-License-Identifier: Apache-2.0
// Whether a cuDNN still serves a GPU, and whether the toolkit that a build takes can target it.
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

Row cudnn_row(const Matrix& matrix, const Version& version) {
  for (const auto& row : matrix.rows("cudnn", "release"))
    if (row.get("cudnn") == version.first(3)) return row;
  return {};
}

void cudnn_on_gpu(const Matrix& matrix, Facts& facts, const Entity& library, const Entity& gpu) {
  Entity& pair = facts.at("cudnn_on_gpu", library.id().key + " " + gpu.id().key);
  pair.parent(library.id()), pair.parent(gpu.id());
  const Row row = cudnn_row(matrix, library.version("version"));
  const auto least = row.get("cc-min");
  if (!row || !row.verified() || least.empty()) return void(pair.unknown("fits", "cuDNN " + library.get("version") + " is not in the matrix of " + matrix.knowledge().date()));
  if (!gpu.has("compute_capability")) return void(pair.unknown("fits", "the GPU's compute capability is unknown"));
  const bool fits = compare(gpu.version("compute_capability"), Version(least)) != Order::less;
  pair.known("fits", fits ? "yes" : "dropped", matrix.witness("cudnn", row)).known("least", least, matrix.witness("cudnn", row));
  if (!row.sure()) pair.unsure("fits");
}

void toolkit_on_gpu(const Matrix& matrix, Facts& facts, const Entity& host, const Entity& gpu) {
  Entity& pair = facts.at("toolkit_on_gpu", gpu.id().key);
  pair.parent(gpu.id());
  const Row row = matrix.capability(gpu.get("compute_capability"));
  if (!row || !row.verified()) return void(pair.unknown("reach", "the GPU's compute capability is not in the matrix of " + matrix.knowledge().date()));
  const Version release = host.version("nvcc_release");
  const auto first = row.get("first-toolkit"), last = row.get("last-toolkit");
  const Witness witness = matrix.witness("gpu", row);
  if (!first.empty()) pair.known("first", first, witness);
  if (last.empty()) pair.absent("last", witness);
  else pair.known("last", last, witness);
  // A bound with one number ("12") holds every release of that major.
  const auto against = [&release](const std::string& bound) { return compare(Version(release.first(Version(bound).parts().size())), Version(bound)); };
  const bool early = !first.empty() && against(first) == Order::less, late = !last.empty() && against(last) == Order::greater;
  pair.known("reach", early ? "too-old" : late ? "dropped" : "fits", {Rank::measured, witness.source, 0, {}});
  if (!row.sure()) pair.unsure("reach");
}

}  // namespace

void library_on_gpu(const Matrix& matrix, Facts& facts) {
  const Entity* host = facts.find("host");
  for (const Entity* gpu : std::as_const(facts).of("gpu")) {
    if (!gpu->is("vendor", "nvidia") || gpu->is("bound", "vfio-pci")) continue;
    for (const Entity* library : std::as_const(facts).of("library"))
      if (library->is("name", "cudnn") && library->has("version") && !library->is("empty", "yes") &&
          (library->is("reachable", "yes") || library->is("place", "env") || library->is("place", "torch")))
        cudnn_on_gpu(matrix, facts, *library, *gpu);
    if (host && host->has("nvcc_release") && gpu->has("compute_capability")) toolkit_on_gpu(matrix, facts, *host, *gpu);
  }
  const auto looked = [&](const char* kind, const char* other) {
    if (facts.was_looked("gpu") && facts.was_looked(other)) facts.looked(kind);
    else facts.not_looked(kind, facts.was_looked("gpu") ? facts.why_not(other) : facts.why_not("gpu"));
  };
  looked("cudnn_on_gpu", "library"), looked("toolkit_on_gpu", "toolkit");
}

}  // namespace gpudoctor
