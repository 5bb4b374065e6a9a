// SPDX-License-Identifier: Apache-2.0
// What the dynamic loader would take for each CUDA library that PyTorch, its extensions and LibTorch need, beside the copy
// that their environment ships.
#include <algorithm>
#include <map>

#include "all.hpp"
#include "extension_files.hpp"
#include "files.hpp"
#include "sonames.hpp"
#include "text.hpp"
#include "torch_process.hpp"

namespace gpudoctor {
namespace {

using Wheels = std::map<std::string, std::vector<std::string>>;

/// "12.4.127" of libnvrtc.so.12.4.127; empty for a name that holds the soname's number alone.
std::string version_of_file(const std::string& path) {
  const auto name = base_name(path);
  const auto at = name.find(".so.");
  if (at == std::string::npos) return {};
  const Version version(name.substr(at + 4));
  return version.valid() && version.parts().size() >= 3 ? version.text() : std::string();
}

/// The wheel that unpacks to …/nvidia/PART/lib, or for CUDA 13 the one of this library: name==version in env.packages.
std::string version_of_wheel(const Entity& env, const std::string& path, const std::string& soname) {
  static const std::map<std::string, const char*> of_cuda13 = {
      {"libcublas", "nvidia-cublas"},       {"libcublasLt", "nvidia-cublas"},    {"libcudart", "nvidia-cuda-runtime"}, {"libnvrtc", "nvidia-cuda-nvrtc"},
      {"libcupti", "nvidia-cuda-cupti"},    {"libcufft", "nvidia-cufft"},        {"libcurand", "nvidia-curand"},       {"libcusolver", "nvidia-cusolver"},
      {"libcusparse", "nvidia-cusparse"},   {"libnvJitLink", "nvidia-nvjitlink"}, {"libcufile", "nvidia-cufile"}};
  const auto part = base_name(parent(parent(path)));
  auto name = "nvidia-" + replaced(part, "_", "-");
  if (const auto found = of_cuda13.find(library_stem(soname)); part == "cu13" && found != of_cuda13.end()) name = found->second;
  for (const auto& package : env.items("packages"))
    if (package.starts_with(name + "==") || package.starts_with(name + "-cu"))
      if (const auto sign = package.find("=="); sign != std::string::npos) return package.substr(sign + 2);
  return {};
}

const Entity* toolkit_of(const Facts& facts, const std::string& path) {
  for (const Entity* toolkit : facts.of("toolkit"))
    if (path.starts_with(toolkit->id().key + "/")) return toolkit;
  return nullptr;
}

class Links {
 public:
  Links(const Machine& machine, Facts& facts) : machine_(machine), facts_(facts), search_(machine, facts) {}

  void torch(Entity& torch) {
    const Entity* env = std::as_const(facts_).nearest(torch, "env");
    if (!env || !torch.is("backend", "cuda")) return;
    const auto wheels = wheel_libraries(machine_, env->items("sites"));
    Process process(machine_, search_, program_of(*env));
    import_torch(machine_, process, torch.get("path"), torch.version("release"), wheels);
    state(torch, process, *env, wheels);
    const auto core = join(torch.get("path"), "lib/libtorch_cuda.so");   // it opens the driver by name
    if (process.loaded().contains("libtorch_cuda.so") && !process.loaded().contains("libcuda.so.1")) missing(torch, "libcuda.so.1", core);
    for (Entity* extension : facts_.of("extension"))
      if (facts_.nearest(*extension, "torch") == &torch) this->extension(*extension, process, *env, wheels);
  }

  void libtorch(Entity& libtorch) {
    if (!libtorch.is("backend", "cuda")) return;
    Process process(machine_, search_, {});
    load_libtorch(machine_, process, libtorch.id().key);
    say_missing(libtorch, process.missing(), process.doubt());
  }

 private:
  std::string program_of(const Entity& env) const {
    for (const char* name : {"bin/python3", "bin/python"})
      if (const auto real = machine_.real(join(env.get("path"), name))) return *real;
    return {};
  }

  /// Not a copy under a name of the wheel's own, which nothing can replace.
  static bool foreign(const std::string& soname, const Process::Library& library) {
    return is_cuda_library(soname) && !is_bundled_name(soname) && !is_bundled_name(base_name(library.path));
  }

  void state(Entity& torch, const Process& process, const Entity& env, const Wheels& wheels) {
    for (const auto& [soname, library] : process.loaded())
      if (foreign(soname, library)) link(torch, soname, library, env, wheels);
    for (const auto& [soname, asker] : process.missing())
      if (is_cuda_library(soname)) missing(torch, soname, asker);
    say_missing(torch, process.missing(), process.doubt());
  }

  /// What PyTorch has loaded serves; the rest is looked for from the extension's own place.
  void extension(Entity& extension, const Process& torch, const Entity& env, const Wheels& wheels) {
    Process process(torch);
    std::map<std::string, Process::Library> before = torch.loaded();
    process.forget_missing();
    for (const auto& path : extension.items("files")) process.open(path, "import");
    for (const auto& [soname, library] : process.loaded())
      if (!before.contains(soname) && foreign(soname, library)) link(extension, soname, library, env, wheels);
    auto missing = process.missing();
    for (const auto& [soname, asker] : torch.missing()) missing.erase(soname);   // said of PyTorch itself
    say_missing(extension, missing, process.doubt());
  }

