// SPDX-License-Identifier: Apache-2.0
// torchvision and torchaudio beside a torch: each torch release has one of each (pytorch RELEASE.md).
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// The versions of one package in an environment; several when it is installed twice.
std::string package_version(const Entity& env, const std::string& name) {
  std::string version;
  for (const auto& package : named_versions(env, "packages"))
    if (package.name == name) version = package.version;
  return version;
}

}  // namespace

void companion(const Matrix& matrix, Facts& facts) {
  for (const Entity* torch : std::as_const(facts).of("torch")) {
    const Entity* env = facts.nearest(*torch, "env");
    if (!env || !torch->has("release")) continue;
    const Row row = matrix.torch(torch->get("release"));
    for (const auto& [name, key] : {std::pair("torchvision", "vision"), std::pair("torchaudio", "audio")}) {
      const auto version = package_version(*env, name);
      if (version.empty()) continue;
      Entity& pair = facts.at("companion", torch->id().key + " " + name);
      pair.parent(torch->id()), pair.parent(env->id());
      const Version have(version, Scheme::pep440);
      const Witness& seen = env->find("packages")->witnesses.front();
      pair.known("name", name, seen);
      pair.known("version", version, seen);
      if (!have.local().empty()) pair.known("variant", have.local(), seen);
      const auto origin = torch->get("origin");
      if (origin != "wheel" && origin != "conda" && origin != "conda-forge" && !origin.empty()) {
        pair.unknown("fits", "a " + origin + " build of torch: its companions go by date or source, not by number");
        continue;
      }
      if (!row || !row.verified() || row.get(key).empty()) {
        pair.unknown("fits", "torch " + torch->get("release") + " is not in the matrix of " + matrix.knowledge().date());
        continue;
      }
      const Version want(row.get(key), Scheme::pep440);
      pair.known("wanted", row.get(key), matrix.witness("torch", row));
      std::string fits = "yes";
      if (have.pre_release()) fits = "unknown";
      else if (have.first(2) != want.first(2)) fits = "release";
      else if (!have.local().empty() && torch->has("tag") && have.local() != torch->get("tag") &&
               (have.local() == "cpu" || have.local().starts_with("cu") || have.local().starts_with("rocm")))
        fits = "variant";
      if (fits == "unknown") pair.unknown("fits", "a pre-release");
      else pair.known("fits", fits, {Rank::measured, matrix.witness("torch", row).source, 0, {}});
      if (fits != "unknown" && !row.sure()) pair.unsure("fits");
    }
  }
  if (facts.was_looked("torch")) facts.looked("companion");
  else facts.not_looked("companion", facts.why_not("torch"));
}

}  // namespace gpudoctor
