// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace gpudoctor {

/// "nvidia", "amd" or "intel" for a device of the PCI bus that is a GPU; empty for all else (audio, NVSwitch, bridges).
/// Both as /sys writes them: "0x10de", "0x030000". The class may be empty where only the vendor is known.
std::string gpu_vendor(std::string_view vendor, std::string_view device_class);

/// "gfx1100" of a kfd node's gfx_target_version 110000; empty for 0, which is a CPU.
std::string gfx_of_target_version(long version);

/// Whether a PCI configuration space is that of a virtual GPU in a guest (NVIDIA vGPU).
bool is_virtual_gpu(std::string_view config);

/// The "key value" or "key: value" lines of a /proc or /sys file.
std::map<std::string, std::string> parse_pairs(std::string_view text);

/// "0000:01:00.0" of any way to write a PCI address ("00000000:01:00.0", "0000:01:00.0", upper case).
std::string pci_address(std::string_view text);

}  // namespace gpudoctor
