// SPDX-License-Identifier: Apache-2.0
// Native extensions of PyTorch: what the shared libraries of other packages in an environment ask of it. Headers and
// symbol tables are read; nothing is loaded.
#include <algorithm>
#include <map>
#include <set>

#include "all.hpp"
#include "extension_files.hpp"
#include "files.hpp"
#include "sonames.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

using Names = std::set<std::string>;

/// The libraries that define names of PyTorch: in torch/lib, and in conda's lib/ where those of the core lie there. Empty
/// where the core is not among them, since any name might be its.
std::vector<std::string> torch_libraries(const Machine& machine, const Entity& env, const std::string& torch) {
  std::vector<std::string> out, folders{join(torch, "lib")};
  if (env.is("kind", "conda")) folders.push_back(join(env.get("path"), "lib"));
  std::set<std::string> names;
  for (const auto& folder : folders) {
    if (names.contains("libc10.so") && names.contains("libtorch_cpu.so")) break;
    const auto entries = machine.list(folder);
    if (!entries) continue;
    for (const auto& entry : *entries)
      if ((entry.name.starts_with("libtorch") || entry.name.starts_with("libc10")) && entry.name.ends_with(".so") && names.insert(entry.name).second)
        out.push_back(join(folder, entry.name));
  }
  if (!names.contains("libc10.so") || !names.contains("libtorch_cpu.so")) out.clear();
  return out;
}

class Look {
 public:
  Look(const Machine& machine, Facts& facts, const Entity& env, const Entity& torch)
      : machine_(machine), facts_(facts), env_(env), torch_(torch), libraries_(torch_libraries(machine, env, torch.get("path"))) {}

  static constexpr std::size_t most = 256;   // libraries for PyTorch in one environment; the largest seen has 60
  bool too_many() const { return looked_at_ > most; }
  /// States the package when one of its files needs PyTorch.
  void package(const ExtensionPackage& package) {
    std::vector<ExtensionFile> files;
    std::vector<std::string> libraries;   // all that are there
    for (const auto& path : package.files) {
      const auto dynamic = machine_.inspect(path, Inspect::dynamic);
      if (!dynamic) continue;   // no ELF file, or RECORD is older than the folder
      libraries.push_back(path);
      auto file = parse_extension(path, *dynamic);
      if (file.torch && ++looked_at_ > most) return;
      if (file.gpu) files.push_back(std::move(file));
    }
    if (std::none_of(files.begin(), files.end(), [](const ExtensionFile& file) { return file.torch; })) return;
    Entity& extension = facts_.at("extension", package.key);
    extension.parent(torch_.id());
    extension.parent(env_.id());
    state_package(extension, package, files);
    state_needs(extension, libraries, files);
    state_archs(extension, files);
    state_abi(extension, files);
    state_symbols(extension, libraries, files);
  }

 private:
  static void list(Entity& extension, const char* fact, const Names& names, const std::string& source) {
    if (names.empty()) extension.absent(fact, seen(source));
    else extension.known(fact, std::vector<std::string>(names.begin(), names.end()), seen(source));
  }

  void state_package(Entity& extension, const ExtensionPackage& package, const std::vector<ExtensionFile>& files) {
    const auto name = package.name.empty() ? base_name(package.key) : package.version.empty() ? package.name : package.name + " " + package.version;
    extension.known("name", name, seen(package.key));
    extension.known("path", files.front().path, seen(package.key));
    Names paths;
    for (const auto& file : files) paths.insert(file.path);
    list(extension, "files", paths, package.key);
    if (package.name.empty()) {
      for (const auto* fact : {"package", "version", "installer"}) extension.absent(fact, seen(package.key));
      return;
    }
    extension.known("package", package.name, seen(package.key));
    if (package.version.empty()) extension.absent("version", seen(package.key));
    else extension.known("version", package.version, seen(package.key));
    const auto path = join(package.key, "INSTALLER");
    const auto text = machine_.read(path, 4096);
    if (text && !words(*text).empty()) extension.known("installer", lower(printable(words(*text)[0])), seen(path));
    else if (!text) extension.missed("installer", text.miss(), path);
    else extension.absent("installer", seen(path));
  }

