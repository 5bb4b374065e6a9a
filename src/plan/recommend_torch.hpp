// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "chooser.hpp"

namespace gpudoctor {

/// The commands that install a choice and the packages that go with it.
void torch_commands(const Question& question, const TorchChoice& choice, Recommendation& out);

}  // namespace gpudoctor
