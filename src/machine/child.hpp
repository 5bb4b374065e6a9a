// SPDX-License-Identifier: Apache-2.0
// The one way to start another program: it always comes back, with all that could be learnt.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "gpudoctor/machine.hpp"

namespace gpudoctor {

struct ChildLimits {
  std::chrono::milliseconds deadline{5000};   ///< for everything, from the call on
  std::size_t max_output = 1 << 20;           ///< bytes kept of each stream; what comes after is read and dropped
  std::chrono::milliseconds kill_grace{200};  ///< how long after SIGKILL to wait before it is abandoned
};

/// Runs argv[0] (a path, or a name looked up in PATH) with stdin /dev/null, LC_ALL=C in a copy of the environment,
/// no other descriptors, and its own process group. The group does not outlive the call: what the program left
/// running is killed. Only `abandoned` says otherwise: the program itself survived SIGKILL, as in state D.
/// Comes back within deadline + kill_grace. Never throws; may be called from many threads at once.
/// `code` is -1, and `says` has the reason, where somebody else reaped the program and took its exit status.
Output run_child(const std::vector<std::string>& argv, const ChildLimits& limits = {});

namespace detail {

/// waitpid(pid, nullptr, WNOHANG), or for a test one that never succeeds.
using Reap = pid_t (*)(pid_t pid);
Output run_child(const std::vector<std::string>& argv, const ChildLimits& limits, Reap reap);

}  // namespace detail
}  // namespace gpudoctor