  static void state_needs(Entity& extension, const std::vector<std::string>& own, const std::vector<ExtensionFile>& files) {
    Names needed, pythons, majors;
    const ExtensionFile* newest = nullptr;   // by the glibc that it asks for
    bool any_python = false, cuda = false, rocm = false;
    for (const auto& file : files) {
      for (const auto& name : file.needed)
        if (is_gpu_library(name)) needed.insert(name);
      for (const auto& name : file.needed) {
        const auto stem = library_stem(name);
        rocm |= stem == "libamdhip64" || stem == "libtorch_hip" || stem == "libc10_hip";
        cuda |= is_cuda_library(name) || stem == "libtorch_cuda" || stem == "libc10_cuda";
        const auto brought = [&](const std::string& other) { return base_name(other) == name; };
        if (is_bundled_name(name) || std::any_of(own.begin(), own.end(), brought)) continue;   // the package brings it along
        if (auto major = runtime_major(name); !major.empty()) majors.insert(std::move(major));
      }
      const auto python = python_of_file_name(base_name(file.path));
      if (python.empty()) any_python = true;
      else pythons.insert(python);
      if (!file.glibc.empty() && (!newest || compare(Version(newest->glibc), Version(file.glibc)) == Order::less)) newest = &file;
    }
    const auto& source = files.front().path;
    list(extension, "needed", needed, source);
    list(extension, "pythons", any_python ? Names() : pythons, source);
    list(extension, "cuda_majors", majors, source);
    extension.known("backend", rocm ? "rocm" : cuda ? "cuda" : "cpu", seen(source));
    if (newest) extension.known("glibc", newest->glibc, seen(newest->path));
    else extension.absent("glibc", seen(source));
  }

  void state_archs(Entity& extension, const std::vector<ExtensionFile>& files) {
    std::vector<std::string> archs;
    std::string source = files.front().path;
    for (const auto& file : files) {
      const auto answer = machine_.inspect(file.path, Inspect::cuda_archs);
      if (answer) {
        if (archs.empty()) source = file.path;
        for (const auto& arch : *answer)
          if (std::find(archs.begin(), archs.end(), arch) == archs.end()) archs.push_back(arch);
      } else if (!answer.is_absent()) {
        extension.unknown("archs", file.path + ": " + answer.miss().says);   // of one more file there may be more
        return;
      }
    }
    if (archs.empty()) extension.absent("archs", seen(source));
    else extension.known("archs", std::move(archs), seen(source));
  }

  /// A needed library that is neither the system's, nor CUDA's or PyTorch's, nor the package's: names may be its.
  static std::string stranger(const std::vector<std::string>& own, const ExtensionFile& file) {
    for (const auto& name : file.needed) {
      if (is_system_library(name) || is_gpu_library(name)) continue;
      const auto same = [&](const std::string& other) { return base_name(other) == name; };
      if (std::none_of(own.begin(), own.end(), same)) return name;
    }
    return {};
  }

  void state_abi(Entity& extension, const std::vector<ExtensionFile>& files) {
    std::string abi, source, reason;
    for (const auto& file : files) {
      if (!file.torch) continue;
      const auto said = machine_.inspect(file.path, Inspect::string_abi);
      if (said && !said->empty() && abi.empty()) abi = said->front().substr(4), source = file.path;
      if (!said && reason.empty()) reason = file.path + ": " + said.miss().says;
    }
    if (!abi.empty()) extension.known("abi", abi, seen(source));
    else if (!reason.empty()) extension.unknown("abi", reason);
    else extension.absent("abi", seen(files.front().path));
  }

