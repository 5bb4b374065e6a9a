// SPDX-License-Identifier: Apache-2.0
#include "said.hpp"

#include <algorithm>
#include <cctype>

#include "packages_python.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr const char* env_key = "the reported environment";

/// "GeForce RTX 3090" and "NVIDIA GeForce RTX 3090" are one card.
std::string plain(std::string_view name) {
  auto text = lower(trim(name));
  for (const std::string_view brand : {"nvidia ", "amd ", "geforce ", "radeon "})
    if (text.starts_with(brand)) text = text.substr(brand.size());
  return text;
}

bool was_cut(std::string_view name) { return name.ends_with("..."); }

}  // namespace

bool is_nothing(std::string_view value) {
  static constexpr std::string_view nothing[] = {"",       "n/a",   "[n/a]", "na",        "could not collect", "not set", "none", "null", "unknown", "no cuda", "not found", "-",
                                                 "[not supported]", "not available", "unset", "?", "not applicable", "nan", "unavailable"};
  const auto text = lower(trim(value));
  return std::find(std::begin(nothing), std::end(nothing), text) != std::end(nothing);
}

Entity& Said::env() {
  Entity& env = facts.at("env", env_key);
  if (!env.has("active")) {
    const Witness one{Rank::prose, "a report is about one environment", 0, {}};
    env.show_as(env_key);
    env.known("active", "yes", {Rank::tool, one.source, 0, {}});
    facts.looked("env");
  }
  return env;
}

Entity& Said::torch() {
  Entity& torch = facts.at("torch", env_key);
  if (torch.parents().empty()) {
    torch.parent(env().id());
    torch.known("active", "yes", {Rank::tool, "a report is about one environment", 0, {}});
    facts.looked("torch");
  }
  return torch;
}

Entity& Said::gpu(std::string_view name, const std::string& list, const Witness& witness) {
  facts.looked("gpu");
  const auto wanted = plain(name);
  const int place = was_cut(name) || wanted.empty() ? 0 : ++seen_[list][wanted];
  Entity* found = nullptr;
  int same = 0, number = 0;
  for (Entity* gpu : facts.of("gpu")) {
    ++number;
    if (seen_[list].contains("#" + gpu->id().key)) {   // this list has it already; another of the same name comes later
      same += place > 0 && plain(gpu->get("name")) == wanted;
      continue;
    }
    const auto have = plain(gpu->get("name"));
    const bool fits = have.empty() || place == 0 || have == wanted || (was_cut(have) && wanted.starts_with(have.substr(0, have.size() - 3)));
    if (fits && !found && (place == 0 || have != wanted || same + 1 == place)) found = gpu;
    if (have == wanted && same + 1 == place) found = gpu;
  }
  if (!found) {
    found = &facts.at("gpu", "gpu" + std::to_string(number));
    found->known("index", std::to_string(number), witness);
  }
  ++seen_[list]["#" + found->id().key];
  if (!was_cut(name) && !wanted.empty()) found->known("name", std::string(trim(name)), witness);
  return *found;
}

Entity& Said::toolkit(std::string_view version, const std::string& found_by, const Witness& witness) {
  facts.looked("toolkit");
  const Version asked{std::string(version)};
  Entity* found = nullptr;
  for (Entity* toolkit : facts.of("toolkit"))
    if (toolkit->has("version") && toolkit->version("version").first(2) == asked.first(2)) found = toolkit;
  if (!found) found = &facts.at("toolkit", "CUDA " + asked.first(2));
  const bool build = asked.parts().size() > 2 && asked.parts()[2] > 9;   // 12.4.131 is a build of nvcc, 12.4.1 a release
  found->known("version", build ? asked.first(2) : std::string(version), witness);
  if (build) found->known("nvcc", std::string(version), witness);
  auto ways = found->items("found_by");
  if (!found_by.empty() && std::find(ways.begin(), ways.end(), found_by) == ways.end()) {
    ways.push_back(found_by);
    found->known("found_by", ways, {Rank::measured, witness.source, 0, {}});
  }
  if (found_by == "path") found->known("nvcc", asked.first(build ? 3 : 2), witness);
  return *found;
}

Entity& Said::library(const std::string& name, std::string_view version, const Witness& witness) {
  facts.looked("library");
  Entity& library = facts.at("library", name + " " + std::string(version));
  library.known("name", name, witness).known("version", std::string(version), witness);
  return library;
}

