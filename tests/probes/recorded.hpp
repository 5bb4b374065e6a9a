// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "gpudoctor/node.hpp"
#include "gpudoctor/probe.hpp"
#include "machines.hpp"

namespace gpudoctor::test {

/// A machine of tests/machines, or one from a text.
inline std::unique_ptr<Machine> machine(const std::string& name) {
  std::ifstream file(std::string(GPUDOCTOR_SOURCE_DIR) + "/tests/machines/" + name + ".toml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return open_recording(parse_toml(text, name), name);
}
inline std::unique_ptr<Machine> machine_of(const std::string& tables) {
  return open_recording(parse_toml("[recording]\nformat = 1\nworld = \"closed\"\n" + tables, "here"), "here");
}

inline Facts look_at(const Machine& machine) {
  Facts facts;
  look(machine, {}, facts);
  return facts;
}

/// "value", "absent", "unknown: reason" or "not stated".
inline std::string told(const Facts& facts, const std::string& kind, const std::string& fact, const std::string& key = {}) {
  const Entity* entity = facts.find(kind, key);
  const Fact* found = entity ? entity->find(fact) : nullptr;
  if (!found) return "not stated";
  return found->known() ? found->text : found->state == State::absent ? "absent" : "unknown: " + found->reason;
}

}  // namespace gpudoctor::test
