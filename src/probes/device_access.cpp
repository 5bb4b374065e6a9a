// SPDX-License-Identifier: Apache-2.0
#include "device_access.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {

std::vector<long> own_groups(const Machine& machine) {
  std::vector<long> result;
  const auto status = machine.read("/proc/self/status", 1 << 16);
  if (!status) return result;
  for (const auto line : lines(*status))
    if (line.starts_with("Groups:") || line.starts_with("Gid:"))
      for (const auto word : words(line.substr(line.find(':') + 1))) result.push_back(to_number(word));
  return result;
}

std::optional<bool> may_open(const Machine& machine, const Info& node, const std::vector<long>& groups) {
  if (machine.user_id() == 0) return true;
  const bool member = std::find(groups.begin(), groups.end(), static_cast<long>(node.group)) != groups.end();
  const auto bits = node.owner == machine.user_id() ? node.mode >> 6 : member ? node.mode >> 3 : node.mode;
  if ((bits & 6) == 6) return true;
  if (groups.empty() && (node.mode >> 3 & 6) == 6) return std::nullopt;
  return false;
}

std::string group_name(const Machine& machine, std::uint32_t group) {
  const auto text = machine.read("/etc/group", 1 << 20);
  if (!text) return {};
  for (const auto line : lines(*text))
    if (const auto parts = split(line, ':'); parts.size() > 2 && to_number(parts[2]) == static_cast<long>(group)) return printable(parts[0]);
  return {};
}

}  // namespace gpudoctor
