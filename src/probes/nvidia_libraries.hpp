// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>
#include <string_view>

namespace gpudoctor {

/// "535.183.01" of "libcuda.so.535.183.01"; empty for libcuda.so.1 and for Tegra's libcuda.so.1.1, which tell nothing.
std::string driver_of_file_name(std::string_view name);

/// "compat", "stub", "wsl", "tegra" or "driver", by the real path.
std::string kind_of_copy(std::string_view path);

/// The mount points of /proc/self/mountinfo.
std::set<std::string> parse_mount_points(std::string_view mountinfo);

}  // namespace gpudoctor
