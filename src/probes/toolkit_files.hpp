// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/machine.hpp"

/// What the files of CUDA toolkits, cuDNN and NCCL say of their version.
namespace gpudoctor {

/// "12.4.1" from a version.json; nothing when it is not in the expected form. Releases before 11.7 put a date where the
/// update belongs ("11.3.20210326"): of these "11.3".
std::optional<std::string> parse_version_json(std::string_view text);
/// "10.2" from "CUDA Version 10.2.89": its third number is a build, not an update.
std::optional<std::string> parse_version_txt(std::string_view text);
/// "12.4" from CUDA_VERSION's 12040; empty for what is none.
std::string cuda_of_macro(long number);

/// The version in a library's file name: "12.4.127" of libcudart.so.12.4.127, "9" of libcudnn.so.9; empty for plain
/// .so.
std::string version_of_file_name(std::string_view name);

/// Name and version of a wheel's folder or requirement: nvidia_cudnn_cu13-9.19.0.56.dist-info,
/// nvidia-cudnn-cu13==9.19.0.56.
struct Wheel {
  std::string name, version;  ///< the name with dashes
};
std::optional<Wheel> parse_wheel(std::string_view text);
/// "13" of nvidia-nccl-cu13 and libcudnn9-cuda-13, "12.2" of the package version 8.9.7.29-1+cuda12.2; else empty.
std::string cuda_of_package(std::string_view text);

/// The nvcc that a shell script hands over to: the absolute path after its "exec". Nothing when it cannot be told.
std::optional<std::string> nvcc_behind_script(std::string_view text);

/// Version macros of a header (Inspect::version_macros).
Result<std::vector<std::string>> header_macros(const Machine& machine, const std::string& path);
/// The number of "NAME=NUMBER", or -1.
long macro(const std::vector<std::string>& macros, std::string_view name);
/// "9.10.2" of PREFIX_MAJOR, PREFIX_MINOR and PREFIX_PATCHLEVEL or PREFIX_PATCH; empty when one is missing.
std::string version_of_macros(const std::vector<std::string>& macros, const std::string& prefix);

/// The text after "KEY=" among an inspection's answers; empty when there is none.
std::string answer(const Result<std::vector<std::string>>& answers, std::string_view key);

}  // namespace gpudoctor
