// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

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

}  // namespace gpudoctor
