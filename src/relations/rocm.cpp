// SPDX-License-Identifier: Apache-2.0
// The ROCm of a PyTorch against the installed one: by the major, as extensions are linked.
#include "relation.hpp"

namespace gpudoctor {

void rocm(const Matrix&, Facts& facts) {
  if (facts.find("rocm")) facts.looked("rocm");
  const Entity* rocm = facts.find("rocm");
  for (Entity* torch : facts.of("torch")) {
    const Fact* version = rocm ? rocm->find("version") : nullptr;
    if (version && version->state == State::absent) torch->absent("rocm_fits", version->witnesses.front());
    else if (!version || !version->known() || !torch->has("rocm")) torch->unknown("rocm_fits", "the ROCm of one of them is unknown");
    else torch->known("rocm_fits", rocm->version("version").major() == torch->version("rocm").major() ? "yes" : "no", version->witnesses.front());
  }
}

}  // namespace gpudoctor
