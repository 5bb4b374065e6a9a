// SPDX-License-Identifier: Apache-2.0
// Source of the rules: glibc, elf/dl-load.c (_dl_map_object) and elf/dl-deps.c: what an object needs is searched breadth
// first, so that its direct needs come before those of the libraries it loads.
#include "process.hpp"

#include "sonames.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most_objects = 512;   // a torch of 2026 loads 40 of these kinds

}  // namespace

Process::Process(const Machine& machine, const LoaderSearch& search, const std::string& program) : machine_(machine), search_(search) {
  if (program.empty()) objects_.emplace_back();
  else map(program, {}, -1, {});
  doubt_.clear();   // a program that cannot be read has no search path that is known
}

/// Reads an object and makes it known by its name and the one it was asked for. -1 when it cannot be read.
int Process::map(const std::string& path, const std::string& name, int loader, const std::string& via) {
  if (objects_.size() >= most_objects) return -1;
  Object object{path, {}, {}, {}, loader};
  std::string soname;
  const auto dynamic = machine_.inspect(path, Inspect::dynamic);
  if (!dynamic && doubt_.empty()) doubt_ = path + ": " + dynamic.miss().says;
  if (dynamic)
    for (const std::string_view line : *dynamic) {
      const auto value = std::string(line.substr(line.find('=') + 1));
      if (line.starts_with("soname=")) soname = value;
      if (line.starts_with("rpath=")) object.rpath = value;
      if (line.starts_with("runpath=")) object.runpath = value;
      if (line.starts_with("needed=")) object.needed.push_back(value);
    }
  if (!object.runpath.empty()) object.rpath.clear();
  objects_.push_back(std::move(object));
  const int index = static_cast<int>(objects_.size()) - 1;
  const std::string asker = loader < 0 ? std::string() : objects_[static_cast<std::size_t>(loader)].path;
  for (const auto& known : {name, soname, path})
    if (!known.empty() && index_.emplace(known, index).second && known != path) loaded_.emplace(known, Library{path, via, asker});
  return dynamic ? index : -1;
}

std::optional<Found> Process::find(const std::string& name, int asker) const {
  const Object& object = objects_[static_cast<std::size_t>(asker)];
  if (object.runpath.empty()) {
    for (int at = asker; at >= 0; at = objects_[static_cast<std::size_t>(at)].loader) {
      const Object& one = objects_[static_cast<std::size_t>(at)];
      if (one.rpath.empty()) continue;
      if (auto found = search_.in_path(one.rpath, parent(one.path), name, "rpath of " + base_name(one.path))) return found;
    }
    const Object& program = objects_.front();
    if (auto found = search_.in_path(program.rpath, parent(program.path), name, "rpath of " + base_name(program.path))) return found;
  }
  if (auto found = search_.in_library_path(name)) return found;
  if (auto found = search_.in_path(object.runpath, parent(object.path), name, "runpath of " + base_name(object.path))) return found;
  return search_.in_system(name);
}

void Process::close_over(std::size_t first) {
  for (std::size_t at = first; at < objects_.size(); ++at) {
    const auto needed = objects_[at].needed;
    for (const auto& name : needed) {
      if (index_.contains(name) || missing_.contains(name) || !is_gpu_library(name)) continue;
      if (const auto found = find(name, static_cast<int>(at))) map(found->path, name, static_cast<int>(at), found->via);
      else missing_.emplace(name, objects_[at].path);
    }
  }
}

bool Process::open(const std::string& path, const std::string& via) {
  if (index_.contains(path)) return true;
  const std::size_t first = objects_.size();
  const bool read = map(path, base_name(path), 0, via) >= 0;
  close_over(first);
  return read;
}

bool Process::open_name(const std::string& name, const std::string& caller) {
  if (index_.contains(name)) return true;
  const auto asker = index_.find(caller);
  if (asker == index_.end()) return false;
  const auto found = find(name, asker->second);
  if (!found) return false;
  const std::size_t first = objects_.size();
  map(found->path, name, asker->second, found->via);
  close_over(first);
  return true;
}

}  // namespace gpudoctor
