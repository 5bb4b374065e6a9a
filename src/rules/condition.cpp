// SPDX-License-Identifier: Apache-2.0
#include "condition.hpp"

#include <algorithm>
#include <stdexcept>

#include "text.hpp"

namespace gpudoctor {
namespace {

using Op = Condition::Op;

std::string unquoted(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return std::string(text.substr(1, text.size() - 2));
  return std::string(text);
}

bool quoted(std::string_view text) { return trim(text).starts_with('"'); }

}  // namespace

Condition parse_condition(std::string_view text, const std::string& each) {
  Condition condition;
  condition.text = std::string(trim(text));
  static constexpr std::pair<std::string_view, Op> operators[] = {
      {" is known", Op::is_known}, {" is absent", Op::is_absent}, {" not in ", Op::not_in}, {" in ", Op::in}, {" == ", Op::eq},
      {" != ", Op::ne},            {" <= ", Op::le},              {" >= ", Op::ge},         {" < ", Op::lt},  {" > ", Op::gt}};
  const auto key = [&each](std::string_view name) {
    const std::string own = contains(name, ".") ? std::string(name) : each + "." + std::string(name);
    return declaration(own) ? own : std::string();
  };
  for (const auto& [sign, op] : operators) {
    const auto at = condition.text.find(sign);
    if (at == std::string::npos) continue;
    const std::string_view whole = condition.text;
    const auto left = trim(whole.substr(0, at)), right = trim(whole.substr(at + sign.size()));
    condition.op = op;
    condition.left_literal = quoted(left);
    condition.left = condition.left_literal ? unquoted(left) : key(left);
    if (condition.left.empty()) throw std::invalid_argument("'" + std::string(left) + "' is no declared fact");
    if (op == Op::is_known || op == Op::is_absent) {
      if (!right.empty()) throw std::invalid_argument("nothing may follow '" + std::string(trim(sign)) + "'");
      return condition;
    }
    if (right.empty()) throw std::invalid_argument("nothing to compare with");
    if (right.front() == '[') {
      if (right.back() != ']') throw std::invalid_argument("a list without its end");
      for (const auto item : split(right.substr(1, right.size() - 2), ',')) condition.right.push_back(unquoted(item));
    } else if (!quoted(right) && contains(right, ".") && !key(right).empty()) {
      condition.right = {key(right)};
      condition.right_fact = true;
    } else {
      condition.right = {unquoted(right)};
    }
    return condition;
  }
  throw std::invalid_argument("no comparison in '" + condition.text + "'");
}

Look look_up(const std::string& key, const Facts& facts, const Entity& subject) {
  const auto dot = key.find('.');
  const std::string kind = key.substr(0, dot), name = key.substr(dot + 1);
  Look look;
  look.entity = facts.nearest(subject, kind);
  if (!look.entity) {
    // Looked for and not there is knowledge; not looked for is not.
    look.state = facts.was_looked(kind) ? State::absent : State::unknown;
    look.reason = facts.why_not(kind);
    return look;
  }
  look.fact = look.entity->find(name);
  if (!look.fact) return look.reason = key + " was not seen", look;
  look.state = look.fact->state;
  look.reason = look.fact->reason.empty() ? key + " is unknown" : look.fact->reason;
  return look;
}

namespace {

Truth compare_one(const Declaration* declared, Op op, const std::string& left, const std::string& right) {
  if (declared && declared->type == Type::version) {
    const Order order = compare(Version(left, declared->scheme), Version(right, declared->scheme));
    if (order == Order::unknown) return left == right && op == Op::eq ? Truth::yes : left == right && op == Op::ne ? Truth::no : Truth::unknown;
    const bool less = order == Order::less, equal = order == Order::equal;
    switch (op) {
      case Op::eq: return equal ? Truth::yes : Truth::no;
      case Op::ne: return equal ? Truth::no : Truth::yes;
      case Op::lt: return less ? Truth::yes : Truth::no;
      case Op::le: return less || equal ? Truth::yes : Truth::no;
      case Op::gt: return !less && !equal ? Truth::yes : Truth::no;
      default: return !less ? Truth::yes : Truth::no;
    }
  }
  if (op == Op::eq || op == Op::ne) return (left == right) == (op == Op::eq) ? Truth::yes : Truth::no;
  const long a = to_number(left), b = to_number(right);
  if (a < 0 || b < 0) return Truth::unknown;
  const bool holds = op == Op::lt ? a < b : op == Op::le ? a <= b : op == Op::gt ? a > b : a >= b;
  return holds ? Truth::yes : Truth::no;
}

}  // namespace

Answer evaluate(const Condition& condition, const Facts& facts, const Entity& subject) {
  Answer answer;
  const auto settle = [&answer](bool yes) { return answer.truth = yes ? Truth::yes : Truth::no, answer; };
  std::string left = condition.left;
  std::vector<std::string> left_list;
  const Declaration* declared = nullptr;
  if (!condition.left_literal) {
    const Look look = look_up(condition.left, facts, subject);
    declared = declaration(condition.left);
    if (look.fact) answer.facts.push_back(look.fact);
    if (condition.op == Op::is_absent && look.state != State::unknown) return settle(look.state == State::absent);
    if (condition.op == Op::is_known) return settle(look.state == State::known);
    if (look.state == State::absent) return settle(condition.op == Op::not_in);
    if (look.state == State::unknown) return answer.reason = look.reason, answer;
    left = look.fact->text;
    if (declared->type == Type::list) left_list = look.fact->list;
  }
  std::vector<std::string> right = condition.right;
  if (condition.right_fact) {
    const Look look = look_up(condition.right[0], facts, subject);
    if (look.fact) answer.facts.push_back(look.fact);
    if (look.state == State::absent) return settle(condition.op == Op::not_in);
    if (look.state == State::unknown) return answer.reason = look.reason, answer;
    const bool is_list = declaration(condition.right[0])->type == Type::list;
    right = is_list ? look.fact->list : std::vector<std::string>{look.fact->text};
    if (!declared) declared = is_list ? nullptr : declaration(condition.right[0]);
  }
  if (condition.op == Op::in || condition.op == Op::not_in) {
    const auto has = [&right](const std::string& item) { return std::find(right.begin(), right.end(), item) != right.end(); };
    const bool found = left_list.empty() ? has(left) : std::any_of(left_list.begin(), left_list.end(), has);
    return settle(found == (condition.op == Op::in));
  }
  answer.truth = compare_one(declared, condition.op, left, right.empty() ? std::string() : right[0]);
  if (answer.truth == Truth::unknown) answer.reason = left + " against " + (right.empty() ? std::string() : right[0]) + " cannot be told";
  return answer;
}

}  // namespace gpudoctor
