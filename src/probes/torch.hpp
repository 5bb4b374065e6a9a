// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"
#include "packages_python.hpp"

namespace gpudoctor {

/// States env.torches and one torch for each folder of it in an environment. `active_torch` becomes true when this
/// environment holds the torch that the active Python imports.
void state_torches(const Machine& machine, Entity& env, const Listing& listing, Facts& facts, bool& active_torch);

}  // namespace gpudoctor
