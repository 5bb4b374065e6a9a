// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// A small file's first line, without white space around it and safe to print: what most files of /proc and /sys are.
Result<std::string> first_line(const Machine& machine, const std::string& path);

/// Something that was read itself, at `source`.
Witness seen(std::string source, int line = 0);

/// A flag as facts write it.
inline const char* yes_no(bool yes) { return yes ? "yes" : "no"; }

/// Says of several facts at once why they are unknown.
void all_unknown(Entity& entity, const std::vector<std::string>& facts, const std::string& reason);

/// Why a root or image has no such facts.
inline constexpr const char* not_running = "only the running system can tell";

}  // namespace gpudoctor
