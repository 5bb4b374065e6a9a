// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gpudoctor/machine.hpp"
#include "text.hpp"

namespace gpudoctor {

bool matches(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') ++t, ++p;
    else if (p < pattern.size() && pattern[p] == '*') star = p++, mark = t;
    else if (star != std::string_view::npos) p = star + 1, t = ++mark;
    else return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string> glob(const Machine& machine, const std::string& pattern, std::vector<std::string>* missed) {
  return glob_in(machine, pattern.starts_with('/') ? "/" : "", pattern, missed);
}

std::vector<std::string> glob_in(const Machine& machine, const std::string& start, const std::string& pattern,
                                 std::vector<std::string>* missed) {
  constexpr std::size_t most = 200'000;   // a folder's most entries; links that lead back would match without end
  std::vector<std::string> found{start};
  const auto parts = split(pattern, '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const bool last = i + 1 == parts.size();
    std::vector<std::string> next;
    for (const auto& folder : found) {
      if (parts[i].find_first_of("*?") == std::string_view::npos) {
        const auto path = join(folder, parts[i]);
        if (!last || exists(machine, path) || machine.link(path)) next.push_back(path);
        continue;
      }
      const auto entries = machine.list(folder);
      if (!entries) {
        if (missed && !entries.is_absent()) missed->push_back(folder + ": " + entries.miss().says);
        continue;
      }
      for (const auto& entry : *entries)
        if (next.size() < most && matches(entry.name, parts[i]) && (entry.name[0] != '.' || parts[i][0] == '.')) next.push_back(join(folder, entry.name));
    }
    if (missed && next.size() >= most) missed->push_back(pattern + ": more than " + std::to_string(most) + " matches");
    found = std::move(next);
  }
  return found;
}

bool exists(const Machine& machine, const std::string& path) { return static_cast<bool>(machine.info(path)); }

bool is_folder(const Machine& machine, const std::string& path) {
  const auto info = machine.info(path);
  return info && info->kind == Kind::folder;
}

std::string join(std::string_view folder, std::string_view name) {
  if (name.starts_with('/') || folder.empty()) return std::string(name);
  return std::string(folder) + (folder.back() == '/' ? "" : "/") + std::string(name);
}

std::string parent(std::string_view path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return {};
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string base_name(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace gpudoctor
