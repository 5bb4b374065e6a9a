// SPDX-License-Identifier: Apache-2.0
// conda's packages that choose CUDA, beside a PyTorch of conda's or of pip's.
#include <set>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// cudatoolkit and pytorch-cuda name the CUDA of the build, cuda-version its major's newest that may be taken.
bool chooses_cuda(const std::string& name) { return name == "cudatoolkit" || name == "pytorch-cuda" || name == "cuda-version" || name == "cuda-cudart"; }

}  // namespace

void conda(const Matrix&, Facts& facts) {
  for (Entity* torch : facts.of("torch")) {
    const Entity* env = facts.nearest(*torch, "env");
    if (!env) continue;
    if (!env->is("kind", "conda")) {
      const Witness here{Rank::measured, env->id().key, 0, {}};
      torch->absent("conda_cuda", here).absent("conda_fits", here).absent("by_conda", here);
      continue;
    }
    const Fact* libraries = env->find("conda_libraries");
    if (!libraries || libraries->state == State::unknown) {
      const std::string reason = libraries ? libraries->reason : "conda's packages were not read";
      torch->unknown("conda_cuda", reason).unknown("conda_fits", reason).unknown("by_conda", reason);
      continue;
    }
    const Witness& seen = libraries->witnesses.front();
    const bool by_conda = torch->is("origin", "conda") || torch->is("origin", "conda-forge");
    torch->known("by_conda", by_conda ? "yes" : "no", seen);
    std::vector<std::string> choices;
    std::set<unsigned long> majors;
    for (const auto& package : env->items("conda_libraries")) {
      const auto sign = package.find("==");
      if (!chooses_cuda(package.substr(0, sign))) continue;
      choices.push_back(package), majors.insert(Version(package.substr(sign + 2)).major());
    }
    if (choices.empty()) {
      torch->absent("conda_cuda", seen).absent("conda_fits", seen);
      continue;
    }
    torch->known("conda_cuda", choices, seen);
    std::string fits;
    if (torch->is("backend", "cpu")) fits = "cpu";
    else if (majors.size() > 1 || (torch->has("cuda_major") && *majors.begin() != Version(torch->get("cuda_major")).major())) fits = "other";
    else if (torch->has("cuda_major")) fits = "yes";
    if (fits.empty()) torch->unknown("conda_fits", "the CUDA of this PyTorch is unknown");
    else torch->known("conda_fits", fits, seen);
  }
}

}  // namespace gpudoctor
