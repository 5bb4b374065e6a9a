// SPDX-License-Identifier: Apache-2.0
// The C++ compiler that nvcc would call: NVCC_CCBIN, else the one in nvcc's own folder, else gcc on PATH. Not run: its
// version is in its name (Debian's gcc-13), else in the name of its folder of libraries.
#include "host_compiler.hpp"

#include <algorithm>

#include "all.hpp"
#include "files.hpp"
#include "host.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string gcc_of_program(std::string_view name) {
  for (const std::string_view compiler : {"gcc-", "g++-"}) {
    const auto at = name.rfind(compiler);
    if (at == std::string_view::npos || (at > 0 && name[at - 1] != '-')) continue;
    const std::string version(name.substr(at + compiler.size()));
    if (Version(version).valid()) return version;
  }
  return {};
}

std::vector<std::string> wrapped_compilers(std::string_view script) {
  std::vector<std::string> result;
  if (!script.starts_with("#!")) return result;
  for (const auto line : lines(script)) {
    const auto at = line.find("g++-"), end = line.find(" --version");
    if (at == std::string_view::npos || end == std::string_view::npos || end < at) continue;
    const std::string name(line.substr(at, end - at));
    if (!gcc_of_program(name).empty() && std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  }
  return result;
}

namespace {

bool is_gcc(std::string_view name) {
  return name == "gcc" || name == "g++" || name == "c++" || name == "cc" || name.ends_with("-gcc") ||
         name.ends_with("-g++") || name.ends_with("-c++") || !gcc_of_program(name).empty();
}

/// Debian's nvcc calls a script that takes the first g++ of a list that is there.
Result<std::string> version_of_wrapper(const Machine& machine, const std::string& script, std::string& source) {
  const auto text = machine.read(script, 1 << 16);
  if (!text) return text.miss();
  for (const auto& name : wrapped_compilers(*text))
    if (exists(machine, "/usr/bin/" + name)) {
      source = "/usr/bin/" + name;
      return name.substr(name.rfind('-') + 1);
    }
  return Miss{Why::malformed, script + " names no g++ that is there"};
}

/// <prefix>/lib/gcc/<target>/<version>; of several versions below one prefix it is not known which one is meant.
Result<std::string> version_below(const Machine& machine, const std::string& prefix) {
  std::vector<std::string> found;
  for (const auto* lib : {"/lib/gcc", "/lib64/gcc"})
    for (const auto& folder : glob(machine, prefix + lib + "/*/*"))
      if (const auto version = base_name(folder);
          Version(version).valid() && std::find(found.begin(), found.end(), version) == found.end())
        found.push_back(version);
  if (found.size() == 1) return found.front();
  return Miss{Why::malformed, found.empty() ? "its name does not tell its version" : "several gcc are below " + prefix};
}

/// Empty where this is no gcc (ccache and clang stand in its place).
Result<std::string> version_of(const Machine& machine, const std::string& program, std::string& source) {
  const auto real = machine.real(program);
  if (!real) return real.miss();
  source = *real;
  const auto name = base_name(*real);
  if (!is_gcc(name)) return std::string();
  if (auto version = gcc_of_program(name); !version.empty()) return version;
  if (contains(*real, "/nvidia-cuda-toolkit/")) return version_of_wrapper(machine, *real, source);
  auto version = version_below(machine, parent(parent(*real)));
  return version ? version : Result<std::string>(Miss{version.miss().why, *real + ": " + version.miss().says});
}

/// The folder of the nvcc that a build takes.
std::string nvcc_folder(const Machine& machine, const Entity& host) {
  if (host.has("cuda_home")) return join(host.get("cuda_home"), "bin");
  if (host.has("path_nvcc")) {
    const auto nvcc = machine.real(host.get("path_nvcc")).value_or(host.get("path_nvcc"));
    const std::string debian = "/usr/lib/nvidia-cuda-toolkit/bin";   // its /usr/bin/nvcc is a script that starts this one
    return nvcc == "/usr/bin/nvcc" && exists(machine, debian + "/nvcc") ? debian : parent(nvcc);
  }
  return "/usr/local/cuda/bin";
}

std::vector<std::string> candidates(const Machine& machine, const Entity& host) {
  std::vector<std::string> result;
  if (const auto named = machine.variable("NVCC_CCBIN"); named && !named->empty()) {
    if (!named->starts_with('/')) {
      if (const auto program = find_on_path(machine, *named)) result.push_back(*program);
    } else if (is_folder(machine, *named)) {
      result.push_back(join(*named, "gcc"));
    } else {
      result.push_back(*named);
    }
    return result;
  }
  const auto folder = nvcc_folder(machine, host);
  for (const auto* name : {"gcc", "x86_64-conda-linux-gnu-gcc", "aarch64-conda-linux-gnu-gcc"})
    if (exists(machine, join(folder, name))) result.push_back(join(folder, name));
  const auto path = machine.variable("PATH").value_or("/usr/bin");
  for (const auto place : split(path, ':'))
    if (place.starts_with('/') && exists(machine, join(place, "gcc"))) result.push_back(join(place, "gcc"));
  return result;
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& host = facts.at("host");
  for (const auto& program : candidates(machine, host)) {
    std::string source;
    const auto version = version_of(machine, program, source);
    if (version && version->empty()) continue;
    if (version)
      host.known("gcc", printable(*version), seen(source));
    else
      host.unknown("gcc", version.miss().says);
    return;
  }
  host.absent("gcc", seen("PATH"));
}

}  // namespace

const Probe host_compiler = {
    .name = "host-compiler",
    .need = Need::files,
    .reads = {"$PATH/gcc", "/usr/bin/*gcc*", "/usr/bin/g++-*", "/usr/lib/gcc/*/*", "/usr/lib64/gcc/*/*", "/usr/local/cuda*/bin/gcc",
              "/usr/lib/nvidia-cuda-toolkit/bin/gcc", "/opt/cuda/bin/gcc", "$CUDA_HOME/bin/*gcc",
              "$ENV/bin/*-conda-linux-gnu-gcc", "$ENV/lib/gcc/*/*"},
    .run = run,
};

}  // namespace gpudoctor
