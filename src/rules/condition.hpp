// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/facts.hpp"

namespace gpudoctor {

enum class Truth { no, yes, unknown };

/// One comparison of a rule: `driver.loaded != driver.libraries`, `reach == newer`, `"sm_90" in torch.archs`.
struct Condition {
  enum class Op { eq, ne, lt, le, gt, ge, in, not_in, is_known, is_absent };
  std::string text;                 ///< as written
  std::string left;                 ///< a fact's key, or a literal
  bool left_literal = false;
  Op op = Op::eq;
  std::vector<std::string> right;   ///< literals, or one fact's key
  bool right_fact = false;
};

/// Parses one comparison; `each` completes bare names to declared facts. Throws std::invalid_argument with what is wrong.
Condition parse_condition(std::string_view text, const std::string& each);

/// What a condition says of an entity, and what made it so.
struct Answer {
  Truth truth = Truth::unknown;
  std::string reason;                      ///< for unknown
  std::vector<const Fact*> facts;          ///< the facts that it rests on
};
Answer evaluate(const Condition& condition, const Facts& facts, const Entity& subject);

/// A fact as a rule on `subject` sees it.
struct Look {
  State state = State::unknown;
  const Fact* fact = nullptr;
  const Entity* entity = nullptr;
  std::string reason;
};
Look look_up(const std::string& key, const Facts& facts, const Entity& subject);

}  // namespace gpudoctor
