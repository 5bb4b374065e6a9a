// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gpudoctor {

/// "13" of "gcc-13" or "x86_64-linux-gnu-g++-13"; empty where the name holds none.
std::string gcc_of_program(std::string_view name);

}  // namespace gpudoctor
