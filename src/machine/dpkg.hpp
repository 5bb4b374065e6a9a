// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// The packages in dpkg's status file that have to do with GPUs, and the C library:
/// "name\tversion\tstatus\tarchitecture", in the order of the file.
std::vector<std::string> dpkg_packages_of_interest(std::string_view status);

/// The paths in a package's .list file that ownership is asked of: libraries, compilers, headers with versions,
/// modules.
std::vector<std::string> dpkg_paths_of_interest(std::string_view list);

/// Whether a package has to do with GPUs, or is the C library.
bool package_of_interest(std::string_view name);

}  // namespace gpudoctor
