// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/version.hpp"

namespace gpudoctor {

/// What an arch list does on a GPU: runs, jit (through PTX), newer (the GPU is newer than all), older, or gap (inside the
/// range, left out). CUDA C++ Programming Guide, "Application compatibility": a cubin runs on its own major and an equal or
/// higher minor compute capability; sm_90a only on 9.0; sm_100f on its family; PTX of compute_80 is compiled by the driver
/// for 8.0 and above, if the driver's CUDA level is not older than the toolkit that made the PTX. Tegra promises only its
/// own.
/// `built` is the CUDA of the build, `level` that of the driver; an unknown one counts as new enough, as it is rarely not.
/// `serves`, when given, takes the words of the list that do it.
std::string reach_of(const std::vector<std::string>& archs, const Version& capability, const Version& built, const Version& level,
                     std::vector<std::string>* serves = nullptr);

/// Whether machine code of one word ("sm_86") runs on a compute capability.
bool cubin_runs(const std::string& word, const Version& capability);

}  // namespace gpudoctor
