// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// KEY=value lines, quotes and backslashes removed.
std::map<std::string, std::string> parse_os_release(std::string_view text);

/// "R36.4.3" of "# R36 (release), REVISION: 4.3, GCID: …"; empty when it is none.
std::string parse_tegra_release(std::string_view text);

/// "2.31" of "libc-2.31.so"; empty for "libc.so.6".
std::string glibc_of_file_name(std::string_view name);

/// "1", "2" or "no", by the kernel's release; `dxg` says whether /dev/dxg is there.
std::string wsl_of_kernel(std::string_view release, bool dxg);

/// A program as PATH finds it; absent, or why it cannot be told.
Result<std::string> find_on_path(const Machine& machine, const std::string& program);

}  // namespace gpudoctor
