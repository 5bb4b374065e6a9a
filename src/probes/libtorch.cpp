// SPDX-License-Identifier: Apache-2.0
// LibTorch: PyTorch for C++, unpacked from its archive.
#include <algorithm>

#include "all.hpp"
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

void run(const Machine& machine, const Scope&, Facts& facts) {
  facts.looked("libtorch");
  for (const auto& folder : places(machine)) {
    if (!exists(machine, join(folder, "build-version")) || !exists(machine, join(folder, "lib/libtorch.so"))) continue;
    const auto key = machine.real(folder).value_or(folder);
    if (!facts.find("libtorch", key)) state(machine, facts.at("libtorch", key), key);
  }
}

}  // namespace

/// LibTorch where it is usually unpacked, and where CMake's variables lead.
/// Reads build-version and the list of libraries that libtorch_cuda.so needs.
const Probe libtorch = {
    .name = "libtorch",
    .need = Need::files,
    .reads = {"/etc/passwd", "*/libtorch*/build-version", "*/libtorch*/lib/libtorch*.so",
              "*/libtorch*/lib/libc10_cuda.so"},
    .run = run,
};

}  // namespace gpudoctor
