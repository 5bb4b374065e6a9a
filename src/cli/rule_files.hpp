// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "knowledge.hpp"

namespace gpudoctor {

/// All TOML files of a rules folder, by their names below it. Throws BadDocument or std::runtime_error.
Knowledge::Documents read_rule_folder(const std::string& folder);

}  // namespace gpudoctor
