// SPDX-License-Identifier: Apache-2.0
// Which file the dynamic loader takes for a name. The order is that of ld.so(8), "DESCRIPTION": DT_RPATH of the asking
// object and of those that loaded it, unless it has DT_RUNPATH; LD_LIBRARY_PATH; its DT_RUNPATH; /etc/ld.so.cache; the
// default folders. In each folder glibc-hwcaps/LEVEL comes first.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"
#include "loader.hpp"

namespace gpudoctor {

struct Found {
  std::string path;
  std::string via;   ///< LD_LIBRARY_PATH, the .conf file of its folder, /etc/ld.so.cache, default, or "rpath of FILE"
};

class LoaderSearch {
 public:
  LoaderSearch(const Machine& machine, const Facts& facts);

  /// In the folders of a DT_RPATH or DT_RUNPATH, $ORIGIN being `origin`.
  std::optional<Found> in_path(const std::string& path, const std::string& origin, const std::string& name, const std::string& via) const;
  std::optional<Found> in_library_path(const std::string& name) const;
  std::optional<Found> in_system(const std::string& name) const;
  /// Every copy that the last two could give, the first of them first.
  std::vector<Found> copies(const std::string& name) const;
  /// Why a library that was not found may be there all the same; empty when it is not.
  const std::string& doubt() const { return doubt_; }
  /// The same for LD_LIBRARY_PATH, which only a running system has.
  const std::string& variable_doubt() const { return variable_doubt_; }

 private:
  std::optional<std::string> at(const std::string& folder, const std::string& name) const;
  bool there(const std::string& path) const;
  bool has_level(const std::string& level) const;
  std::vector<Found> system_copies(const std::string& name) const;

  struct Cached {
    std::string path, level;
  };
  const Machine& machine_;
  std::vector<LoaderFolder> variable_, configured_, usual_;   // LD_LIBRARY_PATH, ld.so.conf, defaults
  std::map<std::string, std::vector<Cached>> cache_;          // by soname
  bool cached_ = false;
  mutable std::string doubt_;
  std::string variable_doubt_;
  mutable std::map<std::string, bool> seen_;                  // paths that were asked for
  mutable std::optional<std::vector<std::string>> levels_;
};

/// The levels of x86-64 (psABI) that a processor has, by the flags of /proc/cpuinfo, best first.
std::vector<std::string> levels_of_flags(std::string_view cpuinfo);

}  // namespace gpudoctor
