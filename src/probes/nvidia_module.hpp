// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gpudoctor {

/// What the first line of /proc/driver/nvidia/version says; empty parts are not told.
/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 …" is proprietary,
/// "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.105.08  Release Build …" open.
struct LoadedModule {
  std::string version, flavour;
};
LoadedModule parse_nvrm_version(std::string_view text);

/// Whether /proc/modules lists a module.
bool lists_module(std::string_view modules, std::string_view name);

}  // namespace gpudoctor
