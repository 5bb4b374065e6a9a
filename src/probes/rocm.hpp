// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gpudoctor {

/// "6.4.1" of .info/version ("6.4.1-83\n"); empty when it does not begin with a version.
std::string rocm_release(std::string_view text);

}  // namespace gpudoctor
