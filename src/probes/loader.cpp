// SPDX-License-Identifier: Apache-2.0
// Where the dynamic loader looks. Read from its configuration: its binary cache is made of the same folders.
#include "loader.hpp"

#include <algorithm>
#include <set>

#include "text.hpp"

namespace gpudoctor {

std::vector<std::string> parse_ld_so_conf(std::string_view text) {
  std::vector<std::string> result;
  for (auto line : lines(text)) {
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto parts = words(line);
    if (parts[0] == "hwcap") continue;
    if (parts[0] == "include") {
      for (std::size_t i = 1; i < parts.size(); ++i) result.push_back("include " + std::string(parts[i]));
      continue;
    }
    std::string piece;  // several folders of one line stand between spaces, commas or colons
    for (const char c : std::string(line) + ' ') {
      if (c != ' ' && c != '\t' && c != ',' && c != ':')
        piece += c;
      else if (!piece.empty())
        result.push_back(std::exchange(piece, {}));
    }
  }
  return result;
}

namespace {

class Collector {
 public:
  Collector(const Machine& machine, LoaderFolders& result) : machine_(machine), result_(result) {}

  void folder(const std::string& path, const std::string& source) {
    for (const auto* narrow : {"/i386-linux-gnu", "/i686-linux-gnu", "/lib32", "/libx32"})
      if (contains(path, narrow)) return;
    const auto real = machine_.real(path);
    if (!real) {
      if (real.miss().why != Why::absent) doubt(path, real.miss());
      return;
    }
    if (result_.folders.size() == most) return doubt(source, {Why::too_large, "too many folders"});
    if (folders_.insert(*real).second) result_.folders.push_back({*real, path, source});
  }

  void conf(const std::string& path, int depth) {
    if (!files_.insert(path).second) return;
    if (files_.size() > most) return doubt(path, {Why::too_large, "too many files are included"});
    const auto text = machine_.read(path, 1 << 18);
    if (!text) {
      if (text.miss().why != Why::absent) doubt(path, text.miss());
      return;
    }
    for (const auto& entry : parse_ld_so_conf(*text)) {
      if (entry.starts_with('/')) folder(entry, path);
      if (!entry.starts_with("include ") || depth == 0) continue;
      include(join(parent(path), entry.substr(8)), depth - 1);
    }
  }

 private:
  static constexpr std::size_t most = 1024;   // distributions have a dozen

  void include(const std::string& pattern, int depth) {
    if (!files_.insert("include " + pattern).second) return;
    if (parent(pattern).find_first_of("*?[") != std::string::npos)
      return doubt(pattern, {Why::too_large, "a pattern of folders is not followed"});
    std::vector<std::string> missed;
    for (const auto& next : glob(machine_, pattern, &missed)) conf(next, depth);
    if (!missed.empty() && result_.doubt.empty()) result_.doubt = missed.front();
  }

  void doubt(const std::string& path, const Miss& miss) {
    if (result_.doubt.empty()) result_.doubt = path + ": " + miss.says;
  }
  const Machine& machine_;
  LoaderFolders& result_;
  std::set<std::string> folders_, files_;  // each once
};

}  // namespace

LoaderFolders loader_folders(const Machine& machine, const Facts& facts) {
  LoaderFolders result;
  Collector collect(machine, result);
  const Entity* host = facts.find("host");
  if (host)
    for (const auto& path : host->items("library_path")) collect.folder(path, "LD_LIBRARY_PATH");
  collect.conf("/etc/ld.so.conf", 4);
  const auto arch = host && host->has("arch") ? host->get("arch") : std::string("x86_64");
  // Where /usr/lib64 is a folder of its own, /usr/lib is for 32-bit libraries.
  const auto wide = machine.real("/usr/lib64"), plain = machine.real("/usr/lib");
  for (const auto& path : {"/lib/" + arch + "-linux-gnu", "/usr/lib/" + arch + "-linux-gnu", std::string("/lib64"),
                           std::string("/usr/lib64")})
    collect.folder(path, "default");
  const bool narrow = wide && plain && *wide != *plain && exists(machine, "/usr/lib64/libc.so.6");
  if (!narrow)
    for (const auto* path : {"/lib", "/usr/lib"}) collect.folder(path, "default");
  return result;
}

}  // namespace gpudoctor
