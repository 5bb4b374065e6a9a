// SPDX-License-Identifier: Apache-2.0
// Whether this is a container, whose, and whether a GPU was passed into it.
#include "container.hpp"

#include "all.hpp"
#include "files.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string engine_of_cgroup(std::string_view text) {
  if (contains(text, "kubepods")) return "kubernetes";
  if (contains(text, "libpod")) return "podman";
  if (contains(text, "docker")) return "docker";
  if (contains(text, "/lxc") || contains(text, ":lxc")) return "lxc";
  return {};
}

std::string engine_of_mounts(std::string_view mountinfo) {
  for (const auto line : lines(mountinfo)) {
    const auto parts = words(line);  // id parent device root mount-point …
    if (parts.size() < 5) continue;
    if (parts[4] == "/etc/hostname" || parts[4] == "/etc/resolv.conf" || parts[4] == "/etc/hosts") {
      if (contains(parts[3], "/kubelet/")) return "kubernetes";
      if (contains(parts[3], "/docker/containers/")) return "docker";
      if (contains(parts[3], "/containers/storage/") || contains(parts[3], "/overlay-containers/")) return "podman";
    }
  }
  return {};
}

namespace {

struct Inside {
  std::string engine, source;  // engine is empty outside
};

Inside inside(const Machine& machine) {
  if (const auto kubernetes = machine.variable("KUBERNETES_SERVICE_HOST"))
    return {"kubernetes", "KUBERNETES_SERVICE_HOST"};
  const std::string cgroup = "/proc/1/cgroup", mounts = "/proc/self/mountinfo";
  std::string engine = engine_of_cgroup(machine.read(cgroup, 1 << 16).value_or(""));
  if (engine == "kubernetes") return {engine, cgroup};
  if (exists(machine, "/run/.containerenv")) return {"podman", "/run/.containerenv"};
  if (exists(machine, "/.dockerenv")) return {"docker", "/.dockerenv"};
  if (!engine.empty()) return {engine, cgroup};
  engine = engine_of_mounts(machine.read(mounts).value_or(""));
  if (!engine.empty()) return {engine, mounts};
  if (const auto mark = machine.variable("container");
      mark && !mark->empty())  // systemd-nspawn, lxc, podman, Singularity
    return {*mark == "lxc" || *mark == "podman" || *mark == "docker" ? *mark : "unknown", "container"};
  if (exists(machine, "/singularity") || exists(machine, "/.singularity.d")) return {"unknown", "/.singularity.d"};
  return {};
}

void nodes(const Machine& machine, Entity& container) {
  for (const auto* pattern :
       {"/dev/nvidia?", "/dev/nvidia??", "/dev/nvidiactl", "/dev/dxg", "/dev/kfd", "/dev/dri/renderD*"})
    for (const auto& path : glob(machine, pattern))
      if (!is_folder(machine, path)) return void(container.known("gpu_nodes", "yes", seen(path)));
  const auto dev = machine.list("/dev");
  if (!dev && !dev.is_absent())
    container.unknown("gpu_nodes", "/dev: " + dev.miss().says);
  else
    container.known("gpu_nodes", "no", seen("/dev"));
}

void variable(const Machine& machine, const char* name, const char* fact, Entity& container) {
  const auto value = machine.variable(name);
  if (value)
    container.known(fact, printable(*value), seen(name));  // empty is a value: it hides every GPU
  else
    container.missed(fact, value.miss(), name);
}

/// An unpacked image, by what engines and NVIDIA's base images leave in it; empty for any other root.
std::string image_mark(const Machine& machine) {
  for (const auto* mark : {"/.dockerenv", "/run/.containerenv", "/.singularity.d", "/NGC-DL-CONTAINER-LICENSE", "/opt/nvidia/nvidia_entrypoint.sh"})
    if (exists(machine, mark)) return mark;
  return {};
}

/// Outside of a container this is said only where its marks could be looked for.
std::string cannot_tell(const Machine& machine) {
  const auto cgroup = machine.read("/proc/1/cgroup", 1 << 16), mounts = machine.read("/proc/self/mountinfo");
  return cgroup || mounts ? std::string() : "/proc tells nothing: " + cgroup.miss().says;
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& container = facts.at("container");
  if (!machine.running()) {
    if (const auto mark = image_mark(machine); !mark.empty()) container.known("inside", "yes", seen(mark)).known("engine", "image", seen(mark));
    all_unknown(container, {"inside", "gpu_nodes", "host_gpus"}, not_running);
  } else if (const auto found = inside(machine); found.engine.empty()) {
    if (const auto why = cannot_tell(machine); !why.empty()) all_unknown(container, {"inside", "engine"}, why);
    else container.known("inside", "no", seen("/proc/1/cgroup")).absent("engine", seen("/proc/1/cgroup"));
    container.absent("host_gpus", seen("/proc/1/cgroup"));
  } else {
    container.known("inside", "yes", seen(found.source)).known("engine", found.engine, seen(found.source));
  }
  if (machine.running()) nodes(machine, container);
  if (container.is("inside", "yes")) {   // engines give their short id as host name, Kubernetes the name of the pod
    const auto name = first_line(machine, "/etc/hostname");
    if (name && !name->empty()) container.known("id", *name, seen("/etc/hostname"));
    else container.missed("id", name ? Miss{Why::absent, "empty"} : name.miss(), "/etc/hostname");
  }
  const auto ngc = machine.variable("NVIDIA_PYTORCH_VERSION");
  if (ngc && !ngc->empty())
    container.known("image", "ngc", seen("NVIDIA_PYTORCH_VERSION"));
  else if (exists(machine, "/opt/nvidia/nvidia_entrypoint.sh") &&
           is_folder(machine, "/opt/pytorch"))  // the CUDA images have only the former
    container.known("image", "ngc", seen("/opt/pytorch"));
  else if (ngc)
    container.absent("image", seen("NVIDIA_PYTORCH_VERSION"));
  else
    container.missed("image", ngc.miss(), "NVIDIA_PYTORCH_VERSION");
  variable(machine, "NVIDIA_VISIBLE_DEVICES", "nvidia_visible", container);
  variable(machine, "NVIDIA_REQUIRE_CUDA", "require", container);
}

}  // namespace

const Probe container = {
    .name = "container",
    .need = Need::files,
    .reads = {"/proc/1/cgroup", "/proc/self/mountinfo", "/etc/hostname", "/.dockerenv", "/run/.containerenv", "/.singularity.d", "/NGC-DL-CONTAINER-LICENSE",
              "/singularity", "/opt/nvidia/nvidia_entrypoint.sh", "/opt/pytorch", "/dev", "/dev/nvidia*", "/dev/dxg",
              "/dev/kfd", "/dev/dri/renderD*"},
    .run = run,
};

}  // namespace gpudoctor
