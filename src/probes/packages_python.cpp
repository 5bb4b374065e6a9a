// SPDX-License-Identifier: Apache-2.0
#include "packages_python.hpp"

#include <algorithm>
#include <set>

#include "all.hpp"
#include "text.hpp"
#include "torch.hpp"
#include "torch_files.hpp"

namespace gpudoctor {

Listing list_packages(const Machine& machine, const std::string& prefix, const std::vector<std::string>& sites) {
  Listing listing;
  std::set<std::string> folders;
  for (const auto& site : sites) {
    const auto entries = machine.list(site);
    if (!entries) {
      if (!entries.is_absent() && !listing.missed) listing.missed = entries.miss(), listing.missed_path = site;
      continue;
    }
    for (const auto& entry : *entries) {
      const std::string_view name = entry.name;
      if (auto package = package_of(name)) {
        package->entry = join(site, name);
        listing.packages.push_back(std::move(*package));
      } else if (name == "torch") {
        const auto path = join(site, name);
        if (folders.insert(machine.real(path).value_or(path)).second) listing.torch_folders.push_back(path);
      } else if (name == "torch.egg-link" || name == "easy-install.pth" ||
                 (name.starts_with("__editable__") && contains(name, "torch"))) {
        listing.hints.push_back(join(site, name));
      }
    }
  }
  const auto records = machine.list(join(prefix, "conda-meta"));
  if (!records) {
    if (!records.is_absent() && !listing.missed)
      listing.missed = records.miss(), listing.missed_path = join(prefix, "conda-meta");
    return listing;
  }
  for (const auto& record : *records)
    if (auto package = conda_package_of(record.name)) {
      package->entry = join(join(prefix, "conda-meta"), record.name);
      listing.conda.push_back(std::move(*package));
    }
  return listing;
}

namespace {

void state_list(Entity& env, const char* fact, std::vector<std::string> items, const Witness& witness) {
  if (items.empty())
    env.absent(fact, witness);
  else
    env.known(fact, std::move(items), witness);
}

/// PyPI cuts the label off a wheel's name ("0.29.2"); the package keeps it ("0.29.2+cu132"), and it must be torch's.
void label_companions(const Machine& machine, Listing& listing) {
  if (listing.torch_folders.empty()) return;
  for (auto& package : listing.packages) {
    if (package.name != "torchvision" && package.name != "torchaudio") continue;
    const auto text = machine.read(join(parent(package.entry), package.name + "/version.py"), 1 << 16);
    const auto file = text ? parse_version_file(*text) : std::nullopt;
    if (!file) continue;
    const auto& version = file->at("__version__").value;
    if (Version(version, Scheme::pep440).without_local() == package.version) package.version = version;
  }
}

void state_packages(Entity& env, const Listing& listing, const Witness& witness) {
  std::set<std::string> names;
  std::vector<std::string> texts;
  for (const auto& package : listing.packages) {
    names.insert(package.name);
    if (matters(package.name)) texts.push_back(package.text());
  }
  // A conda package of Python has a dist-info too; that one is what Python finds, also after pip has replaced it.
  for (const auto& package : listing.conda)
    if (matters(package.name) && !names.contains(package.name)) texts.push_back(package.text());
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  state_list(env, "packages", std::move(texts), witness);
  std::vector<std::string> libraries;
  for (const auto& package : listing.conda)
    for (const std::string_view name : {"pytorch", "libtorch", "pytorch-cuda", "cudatoolkit", "cuda-version", "cuda-cudart", "cudnn", "nccl"})
      if (package.name == name) libraries.push_back(package.text());
  state_list(env, "conda_libraries", std::move(libraries), witness);
  state_list(env, "duplicates", duplicates(listing.packages), witness);
}

/// One library a CUDA version: libbitsandbytes_cuda118.so, and with _nocublaslt for GPUs before 7.5.
void state_bitsandbytes(const Machine& machine, Entity& env, const Listing& listing) {
  for (const auto& package : listing.packages) {
    if (package.name != "bitsandbytes") continue;
    const auto folder = join(parent(package.entry), "bitsandbytes");
    const auto entries = machine.list(folder);
    if (!entries) return void(env.missed("bitsandbytes_cudas", entries.miss(), folder));
    std::set<std::string> cudas;
    for (const auto& entry : *entries)
      if (const auto cuda = cuda_of_bitsandbytes(entry.name); !cuda.empty()) cudas.insert(cuda);
    return state_list(env, "bitsandbytes_cudas", {cudas.begin(), cudas.end()}, {Rank::measured, folder, 0, {}});
  }
}

constexpr const char* of_packages[] = {"packages",        "conda_libraries", "duplicates",  "cuda_wheel_majors",
                                       "clashing_wheels", "cudnn_wheels",    "nccl_wheels", "onnxruntimes", "cupys", "bitsandbytes_cudas",
                                       "torches",         "torch_versions"};

void run(const Machine& machine, const Scope& scope, Facts& facts) {
  facts.looked("torch");
  if (!facts.was_looked("env")) facts.not_looked("torch", facts.why_not("env"));
  bool active_torch = false;  // Python takes the first of its search path; the others are shadowed
  auto environments = facts.of("env");
  const auto order = [](const Entity* env) { return env->has("order") ? to_number(env->get("order")) : 1L << 30; };
  std::stable_sort(environments.begin(), environments.end(),
                   [&](const Entity* a, const Entity* b) { return order(a) < order(b); });
  for (Entity* env : environments) {
    const auto sites = env->items("sites");
    auto listing = list_packages(machine, env->get("path"), sites);
    label_companions(machine, listing);
    if (listing.missed) {
      const auto reason = listing.missed_path + ": " + listing.missed->says;
      for (const char* fact : of_packages) env->unknown(fact, reason);
      facts.not_looked("torch", reason);
      continue;
    }
    state_bitsandbytes(machine, *env, listing);
    state_packages(*env, listing, {Rank::measured, sites.empty() ? env->id().key : sites.front(), 0, {}});
    if (!scope.envs.empty()) active_torch = false;  // each that was asked for counts
    state_torches(machine, *env, listing, facts, active_torch);
  }
}

}  // namespace

/// Packages that have to do with GPUs, and PyTorch, in every environment.
/// Lists each folder of packages once; of the packages only the small files of torch and its companions are read.
const Probe python_packages = {
    .name = "python-packages",
    .need = Need::files,
    .reads = {"$ENV/lib*/python3*/*-packages/*.dist-info", "$ENV/lib*/python3*/*-packages/*.egg-info",
              "$ENV/conda-meta/*.json", "$ENV/lib*/python3*/*-packages/torch*/version.py",
              "$ENV/lib*/python3*/*-packages/torch/lib/*.so*",
              "$ENV/lib*/python3*/*-packages/torch/lib/rocblas/library/*",
              "$ENV/lib*/python3*/*-packages/torch/.kpack/*", "$ENV/lib*/python3*/*-packages/torch-*/METADATA",
              "$ENV/lib*/python3*/*-packages/torch-*/PKG-INFO", "$ENV/lib*/python3*/*-packages/torch-*/WHEEL",
              "$ENV/lib*/python3*/*-packages/torch/_C.*", "$ENV/lib*/python3*/*-packages/torch-*/INSTALLER",
              "$ENV/lib*/python3*/*-packages/torch.egg-link",
              "$ENV/lib*/python3*/*-packages/bitsandbytes/*.so", "$ENV/lib*/python3*/*-packages/*.pth",
              "$ENV/lib*/python3*/*-packages/__editable__*torch*", "/etc/nv_tegra_release"},
    .run = run,
};

}  // namespace gpudoctor
