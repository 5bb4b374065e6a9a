// SPDX-License-Identifier: Apache-2.0
#include "sonames.hpp"

#include <algorithm>

namespace gpudoctor {
namespace {

/// CUDA Toolkit documentation, "CUDA Toolkit Major Components"; cuDNN, NCCL, NVSHMEM and cuSPARSELt come apart.
constexpr std::string_view cuda[] = {"libcuda",     "libcudart",   "libcublas",     "libcublasLt",  "libcufft",        "libcufftw",
                                     "libcurand",   "libcusolver", "libcusolverMg", "libcusparse",  "libcusparseLt",   "libcupti",
                                     "libcufile",   "libnccl",     "libnvJitLink",  "libnvrtc",     "libnvrtc-builtins", "libnvToolsExt",
                                     "libnvjpeg",   "libnvshmem_host"};
constexpr std::string_view torch[] = {"libtorch",     "libtorch_cpu",       "libtorch_cuda",      "libtorch_cuda_cu",     "libtorch_cuda_cpp",
                                      "libtorch_hip", "libtorch_python",    "libtorch_cuda_linalg", "libtorch_global_deps", "libtorch_nvshmem",
                                      "libc10",       "libc10_cuda",        "libc10_hip",         "libcaffe2_nvrtc",      "libshm"};
constexpr std::string_view rocm[] = {"libamdhip64", "librocblas", "libhipblas", "libMIOpen", "librccl", "libhsa-runtime64"};

template <class List>
bool has(const List& list, std::string_view stem) {
  return std::find(std::begin(list), std::end(list), stem) != std::end(list);
}

bool hexadecimal(std::string_view text) {
  return text.size() == 8 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// What stands before ".so", and where a hash of it begins; auditwheel writes "-e409450e" or ".3eda8113".
std::string_view split_hash(std::string_view soname, bool& hashed) {
  const auto end = soname.find(".so");
  if (end == std::string_view::npos) return {};
  const auto name = soname.substr(0, end);
  const auto mark = name.find_last_of("-.");
  hashed = mark != std::string_view::npos && hexadecimal(name.substr(mark + 1));
  return hashed ? name.substr(0, mark) : name;
}

}  // namespace

std::string library_stem(std::string_view soname) {
  bool hashed = false;
  return std::string(split_hash(soname, hashed));
}

bool is_bundled_name(std::string_view soname) {
  bool hashed = false;
  split_hash(soname, hashed);
  return hashed;
}

bool is_cuda_library(std::string_view soname) {
  const auto stem = library_stem(soname);
  return has(cuda, stem) || std::string_view(stem).starts_with("libcudnn");
}

bool is_gpu_library(std::string_view soname) {
  const auto stem = library_stem(soname);
  return is_cuda_library(soname) || has(torch, stem) || has(rocm, stem) || stem == "libnvidia-ml";
}

std::string runtime_major(std::string_view soname) {
  if (library_stem(soname) != "libcudart") return {};
  const auto at = soname.find(".so.");
  if (at == std::string_view::npos) return {};
  const auto version = soname.substr(at + 4);
  const auto major = version.substr(0, version.find('.'));
  if (major.empty() || major.size() > 2 || major.find_first_not_of("0123456789") != std::string_view::npos) return {};
  return std::string(major);
}

}  // namespace gpudoctor
