// SPDX-License-Identifier: Apache-2.0
#include "files.hpp"

#include "text.hpp"

namespace gpudoctor {

Result<std::string> first_line(const Machine& machine, const std::string& path) {
  const auto text = machine.read(path, 1 << 16);
  if (!text) return text.miss();
  return printable(trim(text->substr(0, text->find('\n'))));
}

Witness seen(std::string source, int line) { return {Rank::measured, std::move(source), line, {}}; }

void all_unknown(Entity& entity, const std::vector<std::string>& facts, const std::string& reason) {
  for (const auto& fact : facts) entity.unknown(fact, reason);
}

}  // namespace gpudoctor
