// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// The caller's groups by /proc/self/status; empty when they cannot be read.
std::vector<long> own_groups(const Machine& machine);

/// Whether the caller may open a node for reading and writing, by its mode; nothing where the groups decide and are not
/// known. Nodes of access lists (ACL, as logind grants them) show as their mask in the mode of the group.
std::optional<bool> may_open(const Machine& machine, const Info& node, const std::vector<long>& groups);

/// The name of a group by /etc/group; empty where it cannot be told.
std::string group_name(const Machine& machine, std::uint32_t group);

}  // namespace gpudoctor
