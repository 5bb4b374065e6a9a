// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// "NVRM: Xid (PCI:0000:3b:00): 79, pid=…"; older drivers leave "PCI:" out. `number` is 0 for any other line.
struct Xid {
  std::string address;   ///< 0000:3b:00.0
  int number = 0;
};
Xid parse_xid(std::string_view line);

/// The PCI address that a line names ("GPU 0000:01:00.0: RmInitAdapter failed!", "GPU at PCI:0000:3b:00"); else empty.
std::string address_in(std::string_view line);

/// Whether a line refuses a module for its signature: of the NVIDIA driver's modules, or of one that it does not name.
bool refuses_module(std::string_view line);

/// The line without "NVRM: " and, for a failed initialisation, from its verdict on.
std::string plain_event(std::string_view line);

}  // namespace gpudoctor
