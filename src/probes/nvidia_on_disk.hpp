// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// Whether a file is the driver's main module: nvidia.ko, Debian's nvidia-current.ko, plain or compressed;
/// not nvidia-uvm.ko and the other parts.
bool is_nvidia_module(std::string_view file_name);

/// "open" or "proprietary" by a module's licence; empty for any other text.
std::string flavour_of_license(std::string_view license);

/// Whether a modprobe.d file blacklists nouveau.
bool blacklists_nouveau(std::string_view text);

/// Whether the kernel's command line does.
bool cmdline_blacklists_nouveau(std::string_view cmdline);

/// The running kernel; in a root every installed one, the newest first.
std::vector<std::string> kernels_of(const Machine& machine, const Facts& facts);

/// The NVIDIA modules for a kernel, in the order in which depmod prefers them.
std::vector<std::string> modules_of(const Machine& machine, const std::string& kernel, std::vector<std::string>& missed);

}  // namespace gpudoctor
