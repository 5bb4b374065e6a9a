// SPDX-License-Identifier: Apache-2.0
// On a host: the container engines that are there, NVIDIA's Container Toolkit, and whether the engines know it. Their
// configuration is read; nobody is asked.
#include "container_engines.hpp"

#include <algorithm>

#include "all.hpp"
#include "files.hpp"
#include "gpudoctor/node.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

void take(const Node& runtimes, Runtimes& into) {
  for (const auto& [name, value] : runtimes.fields) {
    into.names.push_back(printable(name));
    if (!contains(name, "nvidia")) continue;
    const Node* options = value.find("options");
    for (const auto& program : {value.get("path"), options ? options->get("BinaryName") : std::string()})
      if (!program.empty()) into.programs.push_back(printable(program));
  }
}

/// A table by its path, whatever stands between: plugins."io.containerd.grpc.v1.cri".containerd.
const Node* below(const Node* node, std::initializer_list<std::string_view> keys) {
  for (const auto key : keys) node = node ? node->find(key) : nullptr;
  return node;
}

}  // namespace

Runtimes docker_runtimes(std::string_view json, const std::string& name) {
  const Node document = parse_json(json, name);
  Runtimes result;
  result.standard = printable(document.get("default-runtime"));
  if (const Node* runtimes = document.find("runtimes")) take(*runtimes, result);
  return result;
}

Runtimes containerd_runtimes(std::string_view toml, const std::string& name) {
  const Node document = parse_toml(toml, name);
  Runtimes result;
  for (const auto& path : document.list("imports")) result.imports.push_back(printable(path));
  for (const Node* cri : {below(&document, {"plugins", "io.containerd.grpc.v1.cri", "containerd"}),
                          below(&document, {"plugins", "io.containerd.cri.v1.runtime", "containerd"}), below(&document, {"plugins", "cri", "containerd"})}) {
    if (!cri) continue;
    if (const auto standard = cri->get("default_runtime_name"); !standard.empty()) result.standard = printable(standard);
    if (const Node* runtimes = cri->find("runtimes")) take(*runtimes, result);
  }
  return result;
}

namespace {

std::string first_of(const Machine& machine, std::initializer_list<const char*> paths) {
  for (const auto* path : paths)
    if (exists(machine, path)) return path;
  return {};
}

void flag(Entity& engines, const char* fact, const std::string& path, const char* otherwise) {
  engines.known(fact, yes_no(!path.empty()), seen(path.empty() ? otherwise : path));
}

void list(Entity& engines, const char* fact, std::vector<std::string> items, const std::string& source) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
  if (items.empty()) engines.absent(fact, seen(source));
  else engines.known(fact, std::move(items), seen(source));
}

/// A runtime that is named and whose program is not there: the engine cannot start a container with it.
void programs(const Machine& machine, Entity& engines, const std::vector<std::string>& named, const std::string& source) {
  for (const auto& program : named) {
    const bool there = program.starts_with('/') ? exists(machine, program) : !first_of(machine, {("/usr/bin/" + program).c_str(), ("/usr/local/bin/" + program).c_str(), ("/usr/sbin/" + program).c_str()}).empty();
    if (!there) return void(engines.known("runtime_missing", program, seen(source)));
  }
}

/// Canonical's snap has its own daemon.json, and NVIDIA's Container Toolkit inside (docker-snap README, "NVIDIA support").
constexpr const char* snap_program = "/snap/bin/docker";

void docker(const Machine& machine, Entity& engines) {
  const auto program = first_of(machine, {"/usr/bin/dockerd", "/usr/local/bin/dockerd", "/usr/bin/docker", snap_program});
  flag(engines, "docker", program, "/usr/bin/dockerd");
  const std::string path = program == snap_program ? "/var/snap/docker/current/config/daemon.json" : "/etc/docker/daemon.json";
  const auto text = machine.read(path);
  if (!text) return void(engines.missed("docker_runtimes", text.miss(), path).missed("docker_default", text.miss(), path));
  try {
    const auto runtimes = docker_runtimes(*text, path);
    list(engines, "docker_runtimes", runtimes.names, path);
    if (runtimes.standard.empty()) engines.absent("docker_default", seen(path));
    else engines.known("docker_default", runtimes.standard, seen(path));
    programs(machine, engines, runtimes.programs, path);
  } catch (const BadDocument& error) {
    engines.unknown("docker_runtimes", printable(error.what())).unknown("docker_default", printable(error.what()));
  }
}

