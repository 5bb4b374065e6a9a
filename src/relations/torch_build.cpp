// SPDX-License-Identifier: Apache-2.0
// What a PyTorch version says: backend and CUDA by its local label, the rest by the matrix where no file said it.
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// cu128 → 12.8, cu92 → 9.2: the last digit is the minor.
std::string cuda_of_tag(std::string_view tag) {
  if (!tag.starts_with("cu") || tag.size() < 4) return {};
  const auto digits = tag.substr(2);
  return to_number(digits) < 0 ? std::string() : std::string(digits.substr(0, digits.size() - 1)) + "." + std::string(digits.substr(digits.size() - 1));
}

std::string origin_of(const Version& version) {
  const auto local = version.local();
  const auto text = version.without_local();
  if (contains(local, ".nv")) return "ngc";
  if (local == "debian" || local.starts_with("dfsg")) return "debian";
  if (contains(text, ".dev")) return "nightly";
  if (contains(text, "a0") || local.starts_with("git")) return "source";
  return {};
}

/// Against the Python of its environment: by its own module, which only one Python loads.
void python_fits(const Facts& facts, Entity& torch) {
  const Entity* env = facts.nearest(torch, "env");
  if (!env || !env->has("python") || !torch.has("built_python")) return void(torch.unknown("python_fits", "the Python of the environment or of the build is unknown"));
  const auto& witness = torch.find("built_python")->witnesses.front();
  torch.known("python_fits", env->version("python").first(2) == torch.get("built_python") ? "yes" : "no", {Rank::measured, witness.source, 0, {}});
}

void by_matrix(const Matrix& matrix, Entity& torch, const std::string& platform) {
  const auto origin = torch.get("origin");
  const auto release = torch.get("release");
  const Row row = matrix.torch(release);
  const Witness witness = matrix.witness("torch", row);
  if (origin == "ngc" || origin == "jetson" || origin == "source" || origin == "debian" || origin == "nightly" || origin == "conda-forge") {
    torch.known("listed", "own", {Rank::table, "its version " + torch.get("version"), 0, {}});
    if (origin == "conda-forge" && !torch.has("archs")) {
      const Row forge = matrix.conda_forge(Version(release), Version(torch.get("cuda")));
      if (forge.node && forge.node->find("archs") && forge.verified()) {
        torch.known("archs", arch_words(forge.node->find("archs")->get(platform)), matrix.witness("torch", forge));
        if (!forge.sure()) torch.unsure("archs");
      }
    }
    return;
  }
  if (!row || !row.verified()) {
    const bool newer = compare(Version(release, Scheme::pep440), Version(matrix.newest_torch(), Scheme::pep440)) == Order::greater;
    torch.known("listed", newer ? "newer" : "own", {Rank::table, "matrix of " + matrix.knowledge().date(), 0, {}});
    torch.unknown("archs", newer ? "torch " + release + " is newer than the matrix of " + matrix.knowledge().date() : "torch " + release + " is not in the matrix");
    return;
  }
  torch.known("python", row.get("python"), witness);
  if (const auto glibc = row.get("glibc"); !glibc.empty() && platform == "linux-x86_64" && !torch.has("glibc") && origin == "wheel") {
    const Row own = matrix.variant(row, torch.get("tag"));
    torch.known("glibc", own.get("glibc").empty() ? glibc : own.get("glibc"), witness);
    if (!row.sure()) torch.unsure("glibc");
  }
  const auto tag = torch.get("tag");
  if (!tag.starts_with("cu")) {
    if (tag.starts_with("rocm")) {
      const Row rocm = matrix.rocm(tag.find('.') == tag.rfind('.') ? tag : tag.substr(0, tag.rfind('.')));
      const Row exact = matrix.rocm(tag);
      const Row use = exact ? exact : rocm;
      if (use && use.verified() && !use.list("gfx").empty()) {
        torch.known("archs", matrix.rocm_targets(use, release), matrix.witness("torch", use));
        if (!use.sure()) torch.unsure("archs");
      }
    }
    torch.known("listed", "yes", witness);
    return;
  }
  const Row variant = matrix.variant(row, tag);
  torch.known("listed", variant ? "yes" : "no", witness);
  if (!variant || !variant.verified()) return;
  const Witness of_variant = matrix.witness("torch", variant.list("source").empty() ? row : variant);
  if (const Node* archs = variant.node->find("archs"); archs && !archs->get(platform).empty()) {
    torch.known("archs", arch_words(archs->get(platform)), of_variant);
    if ((!variant.sure() || !row.sure()) && torch.find("archs")->witnesses.front().rank == Rank::table) torch.unsure("archs");
  }
  if (!torch.has("cudnn") && !variant.get("cudnn").empty()) torch.known("cudnn", variant.get("cudnn"), of_variant);
  if (!torch.has("nccl") && !variant.get("nccl").empty()) torch.known("nccl", variant.get("nccl"), of_variant);
}

}  // namespace

void torch_build(const Matrix& matrix, Facts& facts) {
  for (Entity* torch : facts.of("torch")) {
    if (torch->has("version")) {
      const Version version = torch->version("version");
      const Witness witness{torch->find("version")->witnesses.front().rank, torch->find("version")->witnesses.front().source, 0, {}};
      torch->known("release", version.without_local(), witness);
      if (const auto origin = origin_of(version); !origin.empty() && !torch->has("origin")) torch->known("origin", origin, witness);
      const auto local = version.local();
      const auto backend = local.starts_with("cu") ? "cuda" : local.starts_with("rocm") ? "rocm" : local == "cpu" ? "cpu" : local == "xpu" ? "xpu" : "";
      if (*backend) {
        torch->known("backend", backend, witness);
        torch->known("tag", local, witness);
        if (!cuda_of_tag(local).empty()) torch->known("cuda", cuda_of_tag(local), witness);
      }
      if (!torch->has("origin") && *backend) torch->known("origin", "wheel", witness);
    }
    if (torch->has("cuda") && !torch->has("backend")) torch->known("backend", "cuda", torch->find("cuda")->witnesses.front());
    if (torch->has("cuda")) torch->known("cuda_major", std::to_string(torch->version("cuda").major()), torch->find("cuda")->witnesses.front());
    python_fits(facts, *torch);
    if (torch->has("release")) by_matrix(matrix, *torch, platform_of(facts));
  }
  if (facts.was_looked("torch")) facts.at("host").known("torches", std::to_string(facts.of("torch").size()), {Rank::measured, "the environments searched", 0, {}});
}

}  // namespace gpudoctor
