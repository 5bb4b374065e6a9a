// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// The numeric macros of versions in the text of a C header, "NAME=NUMBER" in the order of the text. A name counts when
/// it holds VERSION or ends in _MAJOR, _MINOR, _PATCH or _PATCHLEVEL: CUDA_VERSION, CUDNN_MAJOR, NCCL_PATCH.
std::vector<std::string> version_macros(std::string_view header);

}  // namespace gpudoctor