  void say_missing(Entity& consumer, const std::map<std::string, std::string>& missing, const std::string& doubt) const {
    std::vector<std::string> names;
    std::string asker = consumer.get("path");
    for (const auto& [soname, by] : missing) {
      if (!is_cuda_library(soname) || library_stem(soname) == "libcuda") continue;   // the driver's absence has findings of its own
      if (names.empty()) asker = by;
      names.push_back(soname);
    }
    if (!names.empty() && unsure().empty()) consumer.known("missing_libraries", names, seen(asker));
    else if (!names.empty()) consumer.unknown("missing_libraries", unsure());
    else if (!doubt.empty()) consumer.unknown("missing_libraries", doubt);
    else consumer.absent("missing_libraries", seen(asker));
  }

  /// Why a name that was not found may be found all the same.
  const std::string& unsure() const { return search_.doubt().empty() ? search_.variable_doubt() : search_.doubt(); }

  Entity& entity(const Entity& consumer, const std::string& soname, const std::string& asker) {
    Entity& link = facts_.at("link", consumer.id().key + " " + soname);
    link.parent(consumer.id());
    link.known("soname", soname, seen(asker)).known("asker", asker, seen(asker));
    return link;
  }

  void missing(const Entity& consumer, const std::string& soname, const std::string& asker) {
    Entity& one = entity(consumer, soname, asker);
    if (unsure().empty()) one.absent("chosen", seen(asker));
    else one.unknown("chosen", unsure());
  }

  void link(const Entity& consumer, const std::string& soname, const Process::Library& library, const Entity& env, const Wheels& wheels) {
    Entity& one = entity(consumer, soname, library.asker.empty() ? library.path : library.asker);
    const auto real = machine_.real(library.path).value_or(library.path);
    const auto& source = library.via == "LD_LIBRARY_PATH" || library.via.starts_with('/') ? library.via : library.path;
    one.known("chosen", real, seen(source)).known("via", library.via, seen(source)).known("folder", parent(library.path), seen(source));
    const auto shipped = shipped_copy(env, soname, wheels);
    if (shipped.empty()) {
      one.absent("shipped", seen(env.id().key));
      return;
    }
    one.known("shipped", shipped, seen(shipped));
    one.known("same", yes_no(real == shipped || same_size(real, shipped)), seen(real));
    versions(one, consumer, env, soname, real, shipped);
  }

  std::string shipped_copy(const Entity& env, const std::string& soname, const Wheels& wheels) const {
    if (const auto found = wheels.find(soname); found != wheels.end()) return machine_.real(found->second.front()).value_or(found->second.front());
    if (!env.is("kind", "conda")) return {};
    return machine_.real(join(env.get("path"), "lib/" + soname)).value_or("");
  }

  bool same_size(const std::string& a, const std::string& b) const {
    const auto one = machine_.info(a), other = machine_.info(b);
    return one && other && one->size == other->size && one->size > 0;
  }

  void versions(Entity& one, const Entity& consumer, const Entity& env, const std::string& soname, const std::string& real, const std::string& shipped) const {
    auto chosen = version_of_file(real), own = version_of_file(shipped);
    if (own.empty()) own = version_of_wheel(env, shipped, soname);
    // CUPTI's files count years; of the toolkit's own libraries its release tells as much.
    const bool apart = soname.starts_with("libcudnn") || soname.starts_with("libnccl");
    const Entity* toolkit = toolkit_of(facts_, real);
    const bool comparable = !chosen.empty() && !own.empty() && (Version(chosen).major() > 2000) == (Version(own).major() > 2000);
    if (!comparable && toolkit && !apart && toolkit->has("release")) chosen = toolkit->get("release"), own = consumer.version("cuda").first(2);
    if (chosen.empty()) one.unknown("chosen_version", "its file name does not tell it");
    else one.known("chosen_version", chosen, seen(real));
    if (own.empty()) one.unknown("shipped_version", "neither its file name nor its package tells it");
    else one.known("shipped_version", own, seen(shipped));
  }

  const Machine& machine_;
  Facts& facts_;
  LoaderSearch search_;
};

void run(const Machine& machine, const Scope&, Facts& facts) {
  facts.looked("link"), facts.looked("shadow");
  if (!facts.was_looked("torch"))
    for (const auto* kind : {"link", "shadow"}) facts.not_looked(kind, facts.why_not("torch"));
  if (facts.of("torch").empty() && facts.of("libtorch").empty()) return;
  Links links(machine, facts);
  for (Entity* torch : facts.of("torch")) links.torch(*torch);
  for (Entity* libtorch : facts.of("libtorch")) links.libtorch(*libtorch);
}

}  // namespace

/// What the loader takes for the CUDA libraries of PyTorch, LibTorch and native extensions.
/// Reads the headers of those libraries, ld.so.cache and ld.so.conf; of the folders on their search paths whether they hold
/// a name.
const Probe links = {
    .name = "links",
    .need = Need::files,
    .reads = {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d/*", "$LOADER/lib*.so*", "$ENV/lib*/python3*/*-packages/torch/lib/*.so*",
              "$ENV/lib*/python3*/*-packages/nvidia/*/lib/*.so*", "$ENV/lib/lib*.so*", "/proc/cpuinfo"},
    .run = run,
};

}  // namespace gpudoctor
