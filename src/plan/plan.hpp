// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpudoctor/report.hpp"
#include "matrix.hpp"

namespace gpudoctor {

/// Fills in the fixes of every finding and returns the steps, in order: environment before system, system before reboot.
/// A GPU without any PyTorch gets the install line for this machine.
std::vector<Fix> plan(const Matrix& matrix, const Facts& facts, Judgement& judgement, Machine::World world);

}  // namespace gpudoctor
