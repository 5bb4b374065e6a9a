// SPDX-License-Identifier: Apache-2.0
// What the placeholders of actions on frameworks and CUDA's wheels stand for.
#pragma once
#include "actions.hpp"

namespace gpudoctor {

/// Fills in {version}, {cuda}, {packages} and {companions} for an action about a framework or a need. Returns why there is
/// no command for it, else nothing. Actions about other things are left alone.
std::string framework_values(const Facts& facts, const std::string& action, const std::vector<Id>& about, Values& values);

}  // namespace gpudoctor
