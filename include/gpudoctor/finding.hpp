// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"

namespace gpudoctor {

enum class Severity { error, warning, note };
const char* word(Severity severity);

/// One thing that a verdict rests on, with where it was seen. `rank` table means the matrix said it.
struct Evidence {
  std::string key, value, source;   ///< "gpu.compute_capability", "12.0", "PCI 10de:2b85"
  Rank rank = Rank::measured;
};

/// A finding that another one explains: it stands under it and is not counted.
struct Effect {
  std::string id, subject, message;
  Severity severity = Severity::error;
};

/// Commands that mend a finding, ready to run; never wrapped.
struct Fix {
  std::string action, title, risk;      ///< risk: read-only, environment, system or reboot
  std::vector<std::string> commands, undo, needs;
  std::string verify;
  std::string said;                     ///< instead of commands: why none can be given, and what to do
  auto operator<=>(const Fix&) const = default;
};

struct Finding {
  std::string id, title, message;
  Severity severity = Severity::error;
  bool certain = true;
  bool elsewhere = false;               ///< about an environment that is not the active one
  std::string subject;                  ///< for people: "torch 2.5.1+cu124 in ~/venv, GPU 0"
  std::vector<Id> about;                ///< the entities it binds: the first is the rule's own
  std::vector<Evidence> evidence;
  std::vector<Effect> effects;
  std::vector<std::string> actions;     ///< names of actions, best first
  std::vector<Fix> fixes;
  std::vector<std::string> refs;
  std::vector<std::string> alternatives;  ///< ids of findings that would explain the same error text, likelier ones first
  std::string because;                  ///< why its severity is not the usual one
  int order = 0;                        ///< place in the catalogue
};

/// A rule that could not be decided, because of one unknown.
struct Undecided {
  std::string id, subject, reason;
};

struct Judgement {
  std::vector<Finding> findings;        ///< by severity, certainty, catalogue, subject
  std::vector<Undecided> undecided;
};

}  // namespace gpudoctor
