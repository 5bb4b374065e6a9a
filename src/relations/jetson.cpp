// SPDX-License-Identifier: Apache-2.0
// On a Jetson the driver is part of L4T, CUDA follows JetPack, and up to JetPack 6 only builds made for it run.
#include <algorithm>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// The JetPack of an L4T release: "R36.4.3" by its own row, else by the row of its first two numbers.
Row jetpack_of(const Matrix& matrix, const std::string& l4t) {
  const Version release(l4t.starts_with("R") ? l4t.substr(1) : l4t);
  for (const std::size_t parts : {std::size_t{3}, std::size_t{2}})
    for (const auto& row : matrix.rows("jetson", "jetpack"))
      for (const auto& one : row.list("l4t"))
        if (Version(one).first(parts) == release.first(parts)) return row;
  return {};
}

}  // namespace

void jetson(const Matrix& matrix, Facts& facts) {
  Entity* host = facts.find(Id{"host", ""});
  if (!host) return;
  const Fact* l4t = host->find("jetson");
  const bool here = l4t && l4t->known();
  if (here) {
    const Row row = jetpack_of(matrix, l4t->text);
    if (row && row.verified()) {
      host->known("jetpack", row.get("jetpack"), matrix.witness("jetson", row));
      host->known("jetpack_cuda", std::to_string(Version(row.get("cuda")).major()), matrix.witness("jetson", row));
      if (!row.sure()) host->unsure("jetpack_cuda");
    } else {
      for (const char* fact : {"jetpack", "jetpack_cuda"}) host->unknown(fact, "L4T " + l4t->text + " is not in the matrix of " + matrix.knowledge().date());
    }
    host->known("l4t_major", std::to_string(Version(l4t->text.starts_with("R") ? l4t->text.substr(1) : l4t->text).major()), l4t->witnesses.front());
  } else if (l4t && l4t->state == State::absent) {
    for (const char* fact : {"jetpack", "jetpack_cuda", "l4t_major"}) host->absent(fact, l4t->witnesses.front());
  }
}

}  // namespace gpudoctor
