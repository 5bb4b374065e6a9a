// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "gpudoctor/report.hpp"
#include "knowledge.hpp"

namespace gpudoctor {

/// What the placeholders of an action's commands stand for: {torch} → 2.7.1. Every value has passed `safe`.
using Values = std::map<std::string, std::string>;

/// Only what parses as a version, a package name, a list of those, or a number may enter a command; else empty.
std::string safe(std::string text);
/// A path for a shell: as it is, with ~ for the home folder, or quoted. Elsewhere than on a live machine
/// `<your environment>`: a recording's paths are not the reader's.
std::string shell_path(const std::string& path, const Facts& facts, Machine::World world);

/// The commands of an action for this machine. `managers` are keys of its `with` tables, best first. A fix without
/// commands says why in `said`.
Fix instantiate(const Action& action, const Facts& facts, const Values& values, const std::vector<std::string>& managers);
/// The [action.NAME.on.…] table that fits this distribution; null when there is none.
const Node* section_for(const Node& action, const Facts& facts);

}  // namespace gpudoctor
