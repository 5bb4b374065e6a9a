// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// Which package put a file there (dpkg, pacman, rpm). Knows the packages that match one of the patterns ("libnvidia-*"), and among their
/// files only those of dpkg_paths_of_interest. The probe `packages` must have run: it says which packages there are.
class Owners {
 public:
  Owners(const Machine& machine, const Facts& facts, const std::vector<std::string>& patterns);

  /// The package that owns a path; nothing when none does. /lib and /usr/lib are one, as on a merged system.
  std::optional<std::string> of(const std::string& path) const;
  /// Whether dpkg's lists were there to be asked; when not, nobody being the owner says nothing.
  bool complete() const { return complete_; }
  /// Why they were not.
  const std::string& why() const { return why_; }

 private:
  void by_rpm(const Machine& machine, const std::string& path, const std::vector<std::string>& patterns);
  void by_pacman(const Machine& machine, const Entity& package);
  std::map<std::string, std::string> packages_;  // by path
  bool complete_ = false;
  std::string why_;
};

/// "/usr/lib/x" of "/lib/x"; the same for bin, sbin, lib32 and lib64.
std::string usr_merged(const std::string& path);

}  // namespace gpudoctor
