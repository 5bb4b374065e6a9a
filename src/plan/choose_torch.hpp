// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "matrix.hpp"

namespace gpudoctor {

/// A PyTorch build for these GPUs, this driver, Python and C library.
struct TorchChoice {
  std::string torch, vision, audio, tag, cuda;
  std::string refused;   ///< why there is none; empty when there is one
  bool found() const { return refused.empty(); }
};

/// The newest published CUDA (or ROCm) build that has code for every GPU of the machine, runs on its driver, and was
/// made for `python` ("3.11"; empty: any). `keep` is a release to stay at if one of its builds fits; empty: the newest.
TorchChoice choose_torch(const Matrix& matrix, const Facts& facts, const std::string& python, const std::string& keep = {});

}  // namespace gpudoctor
