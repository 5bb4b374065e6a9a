// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace gpudoctor {

/// The digest of rules/ that the build made.
std::string_view embedded_knowledge();

}  // namespace gpudoctor
