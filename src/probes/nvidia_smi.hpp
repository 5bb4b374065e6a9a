// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

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

/// One GPU of `nvidia-smi -q`: its values by path ("ECC Errors/Volatile/DRAM Uncorrectable").
struct SmiDetails {
  std::string address;
  std::map<std::string, std::string> values;
  int mig_devices = 0;
};
std::vector<SmiDetails> parse_smi_details(std::string_view text);

/// "0000:3b:00.0" of "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost. …"; else empty.
std::string lost_gpu(std::string_view line);

/// States what those values tell of the GPUs.
void take_smi_details(const std::string& text, Facts& facts);
/// The MIG instances by the driver's own files, where nvidia-smi showed none.
void mig_instances(const Machine& machine, Facts& facts);
/// Says why they are not known, of what nothing else has told.
void smi_details_unknown(Facts& facts, const std::string& why);

}  // namespace gpudoctor
