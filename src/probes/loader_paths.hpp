// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// "x86_64-linux-gnu": the folder in /usr/lib that Debian and its kin keep libraries of the machine in.
std::string triplet_of(const Machine& machine, const Facts& facts);

/// Where the loader looks without any variable: the folders of ld.so.conf in its order, then its own, as written there.
/// Folders need not exist. `refused` gets the files that could not be read: the list is then not whole.
std::vector<std::string> loader_folders(const Machine& machine, const std::string& triplet,
                                        std::vector<std::string>* refused = nullptr);

/// The same for LD_LIBRARY_PATH, of which the loader asks first; empty parts (the working folder) are left out.
std::vector<std::string> library_path_folders(const Machine& machine);

/// One line of ld.so.conf: a folder, or patterns to include.
struct LoaderLine {
  std::string folder;
  std::vector<std::string> includes;
};
LoaderLine parse_loader_line(std::string_view line);

}  // namespace gpudoctor
