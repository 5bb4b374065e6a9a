// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/finding.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// One line for one PyTorch on one GPU, or for another framework that is blocked.
struct Verdict {
  enum class State { ready, blocked, unknown } state = State::unknown;
  Id torch, gpu, framework;
  std::string shown;   ///< "torch 2.5.1+cu124 in ~/venv (active) on GPU 0 RTX 5090"
  std::string why;     ///< a finding's id, a reason, or how it was known
  bool active = false;
};
const char* word(Verdict::State state);

/// All that a report prints. Everything in it is plain data; formats add nothing of their own.
struct Report {
  std::string tool_version, matrix_date;
  int local_rows = 0, local_rules = 0;   ///< laid over the built-in ones
  Machine::World world = Machine::World::live;
  std::string where;              ///< the root or the file looked at; empty for this machine
  const Facts* facts = nullptr;
  Judgement judgement;
  std::vector<Verdict> verdicts;
  std::vector<Fix> plan;          ///< in order
  std::string verdict;            ///< environment, environment-sound or needs-info
  std::vector<std::string> ask;   ///< of needs-info in a pasted report: commands whose output would decide
  int exit_code = 0;
  double milliseconds = 0;
};

}  // namespace gpudoctor
