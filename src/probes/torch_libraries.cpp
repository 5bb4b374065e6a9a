// SPDX-License-Identifier: Apache-2.0
#include "torch_libraries.hpp"

#include <algorithm>

#include "gpudoctor/facts.hpp"
#include "text.hpp"
#include "torch_files.hpp"

namespace gpudoctor {

namespace {

/// What follows ".so." in a name that starts so, a hash of auditwheel between the two allowed.
std::string version_of_soname(std::string_view name, std::string_view library) {
  if (!name.starts_with(library)) return {};
  name.remove_prefix(library.size());
  if (name.starts_with('-')) name.remove_prefix(std::min(name.find('.'), name.size()));
  if (!name.starts_with(".so.")) return {};
  name.remove_prefix(4);
  return name.find_first_not_of("0123456789.") == std::string_view::npos ? std::string(name) : std::string();
}

}  // namespace

std::string cudart_major(std::string_view soname) {
  const auto version = version_of_soname(soname, "libcudart");
  return version.substr(0, version.find('.'));
}

std::string cudnn_of_name(std::string_view name) { return version_of_soname(name, "libcudnn"); }

Result<Seen> cuda_archs(const Machine& machine, const std::string& lib) {
  const struct {
    const char* name;
    Inspect what;
  } ways[] = {{"libtorch_python.so", Inspect::torch_archs},
              {"libtorch_cuda.so", Inspect::cuda_archs},
              {"libtorch_cuda_cu.so", Inspect::cuda_archs}};  // 1.9 to 1.13 had the kernels apart
  std::optional<Miss> first;
  for (const auto& [name, what] : ways) {
    const auto path = join(lib, name);
    auto answer = machine.inspect(path, what);
    if (!answer) {
      if (!first) first = Miss{answer.miss().why, path + ": " + answer.miss().says};
      continue;
    }
    std::erase_if(*answer,
                  [](const std::string& item) { return !item.starts_with("sm_") && !item.starts_with("compute_"); });
    if (!answer->empty()) return Seen{std::move(*answer), path};
  }
  return first.value_or(Miss{Why::malformed, lib + ": no list of kernels in its libraries"});
}

Result<Seen> rocm_archs(const Machine& machine, const std::string& torch) {
  const auto library = join(torch, "lib/libtorch_python.so");
  if (auto answer = machine.inspect(library, Inspect::torch_archs)) {
    std::erase_if(*answer, [](const std::string& item) { return !item.starts_with("gfx"); });
    if (!answer->empty()) return Seen{std::move(*answer), library};
  }
  for (const char* below : {".kpack", "lib/rocblas/library"}) {
    const auto folder = join(torch, below);
    const auto entries = machine.list(folder);
    if (!entries) continue;
    std::vector<std::string> targets;
    for (const auto& entry : *entries)
      if (auto target = gfx_of_name(entry.name); !target.empty()) targets.push_back(std::move(target));
    std::sort(targets.begin(), targets.end(), natural_less);
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    if (!targets.empty()) return Seen{std::move(targets), folder};
  }
  return Miss{Why::malformed, torch + ": no names of gfx targets in its files"};
}

Result<Seen> cuda_major(const Machine& machine, const std::string& lib) {
  std::optional<Miss> first;
  for (const char* name : {"libtorch_cuda.so", "libc10_cuda.so"}) {  // the former needs only its halves in 1.9 to 1.13
    const auto path = join(lib, name);
    const auto answer = machine.inspect(path, Inspect::dynamic);
    if (!answer) {
      if (!first) first = Miss{answer.miss().why, path + ": " + answer.miss().says};
      continue;
    }
    for (const auto& line : *answer)
      if (line.starts_with("needed="))
        if (auto major = cudart_major(std::string_view(line).substr(7)); !major.empty())
          return Seen{{std::move(major)}, path};
  }
  return first.value_or(Miss{Why::malformed, lib + ": its libraries need no libcudart"});
}

Result<Seen> bundled_cudnn(const Machine& machine, const std::string& lib) {
  const auto entries = machine.list(lib);
  if (!entries) return entries.miss();
  for (const auto& entry : *entries)
    if (auto version = cudnn_of_name(entry.name); !version.empty())
      return Seen{{std::move(version)}, join(lib, entry.name)};
  return Seen{};
}

}  // namespace gpudoctor
