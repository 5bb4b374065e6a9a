// SPDX-License-Identifier: Apache-2.0
// What a user lays over the built-in rules and tables.
#include "local_rules.hpp"

#include <algorithm>
#include <cstdlib>

#include "embedded.hpp"
#include "machines.hpp"
#include "pipeline.hpp"
#include "rule_files.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t max_file = 8u << 20;
constexpr std::size_t max_files = 256;

// Through the machine layer: a FIFO or a device is an error, not a wait.
Node read_one(const Machine& machine, const std::string& path) {
  const auto text = machine.read(path.starts_with('/') ? path : join(machine.working_folder(), path), max_file);
  if (!text) throw BadInput(path + ": " + text.miss().says);
  return parse_toml(*text, path);
}

void list_toml(const Machine& machine, const std::string& folder, std::vector<std::string>& paths) {
  const auto entries = machine.list(folder.starts_with('/') ? folder : join(machine.working_folder(), folder));
  if (!entries) throw BadInput(folder + ": " + entries.miss().says);
  for (const auto& entry : *entries)
    if (entry.name.ends_with(".toml")) paths.push_back(join(folder, entry.name));
}

/// ~/.config/gpudoctor/rules.d, empty where there is none.
std::string own_folder(const Machine& machine) {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  std::string folder;
  if (config && *config == '/') folder = config;
  else if (home && *home == '/') folder = join(home, ".config");
  if (folder.empty()) return {};
  folder = join(folder, "gpudoctor/rules.d");
  return machine.list(folder) ? folder : std::string();
}

}  // namespace

std::vector<std::pair<std::string, Node>> read_local(const std::string& path) {
  const auto machine = open_live();
  std::vector<std::string> paths;
  const auto whole = path.starts_with('/') ? path : join(machine->working_folder(), path);
  if (const auto entries = machine->list(whole); entries) {
    list_toml(*machine, path, paths);
    if (machine->list(join(whole, "tables"))) list_toml(*machine, join(path, "tables"), paths);
  } else {
    paths.push_back(path);
  }
  if (paths.size() > max_files) throw BadInput(path + ": more than 256 files");
  std::sort(paths.begin(), paths.end());
  std::vector<std::pair<std::string, Node>> files;
  for (const auto& one : paths) files.emplace_back(one, read_one(*machine, one));
  return files;
}

Knowledge load_knowledge(const Options& options, LocalCount* local) {
  try {
    auto sources = options.rules_add;
    // A root, an image and a recording are judged alike by everybody; --rules says which rules are wanted.
    if (options.root.empty() && options.from.empty() && options.rules.empty())
      if (auto own = own_folder(*open_live()); !own.empty()) sources.insert(sources.begin(), std::move(own));
    if (sources.empty() && options.rules.empty()) return Knowledge::from_digest(embedded_knowledge());
    Knowledge::Documents documents;
    if (options.rules.empty()) {
      documents = unfold(embedded_knowledge());
    } else {
      documents = read_rule_folder(options.rules);
      if (const auto faults = verify(documents); !faults.empty()) throw BadInput(options.rules + "/" + faults.front());
    }
    for (const auto& source : sources)
      for (const auto& [path, document] : read_local(source)) {
        if (const auto faults = verify_local(documents, path, document); !faults.empty()) throw BadInput(faults.front());
        const auto count = lay_over(documents, path, document);
        if (local) local->rows += count.rows, local->rules += count.rules;
      }
    return Knowledge(documents);
  } catch (const BadInput&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw BadInput(error.what());
  }
}

}  // namespace gpudoctor
