// SPDX-License-Identifier: Apache-2.0
// The Fabric Manager, which sets up the NVSwitches of an HGX or DGX board: is it installed, enabled, running. By files
// only; the service manager is not asked.
#include <algorithm>
#include <array>

#include "all.hpp"
#include "files.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr const char* unit = "nvidia-fabricmanager.service";

/// A started service has a control group, and this one writes its process id.
constexpr std::array running_marks{"/run/nvidia-fabricmanager/nv-fabricmanager.pid", "/sys/fs/cgroup/system.slice/nvidia-fabricmanager.service",
                                   "/sys/fs/cgroup/systemd/system.slice/nvidia-fabricmanager.service"};

void service(const Machine& machine, Entity& fabric) {
  std::string file;
  for (const auto* folder : {"/etc/systemd/system/", "/usr/lib/systemd/system/", "/lib/systemd/system/"})
    if (file.empty() && exists(machine, std::string(folder) + unit)) file = std::string(folder) + unit;
  if (file.empty()) return void(fabric.absent("service", seen(std::string("/usr/lib/systemd/system/") + unit)));
  if (machine.running()) {
    for (const auto* mark : running_marks)
      if (exists(machine, mark)) return void(fabric.known("service", "running", seen(mark)));
    const auto slice = machine.info("/sys/fs/cgroup");
    if (!slice && !slice.is_absent()) return void(fabric.unknown("service", "/sys/fs/cgroup: " + slice.miss().says));
  }
  const auto wanted = glob(machine, std::string("/etc/systemd/system/*.wants/") + unit);
  fabric.known("service", wanted.empty() ? "disabled" : "enabled", seen(wanted.empty() ? file : wanted.front()));
}

/// "nvidia-fabricmanager-535", "nvidia-fabricmanager", "cuda-drivers-fabricmanager" brings the former.
void manager(const Machine& machine, const Facts& facts, Entity& fabric) {
  for (const Entity* package : facts.of("package")) {
    const auto& name = package->id().key;
    if (!name.starts_with("nvidia-fabricmanager") && !name.starts_with("nvidia-fabric-manager")) continue;
    if (contains(name, "-dev")) continue;
    if (!package->is("state", "installed")) continue;
    const auto full = package->get("version");
    const auto version = find_version(full.substr(full.find(':') == std::string::npos ? 0 : full.find(':') + 1));
    if (!version.empty()) return void(fabric.known("manager", version, package->find("version")->witnesses.front()));
  }
  const std::string program = "/usr/bin/nv-fabricmanager";
  if (exists(machine, program)) fabric.unknown("manager", facts.was_looked("package") ? program + " does not tell its version" : facts.why_not("package"));
  else fabric.absent("manager", seen(program));
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& fabric = facts.at("fabric");
  manager(machine, facts, fabric);
  service(machine, fabric);
}

}  // namespace

const Probe fabric = {
    .name = "fabric",
    .need = Need::files,
    .reads = {"/usr/bin/nv-fabricmanager", "/etc/systemd/system/nvidia-fabricmanager.service", "/usr/lib/systemd/system/nvidia-fabricmanager.service",
              "/lib/systemd/system/nvidia-fabricmanager.service", "/etc/systemd/system", "/etc/systemd/system/*.wants/*",
              "/run/nvidia-fabricmanager/nv-fabricmanager.pid", "/sys/fs/cgroup", "/sys/fs/cgroup/system.slice/nvidia-fabricmanager.service",
              "/sys/fs/cgroup/systemd/system.slice/nvidia-fabricmanager.service"},
    .run = run,
};

}  // namespace gpudoctor
