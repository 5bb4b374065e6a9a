// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// What a probe needs of the machine it looks at.
enum class Need {
  files,           ///< any machine, root or image
  running_system,  ///< /proc, /sys or variables of a running kernel
  asking,          ///< runs the driver's own tools; comes after all passive probes
};

/// What the user asked of the probes.
struct Scope {
  std::vector<std::string> envs;  ///< --env, in order
  bool deep = false;              ///< --deep: walk more than the known places
  std::function<void(const std::string&)> progress;   ///< told now and then what a long walk is at; may be empty
};

/// One subject, looked at once. A probe reads what it declares, and turns it into facts; it judges nothing.
struct Probe {
  const char* name;
  Need need;
  /// Globs of the paths it reads; an image scan keeps only these, and a test fails when a probe reads others.
  /// "~" is a home folder, "$ENV" an environment's root.
  std::vector<const char*> reads;
  void (*run)(const Machine& machine, const Scope& scope, Facts& facts);
};

/// All probes in the order in which they run: the one list of them (src/probes/all.cpp).
const std::vector<const Probe*>& all_probes();

/// Runs them all; a probe whose need is not met leaves its facts unknown with the reason.
void look(const Machine& machine, const Scope& scope, Facts& facts);

}  // namespace gpudoctor
