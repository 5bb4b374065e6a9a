// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// Why a build failed, by an error line of its log: "kernel" (an interface that this kernel no longer has), "compiler",
/// "headers", "space" or "other".
std::string kind_of_failure(std::string_view error);

/// BUILD_EXCLUSIVE_KERNEL_MAX of a dkms.conf, the newest kernel that it builds for (dkms(8)); empty where it has none.
std::string newest_kernel(std::string_view conf);

/// States driver.dkms, .build_error and .build_failure for the running kernel, in a root for the newest.
void dkms_state(const Machine& machine, const Facts& facts, Entity& driver);

}  // namespace gpudoctor
