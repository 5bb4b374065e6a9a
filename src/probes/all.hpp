// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpudoctor/probe.hpp"

namespace gpudoctor {

// One line a probe; all.cpp says in which order they run.
extern const Probe environments;
extern const Probe python_packages;
extern const Probe extensions;
extern const Probe libtorch;
extern const Probe links;
extern const Probe toolkits;
extern const Probe cuda_libraries;
extern const Probe container;
extern const Probe host;
extern const Probe host_compiler;
extern const Probe nvidia_libraries;
extern const Probe nvidia_module;
extern const Probe nvidia_on_disk;
extern const Probe nvidia_smi;
extern const Probe packages;
extern const Probe pci;

}  // namespace gpudoctor
