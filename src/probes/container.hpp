// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gpudoctor {

/// "docker", "podman", "kubernetes" or "lxc", by the marks that an engine leaves in /proc/1/cgroup or
/// /proc/self/mountinfo; empty where there are none.
std::string engine_of_cgroup(std::string_view text);
std::string engine_of_mounts(std::string_view mountinfo);

}  // namespace gpudoctor
