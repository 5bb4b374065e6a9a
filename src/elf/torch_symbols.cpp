// SPDX-License-Identifier: Apache-2.0
// The names of PyTorch among a file's symbols. Mangling: Itanium C++ ABI, 5.1; "Ss" is its abbreviation of the
// std::string of before GCC 5, "__cxx11" the namespace of the one since (GCC manual, "Dual ABI").
#include <algorithm>

#include "symbols.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most_missing = 4096;   // names of one file

bool digit(char c) { return c >= '0' && c <= '9'; }

/// What follows the N of a nested name: "_ZNK3c104Type3strEv" gives "3c104Type3strEv". Empty for other names.
std::string_view nested(std::string_view name) {
  if (!name.starts_with("_Z")) return {};
  name.remove_prefix(2);
  for (const std::string_view special : {"TI", "TV", "TS", "TT", "GV"})   // type, table, name, guard of a variable
    if (name.starts_with(special)) {
      name.remove_prefix(special.size());
      break;
    }
  if (!name.starts_with('N')) return {};
  name.remove_prefix(1);
  while (!name.empty() && std::string_view("rVKRO").find(name.front()) != std::string_view::npos) name.remove_prefix(1);
  return name;
}

}  // namespace

bool is_torch_symbol(std::string_view name) {
  const auto inside = nested(name);
  for (const std::string_view space : {"3c10", "2at", "5torch", "6caffe2"})
    if (inside.starts_with(space)) return true;
  for (const std::string_view own : {"THP", "aoti_torch_", "_Z16THPVariable_Wrap"})
    if (name.starts_with(own)) return true;
  return false;
}

Result<std::vector<std::string>> unresolved(const Symbols& consumer, const std::vector<const Symbols*>& libraries, std::size_t& budget) {
  std::vector<std::string> missing;
  const auto read = consumer.each(false, [&](const Symbols::Symbol& symbol) {
    if (symbol.weak || missing.size() == most_missing || budget == 0 || !is_torch_symbol(symbol.name)) return;
    --budget;
    const auto defines = [&](const Symbols* library) { return library->exports(symbol.name); };
    if (std::none_of(libraries.begin(), libraries.end(), defines)) missing.push_back(one_line(symbol.name));
  });
  if (!read) return read.miss();
  if (budget == 0) return Miss{Why::too_large, "too many names to look up"};
  return missing;
}

std::string string_abi(std::string_view name) {
  if (!name.starts_with("_Z")) return {};
  if (name.find("cxx11") != std::string_view::npos) return "cxx11";
  // Identifiers are written with their length: what looks like "Ss" inside one is none.
  for (std::size_t at = 2; at < name.size();) {
    std::size_t length = 0, end = at;
    while (end < name.size() && digit(name[end]) && length < name.size()) length = length * 10 + static_cast<std::size_t>(name[end++] - '0');
    if (end > at) {
      const bool number = end < name.size() && (name[end] == '_' || name[end] == 'E');   // S2_, Lj5E
      at = number ? end : end + length;
      continue;
    }
    if (name.substr(at).starts_with("Ss")) return "pre-cxx11";
    ++at;
  }
  return {};
}

Result<std::string> string_abi(const Symbols& symbols) {
  std::size_t fresh = 0, old = 0;
  const auto read = symbols.each(true, [&](const Symbols::Symbol& symbol) {
    if (!is_torch_symbol(symbol.name)) return;
    const auto abi = string_abi(symbol.name);
    fresh += abi == "cxx11", old += abi == "pre-cxx11";
  });
  if (!read) return read.miss();
  if (fresh == old) return std::string();
  return std::string(fresh > old ? "cxx11" : "pre-cxx11");
}

}  // namespace gpudoctor
