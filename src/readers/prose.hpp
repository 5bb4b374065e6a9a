// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "paste.hpp"

namespace gpudoctor {

/// A piece of a person's own prose that speaks of the machine as it is.
struct Sentence {
  std::size_t line = 0;   ///< index of the line that it begins on
  std::string text;
};

/// The sentences of the lines that no other reader took.
std::vector<Sentence> sentences(const Paste& paste);

/// Whether a sentence speaks of another time, another machine or a wish ("it worked with 535", "on a machine with", "after I upgraded
/// to"): what it names is not what is there.
bool speaks_of_another(std::string_view sentence);

}  // namespace gpudoctor
