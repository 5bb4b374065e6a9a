// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// Answers a bounded question about an open file; takes the descriptor over. The answers are those of enum Inspect.
Result<std::vector<std::string>> inspect_file(int descriptor, Inspect what, const std::string& path);

}  // namespace gpudoctor
