// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/version.hpp"

namespace gpudoctor {

/// What a requirement of an image is held against. What is not known is empty.
struct Offer {
  Version cuda, driver;                   ///< CUDA level of the driver, and its version
  std::vector<std::string> brands;        ///< as NVML names them: tesla, geforce, quadro, nvidia …
  std::vector<Version> capabilities;      ///< "arch" of a requirement
};

/// NVIDIA_REQUIRE_CUDA as NVIDIA's container runtime reads it: blanks are "or", commas "and", each part one of cuda, driver,
/// arch and brand with a comparison. Nothing when it cannot be decided.
/// Source: NVIDIA Container Toolkit documentation, "Constraints"; libnvidia-container.
std::optional<bool> satisfied(std::string_view requirement, const Offer& offer);

}  // namespace gpudoctor