  /// Names may be defined by PyTorch, or by another library of the package, `own`.
  void state_symbols(Entity& extension, const std::vector<std::string>& own, const std::vector<ExtensionFile>& files) {
    Names missing;
    std::string source = files.front().path, reason;
    for (const auto& file : files) {
      if (!file.torch) continue;
      auto libraries = libraries_;
      std::copy_if(own.begin(), own.end(), std::back_inserter(libraries), [&](const std::string& other) { return other != file.path; });
      const auto names = libraries_.empty() ? Result<std::vector<std::string>>(Miss{Why::failed, "libc10.so and libtorch_cpu.so are not where PyTorch has them"})
                                            : machine_.unresolved(file.path, libraries);
      if (!names) {
        if (reason.empty()) reason = file.path + ": " + names.miss().says;
        continue;
      }
      if (names->empty()) continue;
      if (const auto other = stranger(own, file); !other.empty()) {
        if (reason.empty()) reason = file.path + ": " + other + ", which may define its names, was not found";
        continue;
      }
      if (missing.empty()) source = file.path;
      missing.insert(names->begin(), names->end());
    }
    if (!missing.empty()) extension.known("missing_names", first_few(missing), seen(source));
    else if (!reason.empty()) extension.unknown("missing_names", reason);
    else extension.absent("missing_names", seen(source));
  }

  /// Those that a loader names first are of c10; more than a handful tells nothing more.
  static std::vector<std::string> first_few(const Names& names) {
    std::vector<std::string> out;
    for (const auto& name : names)
      if (out.size() < 5) out.push_back(name);
    return out;
  }

  const Machine& machine_;
  Facts& facts_;
  const Entity& env_;
  const Entity& torch_;
  std::vector<std::string> libraries_;
  std::size_t looked_at_ = 0;   // libraries that need PyTorch
};

/// The PyTorch that this environment's Python imports.
const Entity* torch_of(const Facts& facts, const Entity& env) {
  const Entity* first = nullptr;
  for (const Entity* torch : facts.of("torch")) {
    const auto& parents = torch->parents();
    if (std::find(parents.begin(), parents.end(), env.id()) == parents.end()) continue;
    if (!first || torch->is("active", "yes")) first = torch;
  }
  return first;
}

void state_torch_abi(const Machine& machine, Entity& torch) {
  const auto path = join(torch.get("path"), "lib/libc10.so");
  const auto abi = machine.inspect(path, Inspect::string_abi);
  if (abi && !abi->empty()) torch.known("abi", abi->front().substr(4), seen(path));
  else torch.unknown("abi", path + ": " + (abi ? "no name of it tells" : abi.miss().says));
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  facts.looked("extension");
  if (!facts.was_looked("torch")) facts.not_looked("extension", facts.why_not("torch"));
  for (Entity* torch : facts.of("torch")) state_torch_abi(machine, *torch);
  std::string doubt;
  for (const Entity* env : std::as_const(facts).of("env")) {
    const Entity* torch = torch_of(facts, *env);
    if (!torch || !torch->has("path")) continue;
    Look look(machine, facts, *env, *torch);
    for (const auto& site : env->items("sites"))
      for (const auto& package : extension_packages(machine, site, doubt)) look.package(package);
    if (look.too_many() && doubt.empty()) doubt = env->id().key + ": more than " + std::to_string(Look::most) + " native extensions";
  }
  if (!doubt.empty()) facts.not_looked("extension", doubt);
}

}  // namespace

/// Native extensions in the environments that hold a PyTorch.
/// Reads the RECORD of each package, and of shared libraries their headers, symbol tables and the headers of their fatbins.
const Probe extensions = {
    .name = "extensions",
    .need = Need::files,
    .reads = {"$ENV/lib*/python3*/*-packages/*.dist-info/RECORD", "$ENV/lib*/python3*/*-packages/*.dist-info/INSTALLER",
              "$ENV/lib*/python3*/*-packages/**/*.so*"},
    .run = run,
};

}  // namespace gpudoctor
