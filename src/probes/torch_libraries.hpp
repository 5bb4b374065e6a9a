// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/machine.hpp"
#include "gpudoctor/result.hpp"

/// What the libraries of PyTorch and LibTorch tell, of a folder that holds libtorch*.so.
namespace gpudoctor {

/// A list and the file that it was read from.
struct Seen {
  std::vector<std::string> items;
  std::string source;
};

/// Kernels and PTX of a CUDA build: the build's own list, else what its fat binaries hold.
Result<Seen> cuda_archs(const Machine& machine, const std::string& lib);
/// gfx targets of a ROCm build, of the torch package's folder.
Result<Seen> rocm_archs(const Machine& machine, const std::string& torch);
/// 12 when libtorch_cuda.so needs libcudart.so.12; items has the one number.
Result<Seen> cuda_major(const Machine& machine, const std::string& lib);
/// "8" or "9.1.0" of a libcudnn that lies in the folder itself; empty items when there is none.
Result<Seen> bundled_cudnn(const Machine& machine, const std::string& lib);

/// "12" of "libcudart.so.12" and of a wheel's "libcudart-e409450e.so.11.0" (there 11); else empty.
std::string cudart_major(std::string_view soname);
/// "8.9.7" of "libcudnn.so.8.9.7", "8" of "libcudnn-7037a4b9.so.8"; else empty.
std::string cudnn_of_name(std::string_view name);

}  // namespace gpudoctor