void Said::package(std::string_view name, std::string_view version, const std::string& by, const Witness& witness, std::string_view build) {
  auto key = normalized_package(name);
  if (key.empty() || key.size() > 80 || version.size() > 80) return;
  env();
  const auto [at, fresh] = packages_.try_emplace(key, Package{std::string(version), by, std::string(build), witness});
  // 2.5.1+cu124 says more than 2.5.1; a build string says more than none.
  if (!fresh && version.size() > at->second.version.size() && version.starts_with(at->second.version)) at->second.version = std::string(version);
  if (!fresh && at->second.build.empty() && !build.empty() && at->second.version == version) at->second.build = std::string(build), at->second.by = by;
}

void Said::variable(std::string_view name, std::string_view value, const Witness& witness) {
  const auto text = std::string(trim(value));
  if (name == "CUDA_VISIBLE_DEVICES") host().known("visible_devices", text, witness);
  else if (name == "CUDA_DEVICE_ORDER") host().known("device_order", text, witness);
  else if (name == "NVIDIA_VISIBLE_DEVICES") container().known("nvidia_visible", text, witness);
  else if (name == "NVIDIA_REQUIRE_CUDA") container().known("require", text, witness);
  else if (name == "HSA_OVERRIDE_GFX_VERSION") facts.at("rocm").known("override", text, witness);
  else if (name == "CUDA_HOME" || name == "CUDA_PATH") host().known("cuda_home", text, witness);
  if (name == "LD_LIBRARY_PATH") {
    std::vector<std::string> folders;
    for (const auto folder : split(text, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
    if (!folders.empty()) host().known("library_path", folders, witness);
  }
  static constexpr std::string_view families[] = {"CUDA_", "NCCL_", "PYTORCH_", "TORCH_", "NVIDIA_", "LD_PRELOAD", "HSA_", "HIP_", "ROCR_", "TF_", "XLA_", "BNB_"};
  if (std::none_of(std::begin(families), std::end(families), [&](std::string_view family) { return name.starts_with(family); })) return;
  Entity& one = facts.at("variable", std::string(name));
  one.known("name", std::string(name), witness).known("value", text, witness);
}

void Said::finish() {
  if (packages_.empty()) return;
  std::vector<std::string> all, of_conda;
  for (const auto& [name, package] : packages_) {
    if (!matters(name)) continue;
    all.push_back(name + "==" + package.version);
    if (package.by == "conda") of_conda.push_back(all.back());
  }
  const Witness& first = packages_.begin()->second.witness;
  Entity& environment = env();
  if (!all.empty()) environment.known("packages", all, first);
  else if (packages_whole_) environment.absent("packages", first);
  if (!of_conda.empty()) environment.known("conda_libraries", of_conda, first).known("manager", "conda", first);
  for (const char* name : {"torch", "pytorch"}) {
    const auto at = packages_.find(name);
    if (at == packages_.end() || at->second.version.empty()) continue;
    Entity& build = torch();
    const Version have = build.version("version"), listed(at->second.version, Scheme::pep440);
    const bool same = build.has("version") && Version(have.text(), Scheme::pep440).without_local() == listed.without_local();
    if (!same || !listed.local().empty()) build.known("version", at->second.version, at->second.witness);
    // A build string of conda's says more than the number: py3.11_cuda12.4_cudnn9.1.0_0, cuda118py310h…, cpu_generic_py310….
    if (at->second.by == "conda" && !at->second.build.empty() && at->second.build != "pypi_0") {
      const auto& text = at->second.build;
      build.known("by_conda", "yes", at->second.witness);
      build.known("origin", text.find("cuda") == 0 || text.find("cpu_") == 0 ? "conda-forge" : "conda", at->second.witness);
      if (const auto cuda = text.find("cuda"); cuda != std::string::npos) {
        auto digits = std::string(text.substr(cuda + 4, text.find_first_not_of("0123456789.", cuda + 4) - cuda - 4));
        if (!contains(digits, ".") && digits.size() > 1) digits.insert(digits.size() - 1, ".");
        if (Version(digits).valid()) build.known("cuda", digits, at->second.witness);
      } else if (contains(text, "cpu")) {
        build.known("backend", "cpu", at->second.witness);
      }
    }
  }
  if (facts.find("torch", env_key) && !torch().has("backend") && !torch().has("cuda") && contains(torch().get("version"), "+") == false)
    for (const auto& [name, package] : packages_)   // the runtime wheel that came with it names its CUDA
      if (name.starts_with("nvidia-cuda-runtime-cu") && Version(package.version).valid() && !package.version.starts_with("0.0."))
        torch().known("cuda", Version(package.version).first(2), package.witness).unsure("cuda");
  if (packages_whole_ && !facts.find("torch", env_key)) facts.looked("torch");
}

}  // namespace gpudoctor
