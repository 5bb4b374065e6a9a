// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "judge.hpp"

namespace gpudoctor {

/// Error texts of a pasted report → findings. A text that a finding of the rules accounts for becomes its evidence. Any
/// other leaves the candidates of its signature that no measured fact rules out: the first is raised as likely, the others
/// are named beside it. A component's own verdict is never ruled out.
void weigh_symptoms(const Knowledge& knowledge, const Facts& facts, const Selection& selection, Judgement& judgement);

}  // namespace gpudoctor
