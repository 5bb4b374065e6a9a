// SPDX-License-Identifier: Apache-2.0
#include "macros.hpp"

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most = 64;  // a header of NVIDIA has fewer than ten; a hostile one gets no more of a report

bool of_version(std::string_view name) {
  return contains(name, "VERSION") || name.ends_with("_MAJOR") || name.ends_with("_MINOR") ||
         name.ends_with("_PATCH") || name.ends_with("_PATCHLEVEL");
}

}  // namespace

std::vector<std::string> version_macros(std::string_view header) {
  std::vector<std::string> result;
  for (auto line : lines(header)) {
    line = trim(line);
    if (!line.starts_with('#')) continue;
    const auto parts = words(line.substr(1));  // "# define", as some write it, too
    if (parts.size() < 3 || parts[0] != "define" || !of_version(parts[1]) || to_number(parts[2]) < 0) continue;
    result.push_back(printable(parts[1]) + "=" + std::to_string(to_number(parts[2])));
    if (result.size() == most) break;
  }
  return result;
}

}  // namespace gpudoctor
