// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "said.hpp"

namespace gpudoctor {

/// The system as reports name it: "Ubuntu 22.04.3 LTS (x86_64)", "Microsoft Windows 11 Pro", "macOS 12.3 (arm64)",
/// "JetPack 5.1.2 (L4T R35.4.1)", "Ubuntu 24.04 in WSL2". Says nothing of what it does not know.
void say_system(std::string_view value, Said& said, const Witness& witness);

/// Python's platform.platform(): "Linux-5.15.0-1022-aws-x86_64-with-glibc2.31", "Windows-10-10.0.19045-SP0", "macOS-12.3-arm64-arm-64bit".
void say_platform(std::string_view value, Said& said, const Witness& witness);

/// "NVIDIA A10, Tesla T4", "7 x NVIDIA H100 80GB HBM3", "2x RTX 4090": each GPU by its name, as often as it is there.
std::vector<std::string> gpu_names(std::string_view value);

/// "3.10.12" of "3.10.12 (main, Nov 20 2023, 15:14:05) [GCC 11.4.0]"; "3.7"; empty when it does not begin with a version.
std::string leading_version(std::string_view value);

/// The compiler's own version: the last one of "(Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", the first of "13.2.0 (Ubuntu 13.2.0-23ubuntu4)".
std::string gcc_version(std::string_view value);

}  // namespace gpudoctor
