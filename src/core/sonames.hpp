// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gpudoctor {

/// Whether a library's name is one of CUDA, cuDNN, NCCL, the NVIDIA driver, ROCm's HIP or PyTorch: "libcublas.so.12".
bool is_gpu_library(std::string_view soname);
/// The same without PyTorch's own: those that NVIDIA publishes.
bool is_cuda_library(std::string_view soname);
/// "libcublas" of "libcublas.so.12", and of a wheel's own copy "libcudart-e409450e.so.11.0" or "libcudart.3eda8113.so.13".
std::string library_stem(std::string_view soname);
/// Whether a name carries a wheel's hash: then it is that wheel's own copy and no other serves.
bool is_bundled_name(std::string_view soname);
/// "12" of "libcudart.so.12"; the CUDA major, for the runtime alone. Empty for other libraries.
std::string runtime_major(std::string_view soname);

}  // namespace gpudoctor
