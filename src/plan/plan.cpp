// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"
namespace gpudoctor {
std::vector<Fix> plan(const Matrix&, const Facts&, Judgement&, Machine::World) { return {}; }
}  // namespace gpudoctor
