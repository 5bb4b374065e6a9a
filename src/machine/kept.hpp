// SPDX-License-Identifier: Apache-2.0
// Long texts that say a little about GPUs and much about everything else: only the former is kept, in recordings too.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// The lines of a kernel log since its last boot that tell of NVIDIA's driver or of a module that was refused, without
/// time and host, and "Linux version RELEASE" where the boot itself is in the log. At most 400, the last ones. Of its
/// own answer it gives the same.
std::vector<std::string> kernel_lines_of_interest(std::string_view log);

/// Of DKMS' make.log "kernel=RELEASE", where its first line says it, and the first five errors, "error=…".
std::vector<std::string> build_errors(std::string_view log);

/// Of `nvidia-smi -q`: per GPU MIG, ECC, remapped rows, virtualisation and fabric; no serial numbers, no processes.
std::string smi_lines_of_interest(std::string_view text);

/// What a recording keeps of a file's text and of a command's output: all, but for the long ones named here.
std::string kept_of_file(std::string_view path, const std::string& text);
std::string kept_of_output(const std::vector<std::string>& argv, const std::string& text);

}  // namespace gpudoctor
