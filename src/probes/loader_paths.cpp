// SPDX-License-Identifier: Apache-2.0
// Where the loader looks, from ld.so.conf(5) and ld.so(8). The cache that ldconfig makes of it is not read here: what
// was written into ld.so.conf is what the next ldconfig, which every package runs, will take.
#include "loader_paths.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr int most_files = 200;   // an include can include itself

void add(std::vector<std::string>& folders, std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(std::move(folder));
}

void read_conf(const Machine& machine, const std::string& path, std::vector<std::string>& folders,
               std::vector<std::string>* refused, int& files) {
  if (++files > most_files) return;
  const auto text = machine.read(path, 1 << 16);
  if (!text) {
    if (refused && !text.is_absent()) refused->push_back(path + ": " + text.miss().says);
    return;
  }
  for (const auto line : lines(*text)) {
    auto parsed = parse_loader_line(line);
    if (!parsed.folder.empty()) add(folders, std::move(parsed.folder));
    for (const auto& pattern : parsed.includes)   // relative to the file that names it
      for (const auto& file : glob(machine, join(parent(path), pattern))) read_conf(machine, file, folders, refused, files);
  }
}

}  // namespace

LoaderLine parse_loader_line(std::string_view line) {
  line = trim(line.substr(0, line.find('#')));
  const auto parts = words(line);
  if (parts.empty() || parts[0] == "hwcap") return {};
  if (parts[0] == "include") return {{}, {parts.begin() + 1, parts.end()}};
  line = trim(line.substr(0, line.find('=')));   // "folder=libc6", as old libraries had it
  return {line.starts_with('/') ? std::string(line) : std::string(), {}};
}

std::string triplet_of(const Machine& machine, const Facts& facts) {
  const Entity* host = facts.find("host");
  if (host && host->has("arch")) return host->get("arch") + "-linux-gnu";
  return exists(machine, "/usr/lib/aarch64-linux-gnu") ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

std::vector<std::string> loader_folders(const Machine& machine, const std::string& triplet, std::vector<std::string>* refused) {
  std::vector<std::string> folders;
  int files = 0;
  read_conf(machine, "/etc/ld.so.conf", folders, refused, files);
  for (const auto* root : {"/lib/", "/usr/lib/"}) add(folders, root + triplet);
  for (const auto* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) add(folders, folder);
  return folders;
}

std::vector<std::string> library_path_folders(const Machine& machine) {
  std::vector<std::string> folders;
  const auto path = machine.variable("LD_LIBRARY_PATH");
  if (!path) return folders;
  for (const auto part : split(replaced(*path, ";", ":"), ':'))   // the loader takes both
    if (!trim(part).empty()) add(folders, join(machine.working_folder(), part));
  return folders;
}

}  // namespace gpudoctor
