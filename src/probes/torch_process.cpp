// SPDX-License-Identifier: Apache-2.0
// Source: torch/__init__.py, _load_global_deps and _preload_cuda_deps, in the wheels of 1.13.1, 2.6.0, 2.9.1 and 2.11.0;
// pytorch pull request 141063 brought the first preload, in 2.6. cuDNN opens its parts by bare name (cuDNN documentation,
// "Dynamic linking"), PyTorch the driver and NVRTC.
#include "torch_process.hpp"

#include <algorithm>

#include "sonames.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// In the order of the list in torch/__init__.py.
constexpr const char* all_preloaded[] = {"libcublasLt", "libcublas", "libcudnn",      "libnvrtc",   "libnvrtc-builtins", "libcudart",
                                         "libcupti",    "libcufft",  "libcurand",     "libnvJitLink", "libcusparse",     "libcusparseLt",
                                         "libcusolver", "libnccl",   "libnvshmem_host", "libcufile", "libnvToolsExt"};

bool at_least(const Version& release, const char* other) {
  const Order order = compare(release, Version(other, Scheme::pep440));
  return order == Order::greater || order == Order::equal;
}

void preload(Process& process, const char* stem, const std::map<std::string, std::vector<std::string>>& wheels) {
  for (const auto& [soname, paths] : wheels)
    if (library_stem(soname) == stem && contains(paths.front(), "/nvidia/")) {
      process.open(paths.front(), "preloaded by torch");
      return;
    }
}

const Process::Library* runtime(const Process& process) {
  for (const auto& [name, library] : process.loaded())
    if (!runtime_major(name).empty()) return &library;
  return nullptr;
}

/// What torch preloads although all was found, so that LD_LIBRARY_PATH gives no other copy.
std::vector<const char*> preloaded_by(const Version& release, const Process& process) {
  const auto* cudart = runtime(process);
  if (!cudart || !at_least(release, "2.6")) return {};
  if (at_least(release, "2.11")) return {std::begin(all_preloaded), std::end(all_preloaded)};
  if (at_least(release, "2.9")) return {"libnvrtc", "libnvrtc-builtins", "libnvJitLink"};
  if (!contains(cudart->path, "nvidia/cuda_runtime/lib/")) return {};
  return {"libnvrtc", "libnvJitLink"};
}

void open_parts_of_cudnn(Process& process) {
  for (const auto& [name, part] : std::map<std::string, Process::Library>(process.loaded())) {
    if (name == "libcudnn.so.9")
      for (const char* one : {"graph", "ops", "cnn", "adv", "heuristic", "engines_precompiled", "engines_runtime_compiled"})
        process.open_name("libcudnn_" + std::string(one) + ".so.9", name);
    if (name == "libcudnn.so.8")
      for (const char* one : {"ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"})
        process.open_name("libcudnn_" + std::string(one) + ".so.8", name);
  }
}

}  // namespace

std::map<std::string, std::vector<std::string>> wheel_libraries(const Machine& machine, const std::vector<std::string>& sites) {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& site : sites) {
    std::vector<std::string> folders;
    const auto parts = machine.list(join(site, "nvidia"));
    if (parts)
      for (const auto& part : *parts) folders.push_back(join(join(join(site, "nvidia"), part.name), "lib"));
    for (const char* other : {"cusparselt/lib", "torch/lib"}) folders.push_back(join(site, other));
    for (const auto& folder : folders) {
      const auto entries = machine.list(folder);
      if (!entries) continue;
      for (const auto& entry : *entries)
        if (is_cuda_library(entry.name) && contains(entry.name, ".so.")) out[entry.name].push_back(join(folder, entry.name));
    }
  }
  return out;
}

void import_torch(const Machine& machine, Process& process, const std::string& folder, const Version& release,
                  const std::map<std::string, std::vector<std::string>>& wheels) {
  const auto lib = join(folder, "lib"), globals = join(lib, "libtorch_global_deps.so");
  if (exists(machine, globals)) {
    process.open(globals, "torch");
    const bool failed = std::any_of(process.missing().begin(), process.missing().end(), [](const auto& one) { return is_cuda_library(one.first); });
    if (failed) {   // then it preloads every wheel's library, and tries again
      process.forget_missing();
      for (const char* stem : all_preloaded) preload(process, stem, wheels);
      process.again();
    } else {
      for (const char* stem : preloaded_by(release, process)) preload(process, stem, wheels);
    }
  }
  for (const char* name : {"libtorch_python.so", "libtorch_cuda.so", "libtorch_cuda_linalg.so", "libcaffe2_nvrtc.so"})
    if (const auto path = join(lib, name); exists(machine, path)) process.open(path, "torch");
  open_parts_of_cudnn(process);
  for (const char* name : {"libtorch_cuda.so", "libc10_cuda.so"}) process.open_name("libcuda.so.1", name);
}

void load_libtorch(const Machine& machine, Process& process, const std::string& folder) {
  for (const char* name : {"lib/libtorch.so", "lib/libtorch_cuda.so"})
    if (const auto path = join(folder, name); exists(machine, path)) process.open(path, "libtorch");
  open_parts_of_cudnn(process);
  process.open_name("libcuda.so.1", "libtorch_cuda.so");
}

}  // namespace gpudoctor
