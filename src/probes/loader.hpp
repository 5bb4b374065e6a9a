// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// The folders in which the dynamic loader looks for a library that has no path of its own, in its order:
/// LD_LIBRARY_PATH, those of /etc/ld.so.conf (which its cache is made of), then the defaults. Links are resolved, each
/// folder comes once, and folders of 32-bit libraries are left out.
struct LoaderFolder {
  std::string path;    ///< links resolved
  std::string written; ///< as its source has it
  std::string source;  ///< LD_LIBRARY_PATH, the .conf file, or "default"
};
struct LoaderFolders {
  std::vector<LoaderFolder> folders;
  std::string doubt;  ///< why the list may not be whole; empty when it is
};
LoaderFolders loader_folders(const Machine& machine, const Facts& facts);

/// The folders and the "include" patterns of one ld.so.conf file, in order; an include is written "include PATTERN".
std::vector<std::string> parse_ld_so_conf(std::string_view text);

}  // namespace gpudoctor
