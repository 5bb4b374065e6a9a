// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// "13" of "gcc-13" or "x86_64-linux-gnu-g++-13"; empty where the name holds none.
std::string gcc_of_program(std::string_view name);

/// Debian's wrapper beside nvcc: the compilers that it tries, "g++-11" first; nothing where it is no such script.
std::vector<std::string> wrapped_compilers(std::string_view script);

}  // namespace gpudoctor
