// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gpudoctor {

/// What stands in the way of a release or a build.
enum class Bar { release, python, platform, glibc, gpu, driver, package, status, limits };
const char* word(Bar bar);

/// Why one release, or one build of it, is not taken: the row of the matrix and the fact that are at odds.
struct Refusal {
  std::string release, tag;   ///< an empty tag: all builds of it
  Bar bar = Bar::release;
  std::string why;            ///< "needs driver 580.65.06"
  std::string fact;           ///< "driver 535.183.01"
  std::string row;            ///< "cuda.toml, major 13"
};

/// What `recommend` found for one product on one machine. Everything in it is plain data.
struct Recommendation {
  std::string product;
  std::string version, tag, cuda;         ///< empty when nothing satisfies
  std::string channel;                    ///< of conda: conda-forge or pytorch; else empty
  std::vector<std::string> machine;       ///< the facts that were held against the matrix
  std::vector<std::string> commands;      ///< what installs it
  std::vector<Refusal> refused;           ///< newer ones, newest first
  std::vector<std::string> help;          ///< when nothing satisfies: the changes that would help, smallest first
  std::vector<std::string> notes;
  std::string none;                       ///< why there is none; empty when there is one
  std::string matrix_date;
  bool sure = true;                       ///< false: it rests on a row of low confidence
  bool found() const { return none.empty(); }
};

}  // namespace gpudoctor
