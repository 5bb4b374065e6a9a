// SPDX-License-Identifier: Apache-2.0
// LibTorch: PyTorch for C++, unpacked from its archive.
#include <algorithm>

#include "all.hpp"
#include "extension_files.hpp"
#include "python_places.hpp"
#include "text.hpp"
#include "torch_files.hpp"
#include "torch_libraries.hpp"

namespace gpudoctor {

namespace {

std::vector<std::string> places(const Machine& machine) {
  std::vector<std::string> found;
  // CMake's variables hold several folders; Torch_DIR names the one of TorchConfig.cmake.
  for (const char* name :
       {"CMAKE_PREFIX_PATH", "LIBTORCH", "LIBTORCH_PATH", "LIBTORCH_ROOT", "Torch_ROOT", "Torch_DIR", "TORCH_DIR"})
    if (const auto value = machine.variable(name)) {
      const auto paths = replaced(*value, ";", ":");
      for (const auto path : split(paths, ':')) {
        std::string folder(path);
        while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
        if (folder.ends_with("/share/cmake/Torch")) folder = parent(parent(parent(folder)));
        if (folder.starts_with('/')) found.push_back(std::move(folder));
      }
    }
  std::vector<std::string> above{"/opt", "/usr/local", "/"};
  for (auto& home : homes(machine)) above.push_back(std::move(home));
  if (machine.running()) {
    found.push_back(machine.working_folder());
    above.push_back(machine.working_folder());
  }
  for (const auto& folder : above)
    for (auto& path : glob_in(machine, folder, "libtorch*")) found.push_back(std::move(path));
  return found;
}

void state(const Machine& machine, Entity& libtorch, const std::string& folder) {
  const auto path = join(folder, "build-version"), lib = join(folder, "lib");
  const Witness said{Rank::measured, path, 1, {}}, here{Rank::measured, folder, 0, {}};
  libtorch.known("path", folder, here);
  const auto text = machine.read(path, 4096);
  const auto version = text ? std::string(trim(*text)) : std::string();
  const bool valid = Version(version, Scheme::pep440).valid();
  if (valid)
    libtorch.known("version", version, said);
  else
    libtorch.unknown("version", path + ": " + (text ? "not a version" : text.miss().says));
  const auto tag = valid ? wheel_tag(Version(version, Scheme::pep440).local()) : std::string();
  if (tag.starts_with("cu")) libtorch.known("backend", "cuda", said);
  if (tag.starts_with("rocm")) libtorch.known("backend", "rocm", said);
  if (tag == "cpu") libtorch.known("backend", "cpu", said);

  if (exists(machine, join(lib, "libtorch_cuda.so"))) {
    libtorch.known("backend", "cuda", {Rank::measured, join(lib, "libtorch_cuda.so"), 0, {}});
    if (const auto major = cuda_major(machine, lib))
      libtorch.known("cuda_major", major->items.front(), {Rank::measured, major->source, 0, {}});
    else if (tag.size() > 3)
      libtorch.known("cuda_major", tag.substr(2, tag.size() - 3), said);
    else
      libtorch.unknown("cuda_major", major.miss().says);
  } else {
    if (exists(machine, join(lib, "libtorch_hip.so")))
      libtorch.known("backend", "rocm", {Rank::measured, join(lib, "libtorch_hip.so"), 0, {}});
    else if (tag.empty())
      libtorch.known("backend", "cpu", here);
    libtorch.absent("cuda_major", here);
  }
}

void state_abi(const Machine& machine, Entity& libtorch) {
  const auto path = join(libtorch.get("path"), "lib/libc10.so");
  const auto abi = machine.inspect(path, Inspect::string_abi);
  if (abi && !abi->empty())
    libtorch.known("abi", abi->front().substr(4), {Rank::measured, path, 0, {}});
  else
    libtorch.unknown("abi", path + ": " + (abi ? "no name of it tells" : abi.miss().says));
}

/// The LibTorch that a program's own search path leads to; the only one where it has none.
Entity* libtorch_of(const Machine& machine, const ExtensionFile& program, const std::vector<Entity*>& libtorches) {
  const auto paths = replaced(program.runpath.empty() ? program.rpath : program.runpath, "$ORIGIN", parent(program.path));
  for (const auto folder : split(paths, ':')) {
    const auto real = machine.real(std::string(folder));
    for (Entity* one : libtorches)
      if (real && *real == join(one->id().key, "lib")) return one;
  }
  return paths.empty() && libtorches.size() == 1 ? libtorches.front() : nullptr;
}

void state_program(const Machine& machine, const ExtensionFile& file, const Entity& libtorch, Facts& facts) {
  Entity& program = facts.at("program", file.path);
  const Witness here{Rank::measured, file.path, 0, {}};
  program.parent(libtorch.id());
  program.known("path", file.path, here);
  const auto abi = machine.inspect(file.path, Inspect::string_abi);
  if (!abi)
    program.unknown("abi", abi.miss().says);
  else if (abi->empty())
    program.absent("abi", here);
  else
    program.known("abi", abi->front().substr(4), here);
  std::vector<std::string> libraries;
  for (const char* name : {"libc10.so", "libtorch_cpu.so", "libtorch_cuda.so", "libc10_cuda.so", "libtorch.so"})
    if (const auto path = join(join(libtorch.id().key, "lib"), name); exists(machine, path)) libraries.push_back(path);
  auto names = machine.unresolved(file.path, libraries);
  if (!names)
    program.unknown("missing_names", names.miss().says);
  else if (names->empty())
    program.absent("missing_names", here);
  else
    program.known("missing_names", std::vector<std::string>(names->begin(), names->begin() + static_cast<long>(std::min<std::size_t>(names->size(), 5))), here);
}

/// What CMake leaves in the working folder: an executable whose link failed is none, a shared library with missing names is.
void find_programs(const Machine& machine, Facts& facts) {
  constexpr std::size_t most = 512;   // files of one folder
  facts.looked("program");
  if (!machine.running()) facts.not_looked("program", "only the running system has a working folder");
  const auto libtorches = facts.of("libtorch");
  if (libtorches.empty() || !machine.running()) return;
  for (const auto& folder : {machine.working_folder(), join(machine.working_folder(), "build")}) {
    const auto entries = machine.list(folder);
    if (!entries) continue;
    for (std::size_t i = 0; i < entries->size() && i < most; ++i) {
      const auto& entry = (*entries)[i];
      const bool plain = entry.name.find('.') == std::string::npos || contains(entry.name, ".so");
      if (entry.kind != Kind::file || !plain) continue;
      const auto path = join(folder, entry.name);
      const auto dynamic = machine.inspect(path, Inspect::dynamic);
      if (!dynamic) continue;
      const auto file = parse_extension(path, *dynamic);
      if (!file.torch) continue;
      if (const Entity* one = libtorch_of(machine, file, libtorches)) state_program(machine, file, *one, facts);
    }
  }
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  facts.looked("libtorch");
  for (const auto& folder : places(machine)) {
    if (!exists(machine, join(folder, "build-version")) || !exists(machine, join(folder, "lib/libtorch.so"))) continue;
    const auto key = machine.real(folder).value_or(folder);
    if (facts.find("libtorch", key)) continue;
    state(machine, facts.at("libtorch", key), key);
    state_abi(machine, facts.at("libtorch", key));
  }
  find_programs(machine, facts);
}

}  // namespace

/// LibTorch where it is usually unpacked, and where CMake's variables lead.
/// Reads build-version and the list of libraries that libtorch_cuda.so needs.
const Probe libtorch = {
    .name = "libtorch",
    .need = Need::files,
    .reads = {"/etc/passwd", "*/libtorch*/build-version", "*/libtorch*/lib/libtorch*.so",
              "*/libtorch*/lib/libc10*.so", "$CWD/*", "$CWD/build/*"},
    .run = run,
};

}  // namespace gpudoctor
