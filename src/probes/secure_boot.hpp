// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// "integrity" of "none [integrity] confidentiality"; empty for any other text.
std::string lockdown_of(std::string_view text);

/// The names of the asymmetric keys in /proc/keys, which shows them to root only.
std::vector<std::string> asymmetric_keys(std::string_view text);

}  // namespace gpudoctor
