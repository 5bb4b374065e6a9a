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
extern const Probe fabric;
extern const Probe container_engines;
extern const Probe rocm;
extern const Probe variables;
extern const Probe host;
extern const Probe host_compiler;
extern const Probe kernel_log;
extern const Probe kernels;
extern const Probe nvidia_libraries;
extern const Probe nvidia_module;
extern const Probe nvidia_on_disk;
extern const Probe nvidia_smi;
extern const Probe packages;
extern const Probe project;
extern const Probe pci;
extern const Probe secure_boot;

}  // namespace gpudoctor
