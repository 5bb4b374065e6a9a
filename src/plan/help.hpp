// SPDX-License-Identifier: Apache-2.0
// When nothing fits: the single changes by which something would.
#pragma once
#include <functional>

#include "chooser.hpp"

namespace gpudoctor {

/// What a chooser says to other needs.
struct Outcome {
  std::string what;            ///< "torch 2.11.0+cu128"; empty when there is none
  std::string python, glibc;   ///< of what was found
  std::string release;         ///< to tell a newer one
};
using Attempt = std::function<Outcome(const Needs&)>;

/// Smallest first: an own wish, a package, the Python, the driver, the system, a card. Fills out.help, never empty.
void smallest_changes(const Question& question, const Attempt& attempt, Recommendation& out);
/// A cuda-compat package by which something else than `now`, and nothing older, would do; empty when there is none.
std::string compat_option(const Question& question, const Attempt& attempt, const Outcome& now);

}  // namespace gpudoctor
