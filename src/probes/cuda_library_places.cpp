// SPDX-License-Identifier: Apache-2.0
// Where copies of cuDNN and NCCL lie. They are asked for by soname, as the loader does: a link and the file that it
// leads to are one copy, and folders with thousands of libraries need not be listed.
#include <array>
#include <set>

#include "cuda_libraries.hpp"
#include "loader.hpp"
#include "text.hpp"
#include "toolkit.hpp"

namespace gpudoctor {
namespace {

struct Soname {
  const char* library;
  std::vector<const char*> names;
  const char* plain;  // asked for only where no soname is: a copy without links can have both
};

const std::array<Soname, 2> sonames{{{"cudnn", {"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so.7"}, "libcudnn.so"},
                                     {"nccl", {"libnccl.so.2"}, "libnccl.so"}}};

bool inside(const std::string& path, const std::string& folder) { return path.starts_with(folder + "/"); }

class Finder {
 public:
  Finder(const Machine& machine, const Facts& facts) : machine_(machine), facts_(facts) {}

  void folder(const std::string& path, const std::string& reached_by) {
    const auto real = machine_.real(path);
    if (!real || !seen_.insert(*real).second) return;
    for (const auto& soname : sonames) {
      bool any = false;
      for (const auto* name : soname.names) any |= file(join(*real, name), soname.library, reached_by);
      if (!any) file(join(*real, soname.plain), soname.library, reached_by);
    }
  }

  std::map<std::string, LibraryCopy> take() { return std::move(copies_); }

 private:
  bool file(const std::string& path, const char* library, const std::string& reached_by) {
    const auto real = machine_.real(path);
    if (!real) return false;
    const auto [copy, fresh] = copies_.try_emplace(*real);
    if (copy->second.reached_by.empty()) copy->second.reached_by = reached_by;
    if (!fresh) return true;
    copy->second.name = library;
    for (const Entity* env : facts_.of("env")) {
      for (const auto& site : env->items("sites")) {
        if (inside(*real, site)) copy->second.env = env;
        copy->second.in_torch |= inside(*real, site + "/torch");
      }
      if (env->is("kind", "conda") && inside(*real, env->id().key + "/lib")) copy->second.env = env;
    }
    for (const Entity* toolkit : facts_.of("toolkit"))
      if (inside(*real, toolkit->id().key)) copy->second.toolkit = toolkit;
    return true;
  }

  const Machine& machine_;
  const Facts& facts_;
  std::set<std::string> seen_;
  std::map<std::string, LibraryCopy> copies_;
};

}  // namespace

std::map<std::string, LibraryCopy> find_library_copies(const Machine& machine, const Facts& facts, std::string& doubt) {
  Finder finder(machine, facts);
  const auto loader = loader_folders(machine, facts);
  doubt = loader.doubt;
  for (const auto& folder : loader.folders) finder.folder(folder.path, folder.source);
  for (const Entity* toolkit : facts.of("toolkit"))
    for (const auto& path : toolkit_libraries(toolkit->id().key)) finder.folder(path, {});
  for (const Entity* env : facts.of("env")) {
    for (const auto& site : env->items("sites"))
      for (const auto* part : {"nvidia/cudnn/lib", "nvidia/nccl/lib", "nvidia/cu13/lib", "torch/lib"})
        finder.folder(join(site, part), {});
    if (env->is("kind", "conda")) finder.folder(env->id().key + "/lib", {});
  }
  return finder.take();
}

std::vector<std::string> headers_of_library(const std::string& folder) {
  const auto up = parent(folder), name = base_name(folder);
  if (!name.ends_with("-linux-gnu")) return {up + "/include"};
  const auto prefix = parent(up);  // /usr of /usr/lib/x86_64-linux-gnu
  return {prefix + "/include/" + name, prefix + "/include"};
}

}  // namespace gpudoctor
