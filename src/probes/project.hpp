// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// A PyTorch that a requirements file pins exactly.
struct Asked {
  std::string version;  ///< 2.6.0
  std::string tag;      ///< cu124, by its label or by the index of the file; empty for PyPI's default
  int line = 0;
};

/// Lines "torch==2.6.0+cu124" of a requirements file (pip, "Requirements file format"); comments, hashes, markers and other
/// packages are passed over. "--index-url …/whl/cu124" gives those without a label their tag.
std::vector<Asked> asked_torches(std::string_view requirements);

}  // namespace gpudoctor
