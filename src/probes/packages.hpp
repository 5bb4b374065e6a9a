// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gpudoctor {

/// One line of Inspect::dpkg_status.
struct DpkgPackage {
  std::string name, version, state, architecture;
  bool reinstall = false;  ///< dpkg says "reinstreq": it must be installed again
};
std::optional<DpkgPackage> parse_dpkg_line(std::string_view line);

/// Whether a package is part of a driver (module, user-space libraries, or a package that only pulls them in), and not
/// of the CUDA toolkit, the container toolkit, or a tool.
bool is_driver_package(std::string_view name);

/// dpkg's states in which a package is neither wholly there nor wholly gone.
bool is_half_state(std::string_view state);

/// Name and version of a folder of pacman's data base: "nvidia-utils-550.78-1" is nvidia-utils, 550.78-1.
std::optional<std::pair<std::string, std::string>> parse_pacman_folder(std::string_view name);

}  // namespace gpudoctor
