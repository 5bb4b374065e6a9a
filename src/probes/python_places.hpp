// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"
#include "gpudoctor/probe.hpp"

namespace gpudoctor {

/// Home folders to look into: the caller's, under sudo also the one of who called it; of an unpacked root all of them,
/// up to a bound.
inline constexpr std::size_t most_homes = 1024;
std::vector<std::string> homes(const Machine& machine);

/// A folder that may be an environment, and what its place says of its kind ("" when only its files can tell).
struct Candidate {
  std::string prefix;
  std::string kind;
};
/// The known places, nearest first. Nothing is looked at beyond their listings.
std::vector<Candidate> known_places(const Machine& machine, const std::vector<std::string>& homes);
/// --deep: folders below the homes that hold a pyvenv.cfg or conda-meta. Bounded; says in facts when the bound was met.
std::vector<Candidate> deep_places(const Machine& machine, const std::vector<std::string>& homes, Facts& facts,
                                   const std::function<void(const std::string&)>& progress = {});

/// ".", "..", "../..": the working folder and those above it, the home folder being the last.
std::vector<std::string> upward(const Machine& machine);

}  // namespace gpudoctor
