// SPDX-License-Identifier: Apache-2.0
// The words by which reports, recordings and JSON call the values of small enumerations.
#include <array>
#include <utility>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"
#include "gpudoctor/recommendation.hpp"

namespace gpudoctor {
namespace {

constexpr std::array<std::pair<Why, const char*>, 9> whys{{{Why::absent, "absent"},
                                                           {Why::refused, "refused"},
                                                           {Why::loop, "loop"},
                                                           {Why::not_regular, "not-regular"},
                                                           {Why::too_large, "too-large"},
                                                           {Why::malformed, "malformed"},
                                                           {Why::not_running, "not-running"},
                                                           {Why::not_looked, "not-looked"},
                                                           {Why::failed, "failed"}}};

constexpr std::array<std::pair<Inspect, const char*>, 19> inspections{{{Inspect::modinfo, "modinfo"},
                                                                       {Inspect::dynamic, "dynamic"},
                                                                       {Inspect::cuda_archs, "cuda-archs"},
                                                                       {Inspect::torch_archs, "torch-archs"},
                                                                       {Inspect::nccl_version, "nccl-version"},
                                                                       {Inspect::nvcc_release, "nvcc-release"},
                                                                       {Inspect::cudnn_version, "cudnn-version"},
                                                                       {Inspect::compat_note, "compat-note"},
                                                                       {Inspect::dpkg_status, "dpkg-status"},
                                                                       {Inspect::dpkg_files, "dpkg-files"},
                                                                       {Inspect::libc_version, "libc-version"},
                                                                       {Inspect::string_abi, "string-abi"},
                                                                       {Inspect::ld_cache, "ld-cache"},
                                                                       {Inspect::wheel_files, "wheel-files"},
                                                                       {Inspect::version_macros, "version-macros"},
                                                                       {Inspect::kernel_log, "kernel-log"},
                                                                       {Inspect::build_log, "build-log"},
                                                                       {Inspect::rpm_packages, "rpm-packages"},
                                                                       {Inspect::efi_keys, "efi-keys"}}};

template <class Table, class T>
const char* find_word(const Table& table, T value) {
  for (const auto& [one, name] : table)
    if (one == value) return name;
  return "failed";
}

}  // namespace

const char* word(Why why) { return find_word(whys, why); }
const char* word(Inspect what) { return find_word(inspections, what); }

Why why_from_word(const std::string& name) {
  for (const auto& [why, text] : whys)
    if (name == text) return why;
  return Why::failed;
}

std::optional<Inspect> inspect_from_word(const std::string& name) {
  for (const auto& [what, text] : inspections)
    if (name == text) return what;
  return std::nullopt;
}

const char* word(Rank rank) {
  constexpr const char* names[] = {"measured", "verdict", "tool", "assumed", "table", "prose"};
  return names[static_cast<int>(rank)];
}

const char* word(Bar bar) {
  constexpr const char* words[] = {"release", "python", "platform", "glibc", "gpu", "driver", "package", "status", "limits"};
  return words[static_cast<int>(bar)];
}

}  // namespace gpudoctor
