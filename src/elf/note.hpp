// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "elf.hpp"
#include "gpudoctor/result.hpp"

namespace gpudoctor {

/// The JSON of CUDA compat's libcuda on one line: {"format":1,"CUDA version":"12.9","driver":[535,550],"device":[7,8]};
/// "driver" lists the branches it can run on and is missing on Jetson's. Not parsed here. It is the text of the first
/// note of "NVIDIA Corporation" in the section .note.cuda.fwd_compatibility, without the NULs at its end; layout
/// checked on the four libraries in NVIDIA/nvidia-container-toolkit, testdata/compat.
/// absent: no such section, as in every libcuda that is not a compat library. malformed: no such note in it.
Result<std::string> compat_note(const Elf& elf);

}  // namespace gpudoctor
