// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "gpudoctor/node.hpp"

namespace gpudoctor {

/// The TOML file, or those of a folder and of its folder `tables`, by path, in order of their names.
/// Throws BadDocument for what is no TOML, BadInput for what cannot be read.
std::vector<std::pair<std::string, Node>> read_local(const std::string& path);

}  // namespace gpudoctor
