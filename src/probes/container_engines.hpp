// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// What a configuration says of runtimes: their names, the default one, and the programs that they start.
struct Runtimes {
  std::vector<std::string> names;
  std::string standard;                                          ///< the default; empty where none is named
  std::vector<std::string> programs;                             ///< of those named nvidia
  std::vector<std::string> imports;                              ///< further files, as containerd names them
};

/// Docker's daemon.json. Throws BadDocument.
Runtimes docker_runtimes(std::string_view json, const std::string& name);
/// containerd's config.toml of version 1, 2 and 3. Throws BadDocument.
Runtimes containerd_runtimes(std::string_view toml, const std::string& name);

}  // namespace gpudoctor
