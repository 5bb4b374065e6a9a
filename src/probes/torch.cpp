// SPDX-License-Identifier: Apache-2.0
// PyTorch as its files describe it. It is never imported.
#include "torch.hpp"

#include <algorithm>

#include "python_files.hpp"
#include "text.hpp"
#include "torch_files.hpp"
#include "torch_libraries.hpp"

namespace gpudoctor {

namespace {

Witness at(const std::string& source, int line = 0) { return {Rank::measured, source, line, {}}; }

const Package* find_package(const std::vector<Package>& packages, std::string_view name) {
  const auto found = std::find_if(packages.begin(), packages.end(), [&](const Package& p) { return p.name == name; });
  return found == packages.end() ? nullptr : &*found;
}

std::string release(const std::string& version) { return Version(version, Scheme::pep440).without_local(); }

/// Conda's record of PyTorch itself, not of the meta packages around it.
const Package* conda_torch(const Listing& listing) {
  const Package* found = find_package(listing.conda, "pytorch");
  return found ? found : find_package(listing.conda, "libtorch");
}

/// The metadata that belongs to these files: the one of the same release, else the first.
const Package* metadata_of(const Listing& listing, const std::string& version) {
  const Package* first = nullptr;
  for (const auto& package : listing.packages) {
    if (package.name != "torch") continue;
    if (!version.empty() && release(package.version) == release(version)) return &package;
    if (!first) first = &package;
  }
  return first;
}

/// Folders of torch beside its metadata, else where an editable install leads; a bounded few.
std::vector<std::string> torch_folders(const Machine& machine, const Listing& listing) {
  auto folders = listing.torch_folders;
  std::vector<std::string> trees;
  for (std::size_t i = 0; i < listing.hints.size() && i < 8; ++i) {
    const auto text = machine.read(listing.hints[i], 1 << 17);
    if (!text) continue;
    if (auto mapped = mapped_folder(*text, "torch"); !mapped.empty()) folders.push_back(std::move(mapped));
    for (auto& path : path_lines(*text))
      if (trees.size() < 64) trees.push_back(std::move(path));
  }
  for (const auto& tree : trees)
    if (exists(machine, join(tree, "torch/version.py"))) folders.push_back(join(tree, "torch"));
  return folders;
}

/// How many installations lie here: dist-infos, and conda's copy when pip put another over it.
void state_count(Entity& env, const Listing& listing, const std::vector<std::string>& folders,
                 const std::string& version) {
  std::vector<std::string> versions;
  std::string source = env.id().key;
  for (const auto& package : listing.packages)
    if (package.name == "torch") versions.push_back(package.version), source = package.entry;
  if (versions.empty() && !folders.empty()) versions.push_back(version), source = folders.front();
  if (const Package* conda = conda_torch(listing)) {
    const bool same_release = std::any_of(versions.begin(), versions.end(),
                                          [&](const std::string& other) { return release(other) == conda->version; });
    // Conda's own builds carry no label: one in the files means that pip's copy lies over conda's.
    const bool labelled = !wheel_tag(Version(version, Scheme::pep440).local()).empty();
    if (!same_release || labelled) versions.push_back(conda->version), source = conda->entry;
  }
  env.known("torches", std::to_string(versions.size()), at(source));
  if (versions.empty())
    env.absent("torch_versions", at(source));
  else
    env.known("torch_versions", std::move(versions), at(source));
}

/// Version, backend, CUDA, ROCm, tag: what version.py says. Returns its __version__, empty when it cannot be used.
std::string state_version(const Machine& machine, Entity& torch, const std::string& folder, const Package* metadata,
                          VersionFile& file) {
  const auto path = join(folder, "version.py");
  const auto text = machine.read(path, 1 << 16);
  const auto parsed = text ? parse_version_file(*text) : std::nullopt;
  if (parsed) {
    file = *parsed;
    const auto& version = file.at("__version__");
    torch.known("version", version.value, at(path, version.line))
        .known("release", release(version.value), at(path, version.line));
    return version.value;
  }
  if (!text && text.is_absent() && metadata && !metadata->version.empty()) {
    // The wheel's name keeps the release; its label may have been cut off.
    torch.known("version", metadata->version, at(metadata->entry))
        .known("release", release(metadata->version), at(metadata->entry));
    return metadata->version;
  }
  const auto reason = path + ": " + (text ? "not a version file" : text.miss().says);
  for (const char* fact : {"version", "release", "tag", "origin", "backend", "cuda", "cuda_major", "rocm"})
    torch.unknown(fact, reason);
  return {};
}

void state_backend(const Machine& machine, Entity& torch, const std::string& folder, const VersionFile& file,
                   const std::string& tag) {
  const auto path = join(folder, "version.py");
  const auto said = [&](std::string_view name) -> const Assigned* {
    const auto found = file.find(name);
    return found == file.end() || found->second.none || found->second.value.empty() ? nullptr : &found->second;
  };
  const auto* cuda = said("cuda");
  const auto* hip = said("hip");
  if (!hip) hip = said("rocm");
  if (hip) {
    torch.known("backend", "rocm", at(path, hip->line));
    const auto* rocm = said("rocm");
    if (auto version = rocm_version(tag, rocm ? rocm->value : "", hip->value); !version.empty())
      torch.known("rocm", version, at(path, hip->line));
    else
      torch.unknown("rocm", path + ": no version in it");
  } else if (cuda) {
    torch.known("backend", "cuda", at(path, cuda->line));
    if (const Version version(cuda->value); version.valid()) {
      torch.known("cuda", cuda->value, at(path, cuda->line));
      torch.known("cuda_major", std::to_string(version.major()), at(path, cuda->line));
    } else {
      torch.unknown("cuda", path + ": '" + cuda->value + "' is no version");
    }
  } else if (const auto* xpu = said("xpu")) {
    torch.known("backend", "xpu", at(path, xpu->line));
  } else if (!file.empty()) {
    torch.known("backend", "cpu", at(path));
  }
  // The libraries are a second witness: files of two builds can lie over each other.
  const auto lib = join(folder, "lib");
  if (!hip && exists(machine, join(lib, "libtorch_cuda.so"))) {
    torch.known("backend", "cuda", at(join(lib, "libtorch_cuda.so")));
    if (!cuda)
      if (const auto major = cuda_major(machine, lib))
        torch.known("cuda_major", major->items.front(), at(major->source));
  } else if (exists(machine, join(lib, "libtorch_hip.so"))) {
    torch.known("backend", "rocm", at(join(lib, "libtorch_hip.so")));
  }
  if (!torch.has("backend")) torch.unknown("backend", path + ": it does not say");
  for (const char* fact : {"cuda", "cuda_major", "rocm"})
    if (const Fact* seen = torch.find(fact); !seen && !file.empty())
      torch.absent(fact, at(path));
    else if (!seen)
      torch.unknown(fact, path + ": it does not say");
}

void state_archs(const Machine& machine, Entity& torch, const std::string& folder) {
  const auto backend = torch.get("backend");
  if (backend == "cpu" || backend == "xpu") {
    torch.absent("archs", at(join(folder, "version.py")));
    return;
  }
  if (backend.empty()) {
    torch.unknown("archs", "the backend is unknown");
    return;
  }
  const auto archs = backend == "rocm" ? rocm_archs(machine, folder) : cuda_archs(machine, join(folder, "lib"));
  if (archs)
    torch.known("archs", archs->items, at(archs->source));
  else
    torch.unknown("archs", archs.miss().says);
}

/// What the build asks for, else the wheel or conda package beside it, else what lies in torch/lib.
void state_component(const Machine& machine, Entity& torch, const char* name, const Listing& listing,
                     const std::vector<std::string>& pins, const Package* metadata, const std::string& folder) {
  if (torch.is("backend", "cpu") || torch.is("backend", "rocm") || torch.is("backend", "xpu")) {
    torch.absent(name, at(join(folder, "version.py")));
    return;
  }
  const auto wheel = "nvidia-" + std::string(name) + "-cu";
  for (const auto& pin : pins)
    if (pin.starts_with(wheel)) {
      torch.known(name, pin.substr(pin.find("==") + 2), at(metadata->entry + "/METADATA"));
      return;
    }
  if (const Package* conda = conda_torch(listing); conda && torch.get("origin").starts_with("conda")) {
    if (const auto version = cudnn_of_build(conda->build); !version.empty() && std::string_view(name) == "cudnn")
      torch.known(name, version, at(conda->entry));
    else if (const Package* package = find_package(listing.conda, name))
      torch.known(name, package->version, at(package->entry));
  }
  if (const Package* package = find_package(listing.packages, wheel + torch.get("cuda_major"));
      package && !torch.has(name))
    torch.known(name, package->version, at(package->entry));
  if (torch.has(name)) return;
  if (std::string_view(name) == "cudnn")
    if (const auto bundled = bundled_cudnn(machine, join(folder, "lib")); bundled && !bundled->items.empty()) {
      torch.known(name, bundled->items.front(), at(bundled->source));
      return;
    }
  torch.unknown(name, "neither pinned nor beside it: built in, or taken from the system");
}

/// The Python that its extension module is for, by the name of that file; the C library that its wheel asks for, by its tag.
void state_platform(const Machine& machine, Entity& torch, const std::string& folder, const Package* metadata) {
  if (const auto entries = machine.list(folder)) {
    for (const auto& entry : *entries)
      if (const auto python = python_of_module(entry.name); !python.empty() && entry.name.starts_with("_C."))
        torch.known("built_python", python, at(join(folder, entry.name)));
    torch.unknown("built_python", folder + ": no module that names its Python");
  } else {
    torch.unknown("built_python", folder + ": " + entries.miss().says);
  }
  if (!metadata || !metadata->entry.ends_with(".dist-info")) return;
  const auto path = join(metadata->entry, "WHEEL");
  const auto text = machine.read(path, 1 << 16);
  if (const auto glibc = text ? glibc_of_wheel(*text) : std::string(); !glibc.empty()) torch.known("glibc", glibc, at(path));
}

void state_torch(const Machine& machine, Entity& env, const Listing& listing, const std::string& folder,
                 Entity& torch) {
  torch.parent(env.id());
  torch.known("path", torch.id().key, at(folder));
  const Package* metadata = metadata_of(listing, {});
  VersionFile file;
  const auto version = state_version(machine, torch, folder, metadata, file);
  metadata = metadata_of(listing, version);
  const Package* conda = conda_torch(listing);

  std::string installer;
  if (metadata && metadata->entry.ends_with(".dist-info")) {
    const auto text = machine.read(join(metadata->entry, "INSTALLER"), 4096);
    if (text && !words(*text).empty())
      installer = lower(printable(words(*text)[0]));
    else if (!text)
      torch.missed("installer", text.miss(), join(metadata->entry, "INSTALLER"));
  }
  const bool conda_files =
      conda && wheel_tag(Version(version, Scheme::pep440).local()).empty() && release(version) == conda->version;
  if (!installer.empty())
    torch.known("installer", installer, at(join(metadata->entry, "INSTALLER")));
  else if (conda_files)
    torch.known("installer", "conda", at(conda->entry));
  else
    torch.absent("installer", at(folder));

  auto tag = wheel_tag(Version(version, Scheme::pep440).local());
  state_backend(machine, torch, folder, file, tag);
  if (!version.empty()) {
    const auto path = join(folder, "version.py");
    const bool jetson = exists(machine, "/etc/nv_tegra_release");
    const auto origin = torch_origin(
        {version, folder, conda_files ? conda->build : "", installer, torch.is("backend", "cuda"), jetson});
    torch.known("origin", origin, at(path));
    if (tag.empty() && origin == "wheel" && torch.has("cuda")) {
      // PyPI's wheels up to 1.7 carried no label: the CUDA they were built with says which one they are.
      tag = cuda_tag(torch.get("cuda"));
      if (compare(Version(release(version), Scheme::pep440), Version("1.8", Scheme::pep440)) != Order::less)
        torch.unsure("tag");
    }
    if (tag.empty() && origin == "wheel" && torch.is("backend", "cpu")) tag = "cpu";
    if (tag.empty())
      torch.absent("tag", at(path));
    else
      torch.known("tag", tag, at(path));
  }
  state_archs(machine, torch, folder);
  state_platform(machine, torch, folder, metadata);

  std::vector<std::string> pins;
  if (metadata) {
    const auto source =
        metadata->entry.ends_with(".dist-info") ? join(metadata->entry, "METADATA") : join(metadata->entry, "PKG-INFO");
    const auto text = machine.read(source);
    if (text) pins = parse_pins(*text);
    if (!text)
      torch.missed("pins", text.miss(), source);
    else if (pins.empty())
      torch.absent("pins", at(source));
    else
      torch.known("pins", pins, at(source));
  } else {
    torch.absent("pins", at(folder));
  }
  state_component(machine, torch, "cudnn", listing, pins, metadata, folder);
  state_component(machine, torch, "nccl", listing, pins, metadata, folder);
}

}  // namespace

void state_torches(const Machine& machine, Entity& env, const Listing& listing, Facts& facts, bool& active_torch) {
  const auto folders = torch_folders(machine, listing);
  std::string version;
  for (const auto& folder : folders) {
    const auto key = machine.real(folder).value_or(folder);
    // A folder without version.py and without metadata is a leftover, and no PyTorch.
    if (const auto info = machine.info(join(folder, "version.py")); info.is_absent() && !metadata_of(listing, {}))
      continue;
    const bool known_already = facts.find("torch", key) != nullptr;
    auto& torch = facts.at("torch", key);
    torch.parent(env.id());
    if (!known_already) state_torch(machine, env, listing, folder, torch);
    if (version.empty()) version = torch.get("version");
    if (known_already) continue;  // a link into an environment that was looked at before
    if (const Fact* active = env.find("active"); active && active->state == State::unknown) {
      torch.unknown("active", active->reason);
      continue;
    }
    // Folders of one search path shadow each other; environments named with --env are judged each for itself.
    const bool named = env.has("active") && env.find("active")->witnesses.front().source == "--env";
    const bool imported = env.is("active", "yes") && (named ? &folder == &folders.front() : !active_torch);
    torch.known("active", imported ? "yes" : "no", at(folder));
    active_torch |= imported && !named;
  }
  state_count(env, listing, folders, version);
}

}  // namespace gpudoctor
