// SPDX-License-Identifier: Apache-2.0
#include "loader_search.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most_folders = 256;   // of one RPATH; conda's have two, wheels' up to 16

}  // namespace

std::vector<std::string> levels_of_flags(std::string_view cpuinfo) {
  const auto at = cpuinfo.find("\nflags");
  if (at == std::string_view::npos) return {};
  const auto line = cpuinfo.substr(at + 1, cpuinfo.find('\n', at + 1) - at - 1);
  const auto flags = words(line);
  const auto has = [&](std::initializer_list<std::string_view> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view one) { return std::find(flags.begin(), flags.end(), one) != flags.end(); });
  };
  std::vector<std::string> levels;
  if (!has({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"})) return levels;
  levels.insert(levels.begin(), "x86-64-v2");
  if (!has({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"})) return levels;
  levels.insert(levels.begin(), "x86-64-v3");
  if (has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) levels.insert(levels.begin(), "x86-64-v4");
  return levels;
}

LoaderSearch::LoaderSearch(const Machine& machine, const Facts& facts) : machine_(machine) {
  const auto all = loader_folders(machine, facts);
  doubt_ = all.doubt;
  for (const auto& folder : all.folders) {
    auto& list = folder.source == "LD_LIBRARY_PATH" ? variable_ : folder.source == "default" ? usual_ : configured_;
    list.push_back(folder);
  }
  const Entity* host = facts.find("host");
  const Fact* variable = host ? host->find("library_path") : nullptr;
  if (variable && variable->state == State::unknown) variable_doubt_ = "LD_LIBRARY_PATH: " + variable->reason;
  const auto lines = machine.inspect("/etc/ld.so.cache", Inspect::ld_cache);
  cached_ = static_cast<bool>(lines);   // where there is none (musl, a bare root, a machine written by hand) the configuration must do
  if (!lines && !lines.is_absent() && lines.miss().why != Why::not_looked && doubt_.empty()) doubt_ = "/etc/ld.so.cache: " + lines.miss().says;
  if (!lines) return;
  for (const auto& line : *lines) {
    const auto parts = split(line, '\t');
    if (parts.size() == 3) cache_[std::string(parts[0])].push_back({std::string(parts[1]), std::string(parts[2])});
  }
}

bool LoaderSearch::there(const std::string& path) const {
  const auto [entry, fresh] = seen_.try_emplace(path, false);
  if (!fresh) return entry->second;
  const auto info = machine_.info(path);
  entry->second = static_cast<bool>(info);
  if (!info && !info.is_absent() && doubt_.empty()) doubt_ = path + ": " + info.miss().says;
  return entry->second;
}

bool LoaderSearch::has_level(const std::string& level) const {
  if (level.empty()) return true;
  if (!levels_) levels_ = levels_of_flags(machine_.running() ? machine_.read("/proc/cpuinfo", 4 << 20).value_or("") : std::string());
  return std::find(levels_->begin(), levels_->end(), level) != levels_->end();
}

std::optional<std::string> LoaderSearch::at(const std::string& folder, const std::string& name) const {
  if (!there(folder)) return std::nullopt;
  if (const auto levels = join(folder, "glibc-hwcaps"); there(levels))
    for (const auto* level : {"x86-64-v4", "x86-64-v3", "x86-64-v2"})
      if (const auto path = join(join(levels, level), name); there(path) && has_level(level)) return path;
  if (const auto path = join(folder, name); there(path)) return path;
  return std::nullopt;
}

std::optional<Found> LoaderSearch::in_path(const std::string& path, const std::string& origin, const std::string& name,
                                           const std::string& via) const {
  std::size_t count = 0;
  for (const auto part : split(path, ':')) {
    const auto folder = replaced(replaced(std::string(part), "${ORIGIN}", origin), "$ORIGIN", origin);
    if (!folder.starts_with('/') || contains(folder, "$") || ++count > most_folders) continue;   // others depend on where it is started
    if (auto found = at(folder, name)) return Found{std::move(*found), via};
  }
  return std::nullopt;
}

std::optional<Found> LoaderSearch::in_library_path(const std::string& name) const {
  for (const auto& folder : variable_)
    if (auto found = at(folder.written, name)) return Found{std::move(*found), folder.source};
  return std::nullopt;
}

std::vector<Found> LoaderSearch::system_copies(const std::string& name) const {
  std::vector<Found> out;
  if (cached_) {
    if (const auto entries = cache_.find(name); entries != cache_.end())
      for (const auto& [path, level] : entries->second) {
        if (!there(path) || !has_level(level)) continue;
        const auto folder = machine_.real(parent(path)).value_or(parent(path));
        const auto conf = std::find_if(configured_.begin(), configured_.end(), [&](const LoaderFolder& one) { return one.path == folder; });
        out.push_back({path, conf == configured_.end() ? "/etc/ld.so.cache" : conf->source});
      }
  } else {
    for (const auto& folder : configured_)
      if (auto found = at(folder.path, name)) out.push_back({std::move(*found), folder.source});
  }
  for (const auto& folder : usual_)
    if (auto found = at(folder.path, name)) out.push_back({std::move(*found), folder.source});
  return out;
}

std::optional<Found> LoaderSearch::in_system(const std::string& name) const {
  auto copies = system_copies(name);
  if (copies.empty()) return std::nullopt;
  return std::move(copies.front());
}

std::vector<Found> LoaderSearch::copies(const std::string& name) const {
  std::vector<Found> out;
  for (const auto& folder : variable_)
    if (auto found = at(folder.written, name)) out.push_back({std::move(*found), folder.source});
  for (auto& one : system_copies(name)) out.push_back(std::move(one));
  return out;
}

}  // namespace gpudoctor
