// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// One line of nvidia-smi --query-gpu=pci.bus_id,name,driver_version,compute_cap --format=csv,noheader.
/// Fields that nvidia-smi does not know ("[N/A]", "ERR!") are empty.
struct SmiGpu {
  std::string address, name, driver, capability;
};
std::vector<SmiGpu> parse_smi_query(std::string_view text);

/// What nvidia-smi said instead of an answer, and NVML's own version where it adds that.
struct SmiFailure {
  std::string says, nvml;
};
SmiFailure parse_smi_failure(std::string_view text);

/// "nvidia-smi (1234)" of a /proc/<pid>/stat when it is a task of the driver in uninterruptible sleep.
std::optional<std::string> stuck_task(std::string_view stat);

}  // namespace gpudoctor
