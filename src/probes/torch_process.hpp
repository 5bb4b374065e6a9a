// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "gpudoctor/version.hpp"
#include "process.hpp"

namespace gpudoctor {

/// The CUDA libraries that wheels bring, in the folders of packages that Python searches: by soname, in its order.
std::map<std::string, std::vector<std::string>> wheel_libraries(const Machine& machine, const std::vector<std::string>& sites);

/// Loads PyTorch as `import torch` does: the global dependencies, what torch/__init__.py preloads from the wheels, the rest,
/// and then what its libraries open by bare name. `folder` is the torch package.
void import_torch(const Machine& machine, Process& process, const std::string& folder, const Version& release,
                  const std::map<std::string, std::vector<std::string>>& wheels);

/// LibTorch, as a program that is linked to it loads it.
void load_libtorch(const Machine& machine, Process& process, const std::string& folder);

}  // namespace gpudoctor
