// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file_tree.hpp"

namespace gpudoctor {

/// A package as its header in rpm's data base tells it.
struct RpmPackage {
  std::string name, version, architecture;   ///< version with its epoch and release: "3:580.95.05-1.fc42"
  std::vector<std::string> files;
};

/// A header as rpm keeps it (rpm, docs/manual/format_header.md, without the eight bytes of magic): number of entries and
/// size of their data, big-endian; entries of tag, type, offset, count; the data. Nothing for anything else.
std::optional<RpmPackage> parse_rpm_header(std::string_view blob);

/// The packages of interest in an open rpmdb.sqlite and their files of interest: "package\tname\tversion\tarchitecture",
/// "file\tname\tpath". Opened read-only, as a file that does not change: nothing is written, no lock is taken.
Result<std::vector<std::string>> rpm_packages_of_interest(const Descriptor& file);

}  // namespace gpudoctor
