// SPDX-License-Identifier: Apache-2.0
// cuDNN and NCCL: every copy with its version, the CUDA it was built for, its owner, and whether the loader finds it.
#include "cuda_libraries.hpp"

#include "all.hpp"
#include "files.hpp"
#include "owners.hpp"
#include "text.hpp"
#include "toolkit.hpp"
#include "toolkit_files.hpp"

namespace gpudoctor {
namespace {

/// The wheels that may have brought a copy, with the place that names them.
std::vector<std::pair<Wheel, std::string>> wheels_of(const Machine& machine, const LibraryCopy& copy) {
  std::vector<std::pair<Wheel, std::string>> result;
  if (copy.in_torch) return result;
  const auto fits = [&](const std::optional<Wheel>& wheel) {
    return wheel && wheel->name.starts_with("nvidia-" + copy.name + "-");
  };
  if (copy.env) {
    for (const auto& item : copy.env->items("packages"))
      if (auto wheel = parse_wheel(item); fits(wheel))
        result.emplace_back(*wheel, copy.env->find("packages")->witnesses.front().source);
  } else if (copy.toolkit) {
    for (const auto& path : toolkit_wheels(machine, copy.toolkit->id().key))
      if (auto wheel = parse_wheel(base_name(path)); fits(wheel)) result.emplace_back(*wheel, path);
  }
  return result;
}

void say_version(Entity& library, const std::string& version, const std::string& source) {
  if (!version.empty())
    library.known("version", Version(version).first(3), seen(source));  // wheels have a fourth part, a build
}

/// What the library itself says: NCCL in a text, cuDNN in the part that holds its version.
void ask_library(const Machine& machine, Entity& library, const std::string& path, std::string& reason) {
  if (library.is("name", "nccl")) {
    const auto answers = machine.inspect(path, Inspect::nccl_version);
    say_version(library, answer(answers, "version"), path);
    if (const auto cuda = answer(answers, "cuda"); !cuda.empty()) library.known("cuda", cuda, seen(path));
    if (!answers) reason = path + ": " + answers.miss().says;
    return;
  }
  for (const auto* part : {"libcudnn_graph.so.9", "libcudnn_ops_infer.so.8", "libcudnn.so.7"}) {
    const auto file = join(parent(path), part);
    if (std::string_view(part).substr(std::string_view(part).size() - 2) !=
        "." + Version(version_of_file_name(base_name(path))).first(1))
      continue;
    const auto answers = machine.inspect(file, Inspect::cudnn_version);
    say_version(library, answer(answers, "version"), file);
    if (!answers && reason.empty()) reason = file + ": " + answers.miss().says;
  }
}

void ask_headers(const Machine& machine, Entity& library, const LibraryCopy& copy, const std::string& path) {
  const bool cudnn = copy.name == "cudnn";
  std::vector<std::string> names{"nccl.h"};
  if (cudnn)
    names = {"cudnn_version.h", "cudnn_version_v" + Version(version_of_file_name(base_name(path))).first(1) + ".h",
             "cudnn.h"};
  for (const auto& folder : headers_of_library(parent(path)))
    for (const auto& name : names) {
      const auto macros = header_macros(machine, join(folder, name));
      const auto version = macros ? version_of_macros(*macros, cudnn ? "CUDNN" : "NCCL") : std::string();
      if (version.empty()) continue;
      say_version(library, version, join(folder, name));
      return;
    }
}

void say_owner(const Machine& machine, const Facts& facts, const Owners& owners, Entity& library,
               const LibraryCopy& copy, const std::string& path) {
  const Witness dpkg{Rank::tool, "the package data base", 0, {}};
  auto wheels = wheels_of(machine, copy);
  // Wheels of two majors lie in one folder without touching each other: libcudnn.so.8 is of the one, libcudnn.so.9 of the other.
  if (const auto number = Version(version_of_file_name(base_name(path))); number.valid())
    std::erase_if(wheels, [&](const auto& one) { return Version(one.first.version).major() != number.major(); });
  for (const auto& [wheel, source] : wheels) {
    say_version(library, wheel.version, source);
    if (wheels.size() > 1) continue;
    library.known("package", wheel.name, seen(source));
    if (const auto cuda = cuda_of_package(wheel.name); !cuda.empty()) library.known("cuda", cuda, seen(source));
  }
  if (wheels.size() > 1)
    library.unknown("package", "more than one wheel unpacks to it")
        .unknown("cuda", "more than one wheel unpacks to it");
  if (copy.in_torch) library.known("package", "torch", seen(parent(path)));
  if (copy.env) {
    for (const auto& item : copy.env->items("packages"))  // conda's
      if (const auto wheel = parse_wheel(item); wheel && (wheel->name == copy.name || wheel->name == "lib" + copy.name))
        library.known("package", wheel->name, seen(copy.env->find("packages")->witnesses.front().source));
    return;
  }
  const auto owner = owners.of(path);
  if (owner) {
    library.known("package", *owner, dpkg);
    const Entity* package = facts.find("package", *owner);
    auto cuda = cuda_of_package(*owner);
    if (cuda.empty() && package) cuda = cuda_of_package(package->get("version"));
    if (!cuda.empty()) library.known("cuda", cuda, dpkg);
  } else if (owners.complete()) {
    library.absent("package", dpkg);
  } else {
    library.unknown("package", owners.why());
  }
}

void say_reachable(const Facts& facts, Entity& library, const LibraryCopy& copy, const std::string& doubt) {
  const Entity* host = facts.find("host");
  const Fact* variable = host ? host->find("library_path") : nullptr;
  if (!copy.reached_by.empty())
    library.known("reachable", "yes", seen(copy.reached_by));
  else if (!doubt.empty())
    library.unknown("reachable", doubt);
  else if (!copy.env &&
           (!variable || variable->state == State::unknown))  // nobody sets it for an environment's own copy
    library.unknown("reachable", "LD_LIBRARY_PATH: " + (variable ? variable->reason : not_running));
  else
    library.known("reachable", "no", seen("/etc/ld.so.conf"));
}

/// Debian's nvidia-cudnn holds a script that fetches the library, and asks first: without consent there is none.
void say_empty_package(const Facts& facts, const std::map<std::string, LibraryCopy>& copies, Facts& to) {
  const Entity* package = facts.find("package", "nvidia-cudnn");
  if (!package || !package->is("state", "installed")) return;
  for (const auto& [path, copy] : copies)
    if (copy.name == "cudnn" && !copy.env && !copy.toolkit && !copy.reached_by.empty()) return;
  const Witness status{Rank::tool, "/var/lib/dpkg/status", 0, {}};
  Entity& library = to.at("library", "dpkg:nvidia-cudnn");
  library.known("name", "cudnn", status).known("package", "nvidia-cudnn", status).known("empty", "yes", status);
  library.known("place", "system", status).known("reachable", "no", status);
  for (const auto* fact : {"version", "cuda", "path"}) library.absent(fact, status);
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  std::string doubt;
  const auto copies = find_library_copies(machine, facts, doubt);
  const Owners owners(machine, facts, {"libcudnn*", "cudnn*", "libnccl*", "nccl*"});
  for (const auto& [path, copy] : copies) {
    Entity& library = facts.at("library", path);
    library.known("name", copy.name, seen(path)).known("path", path, seen(path)).known("empty", "no", seen(path));
    library.known("place",
                  copy.in_torch  ? "torch"
                  : copy.env     ? "env"
                  : copy.toolkit ? "toolkit"
                                 : "system",
                  seen(path));
    if (copy.env)
      library.parent(copy.env->id());
    else if (copy.toolkit)
      library.parent(copy.toolkit->id());
    std::string reason;
    if (const auto version = version_of_file_name(base_name(path)); Version(version).parts().size() >= 3)
      say_version(library, version, path);
    if (copy.name == "nccl" || !library.has("version"))
      ask_library(machine, library, path, reason);  // NCCL tells its CUDA too
    if (!library.has("version")) ask_headers(machine, library, copy, path);
    say_owner(machine, facts, owners, library, copy, path);
    library.unknown("version", reason.empty() ? "neither its name nor a header beside it tells" : reason);
    library.unknown("cuda", "the library does not say for which CUDA it was built")
        .unknown("package", "no package data base was asked");
    say_reachable(facts, library, copy, doubt);
  }
  say_empty_package(facts, copies, facts);
  if (doubt.empty() && (facts.was_looked("env") || !facts.of("env").empty()))
    facts.looked("library");
  else
    facts.not_looked("library", !doubt.empty() ? doubt : facts.why_not("env"));
}

}  // namespace

const Probe cuda_libraries = {
    .name = "cuda-libraries",
    .need = Need::files,
    .reads = {"/etc/ld.so.conf",
              "/etc/ld.so.conf.d/*",
              "/lib*/libcudnn*.so*",
              "/lib*/libnccl.so*",
              "/usr/lib*/libcudnn*.so*",
              "/usr/lib*/libnccl.so*",
              "/usr/lib/*/libcudnn*.so*",
              "/usr/lib/*/libnccl.so*",
              "/usr/local/lib*/libcudnn*.so*",
              "/usr/local/lib*/libnccl.so*",
              "/usr/local/cuda*/lib*/libcudnn*.so*",
              "/usr/local/cuda*/lib*/libnccl.so*",
              "/usr/local/cuda*/targets/*/lib/libcudnn*.so*",
              "/usr/local/cuda*/targets/*/lib/libnccl.so*",
              "/usr/include/*/cudnn*.h",
              "/usr/include/cudnn*.h",
              "/usr/include/nccl.h",
              "/usr/local/include/cudnn*.h",
              "/usr/local/cuda*/include/cudnn*.h",
              "/usr/local/cuda*/include/nccl.h",
              "/usr/local/cuda*/dist-info",
              "/var/lib/dpkg/info/*.list",
              "$ENV/lib/libcudnn*.so*",
              "$ENV/lib/libnccl.so*",
              "$ENV/include/cudnn*.h",
              "$ENV/include/nccl.h",
              "$ENV/lib/python*/*-packages/nvidia/*/lib/*",
              "$ENV/lib/python*/*-packages/nvidia/*/include/*",
              "$ENV/lib/python*/*-packages/torch/lib/libcudnn*.so*",
              "$ENV/lib/python*/*-packages/torch/lib/libnccl.so*",
              "$LD_LIBRARY_PATH/*"},
    .run = run,
};

}  // namespace gpudoctor
