// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "matrix.hpp"

namespace gpudoctor {

/// Which rows of a table's list are this machine's, or within its reach, and what the mark means.
struct Marks {
  std::function<bool(const Node& row, const Node* variant)> marked;   ///< empty: nothing can be marked
  std::string says;   ///< what "*" means here, or why nothing is marked
};
Marks marks_for(const std::string& table, const std::string& list, const Matrix& matrix, const Facts& facts);

}  // namespace gpudoctor