/// k3s and RKE2 keep a containerd of their own, and write its configuration themselves.
void containerd(const Machine& machine, Entity& engines) {
  std::vector<std::string> files = glob(machine, "/var/lib/rancher/*/agent/etc/containerd/config.toml");
  files.insert(files.begin(), "/etc/containerd/config.toml");
  std::vector<std::string> names;
  std::string source, standard;
  for (std::size_t i = 0; i < files.size() && i < 16; ++i) {
    const auto text = machine.read(files[i]);
    if (!text && text.is_absent()) continue;
    if (!text) return void(engines.unknown("containerd_runtimes", files[i] + ": " + text.miss().says));
    if (source.empty()) source = files[i];
    try {
      const auto runtimes = containerd_runtimes(*text, files[i]);
      names.insert(names.end(), runtimes.names.begin(), runtimes.names.end());
      if (!runtimes.standard.empty()) standard = runtimes.standard;
      programs(machine, engines, runtimes.programs, files[i]);
      for (const auto& pattern : runtimes.imports)
        for (const auto& path : glob(machine, pattern)) files.push_back(path);
    } catch (const BadDocument& error) {
      return void(engines.unknown("containerd_runtimes", printable(error.what())));
    }
  }
  const bool any = !source.empty() || !first_of(machine, {"/usr/bin/containerd", "/usr/local/bin/containerd"}).empty();
  flag(engines, "containerd", any ? (source.empty() ? "/usr/bin/containerd" : source) : "", "/usr/bin/containerd");
  list(engines, "containerd_runtimes", names, source.empty() ? "/etc/containerd/config.toml" : source);
  if (standard.empty()) engines.absent("containerd_default", seen(source.empty() ? "/etc/containerd/config.toml" : source));
  else engines.known("containerd_default", standard, seen(source));
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  const Entity* container = facts.find("container");
  if (container && container->is("inside", "yes")) return facts.not_looked("engines", "the engine is outside of this container");
  Entity& engines = facts.at("engines");
  docker(machine, engines);
  containerd(machine, engines);
  flag(engines, "podman", first_of(machine, {"/usr/bin/podman", "/usr/local/bin/podman"}), "/usr/bin/podman");
  flag(engines, "kubelet", first_of(machine, {"/var/lib/kubelet/config.yaml", "/var/lib/rancher/k3s/agent", "/var/lib/rancher/rke2/agent"}), "/var/lib/kubelet/config.yaml");
  const auto toolkit = first_of(machine, {"/usr/bin/nvidia-ctk", "/usr/bin/nvidia-container-runtime", "/usr/bin/nvidia-container-cli", "/usr/local/nvidia/toolkit/nvidia-container-runtime", "/snap/docker/current/usr/bin/nvidia-ctk"});
  flag(engines, "toolkit", toolkit, "/usr/bin/nvidia-ctk");
  std::vector<std::string> specs;
  for (const auto* pattern : {"/etc/cdi/*nvidia*", "/var/run/cdi/*nvidia*", "/run/cdi/*nvidia*", "/var/snap/docker/current/etc/cdi/*nvidia*"})
    for (const auto& path : glob(machine, pattern)) specs.push_back(path);
  list(engines, "cdi", specs, "/etc/cdi");
  if (!engines.find("runtime_missing")) engines.absent("runtime_missing", seen("/etc/docker/daemon.json"));
}

}  // namespace

const Probe container_engines = {
    .name = "container-engines",
    .need = Need::files,
    .reads = {"/usr/bin/dockerd", "/usr/local/bin/dockerd", "/usr/bin/docker", "/snap/bin/docker", "/etc/docker/daemon.json",
              "/etc/containerd/*", "/etc/containerd/conf.d/*", "/var/lib/rancher/*/agent/etc/containerd/*", "/usr/bin/containerd",
              "/usr/local/bin/containerd", "/usr/bin/podman", "/usr/local/bin/podman", "/var/lib/kubelet/config.yaml",
              "/var/lib/rancher/*/agent", "/usr/bin/nvidia-*", "/usr/local/bin/nvidia-*", "/usr/sbin/nvidia-*", "/usr/local/nvidia/toolkit/*", "/etc/cdi/*",
              "/var/run/cdi/*", "/run/cdi/*", "/snap/docker/current/usr/bin/nvidia-ctk", "/var/snap/docker/current/config/daemon.json",
              "/var/snap/docker/current/etc/cdi/*"},
    .run = run,
};

}  // namespace gpudoctor
