// SPDX-License-Identifier: Apache-2.0
// The CUDA builds of one PyTorch release, pip's or conda's, in one shape.
#pragma once
#include "needs.hpp"

namespace gpudoctor {

struct Build {
  std::string tag, status;
  std::string channel;               ///< "" for pip, else conda-forge or pytorch
  Version cuda;
  std::string glibc, cudnn, triton;
  std::vector<std::string> archs;    ///< for the platform asked for: sm_80, compute_90
  std::vector<std::string> extra;    ///< further pins that it rests on
  std::string where;                 ///< the row, for people
  bool here = false;                 ///< there is one for the platform
  bool verified = true, sure = true;
};
/// Whether the CUDA libraries of a wheel are inside its torch/lib.
bool bundled(const Matrix& matrix, const std::string& torch, const std::string& tag);
std::vector<Build> builds_of(const Matrix& matrix, const Needs& needs, const Row& release);

}  // namespace gpudoctor
