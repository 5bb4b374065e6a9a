// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// One copy of cuDNN or NCCL, and how it was come by.
struct LibraryCopy {
  std::string name;                 ///< cudnn or nccl
  std::string reached_by;           ///< why the loader finds it; empty when it does not
  const Entity* env = nullptr;      ///< the environment that it lies in
  const Entity* toolkit = nullptr;  ///< the toolkit that it lies in
  bool in_torch = false;            ///< bundled inside torch/lib
};

/// All copies by real path: where the loader looks, in toolkits, and in environments.
std::map<std::string, LibraryCopy> find_library_copies(const Machine& machine, const Facts& facts, std::string& doubt);

/// The folders of headers that may belong to a library in this folder, likeliest first.
std::vector<std::string> headers_of_library(const std::string& folder);

}  // namespace gpudoctor
