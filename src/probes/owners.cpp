// SPDX-License-Identifier: Apache-2.0
#include "owners.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {

std::string usr_merged(const std::string& path) {
  for (const auto* folder : {"/lib/", "/lib64/", "/lib32/", "/bin/", "/sbin/"})
    if (path.starts_with(folder)) return "/usr" + path;
  return path;
}

Owners::Owners(const Machine& machine, const Facts& facts, const std::vector<std::string>& patterns) {
  complete_ = facts.was_looked("package");
  if (!complete_) why_ = facts.why_not("package");
  bool rpm = false;
  for (const Entity* package : facts.of("package")) {
    if (package->is("manager", "apk")) continue;   // it packages no driver
    if (package->is("manager", "rpm")) {           // one data base for all of them
      if (!rpm) by_rpm(machine, package->find("state")->witnesses.front().source, patterns);
      rpm = true;
      continue;
    }
    const auto& name = package->id().key;
    const auto fits = [&](const std::string& pattern) { return matches(name, pattern); };
    if (!std::any_of(patterns.begin(), patterns.end(), fits)) continue;
    if (package->is("manager", "pacman")) {
      by_pacman(machine, *package);
      continue;
    }
    if (package->is("state", "config-files") || package->is("state", "not-installed"))
      continue;  // only its settings are left
    // Packages that may be there for two architectures have the architecture in the name of their list.
    const std::string info = "/var/lib/dpkg/info/" + name;
    auto files = machine.inspect(info + ".list", Inspect::dpkg_files);
    for (const auto* architecture : {":amd64", ":arm64"})
      if (files.is_absent()) files = machine.inspect(info + architecture + ".list", Inspect::dpkg_files);
    if (files)
      for (const auto& path : *files) packages_.emplace(usr_merged(path), name);
    else if (complete_)
      complete_ = false, why_ = info + ".list: " + files.miss().says;
  }
}

void Owners::by_rpm(const Machine& machine, const std::string& path, const std::vector<std::string>& patterns) {
  const auto answer = machine.inspect(path, Inspect::rpm_packages);
  if (!answer) return void((complete_ = false, why_ = path + ": " + answer.miss().says));
  for (const auto& line : *answer) {
    const auto parts = split(line, '\t');
    if (parts.size() != 3 || parts[0] != "file") continue;
    const auto fits = [&](const std::string& pattern) { return matches(parts[1], pattern); };
    if (std::any_of(patterns.begin(), patterns.end(), fits)) packages_.emplace(usr_merged(std::string(parts[2])), printable(parts[1]));
  }
}

/// pacman lists a package's files without the leading slash, one a line.
void Owners::by_pacman(const Machine& machine, const Entity& package) {
  const auto path = package.find("state")->witnesses.front().source + "/files";
  const auto files = machine.read(path, 16 << 20);
  if (files)
    for (const auto file : lines(*files)) packages_.emplace("/" + std::string(file), package.id().key);
  else if (complete_)
    complete_ = false, why_ = path + ": " + files.miss().says;
}

std::optional<std::string> Owners::of(const std::string& path) const {
  const auto found = packages_.find(usr_merged(path));
  return found == packages_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace gpudoctor
