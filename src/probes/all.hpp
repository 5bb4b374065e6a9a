// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpudoctor/probe.hpp"

namespace gpudoctor {

// One line a probe; all.cpp says in which order they run.
extern const Probe environments;
extern const Probe python_packages;
extern const Probe libtorch;
extern const Probe toolkits;
extern const Probe cuda_libraries;

}  // namespace gpudoctor
