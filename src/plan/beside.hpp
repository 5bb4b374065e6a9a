// SPDX-License-Identifier: Apache-2.0
// What goes with what in one Python environment, as far as framework.toml goes.
#pragma once
#include "needs.hpp"

namespace gpudoctor {

/// What a torch build offers to a package beside it.
struct Stack {
  std::string torch, tag, vision, audio, triton;
  Version cuda, cudnn;
  bool bundled = false;   ///< its CUDA libraries are inside it: they meet nobody else's
};

/// Whether a package goes with a torch build, on these GPUs, this Python and this system.
enum class Fits { yes, no, unknown };
struct Beside {
  Fits fits = Fits::unknown;
  std::string spec;    ///< "vllm==0.19.*"; empty where nothing more needs to be installed
  std::string why;     ///< for no and unknown
  std::string fact, row;
  bool sure = true;
  Bar bar = Bar::package;
};
Beside beside(const Matrix& matrix, const Needs& needs, const Wanted& package, const Stack& stack);
/// The same for one row of framework.toml.
Beside row_beside(const Matrix& matrix, const Needs& needs, const Row& row, const Stack& stack);
/// What a row of framework.toml demands of GPUs, Python and system, whatever torch there is.
Beside on_machine(const Matrix& matrix, const Needs& needs, const Row& row);
/// "12" every 12.x, "12.5" that or a newer one of its major, "11.2-11.8" a range.
Fits takes_cuda(const std::vector<std::string>& wants, const Version& cuda);
/// Python, where a row leaves it to an older one of an open range ("0.7.1-" to "0.7.0-").
std::string python_of(const Matrix& matrix, const Row& row);
/// The rows of a package, newest first; with a version only those of that release.
std::vector<Row> rows_of(const Matrix& matrix, const Wanted& package);
/// A requirement for the newest release of a row: "vllm==0.19.*", "jax>=0.7.1,<0.11.0".
std::string requirement(const Matrix& matrix, const Row& row, const std::string& extra, const std::string& version);
/// Whether two rows can share one environment: a CUDA major and a cuDNN major that both take.
Fits share(const Row& one, const Row& other);
/// Whether the tables know this package at all.
bool listed(const Matrix& matrix, const std::string& package);

}  // namespace gpudoctor
