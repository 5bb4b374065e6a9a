// SPDX-License-Identifier: Apache-2.0
// AMD's compute stack outside PyTorch: the ROCm that is installed, the amdgpu module, /dev/kfd and who may open it.
#include "rocm.hpp"

#include <algorithm>

#include "all.hpp"
#include "device_access.hpp"
#include "files.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string rocm_release(std::string_view text) {
  const auto line = trim(text.substr(0, text.find('\n')));
  const auto version = find_version(line);
  return version.empty() || !line.starts_with(version) ? std::string() : Version(version).first(3);
}

namespace {

/// /opt/rocm is a link to the default one; AMD's newer layout keeps each release in /opt/rocm/core-X.Y.
void installed(const Machine& machine, Entity& rocm) {
  for (const auto* pattern : {"/opt/rocm/.info/version", "/opt/rocm/core*/.info/version", "/opt/rocm-*/.info/version"})
    for (const auto& path : glob(machine, pattern)) {
      const auto text = machine.read(path, 4096);
      if (!text) return void(rocm.missed("version", text.miss(), path));
      if (const auto release = rocm_release(*text); !release.empty())
        return void(rocm.known("version", release, seen(path)).known("root", parent(parent(path)), seen(path)));
      return void(rocm.unknown("version", path + ": not in the expected form"));
    }
  rocm.absent("version", seen("/opt/rocm")).absent("root", seen("/opt/rocm"));
}

void module(const Machine& machine, Entity& rocm) {
  rocm.known("amdgpu", yes_no(exists(machine, "/sys/module/amdgpu")), seen("/sys/module/amdgpu"));
  // Only AMD's own package gives its module a version; the kernel's has none.
  const std::string path = "/sys/module/amdgpu/version";
  const auto version = first_line(machine, path);
  if (version && Version(*version).valid()) rocm.known("driver", *version, seen(path));
  else if (version) rocm.unknown("driver", path + ": not in the expected form");
  else rocm.missed("driver", version.miss(), path);
}

void nodes(const Machine& machine, Entity& rocm) {
  const auto kfd = machine.info("/dev/kfd");
  if (!kfd && !kfd.is_absent()) return void(rocm.unknown("kfd", "/dev/kfd: " + kfd.miss().says));
  rocm.known("kfd", yes_no(static_cast<bool>(kfd)), seen("/dev/kfd"));
  auto paths = glob(machine, "/dev/dri/renderD*");
  if (kfd) paths.insert(paths.begin(), "/dev/kfd");
  const auto groups = own_groups(machine);
  std::vector<std::string> refused, names;
  for (const auto& path : paths) {
    const auto info = machine.info(path);
    if (!info || info->kind != Kind::character) continue;
    const auto may = may_open(machine, *info, groups);
    if (!may) return void(rocm.unknown("refused", path + " is for a group, and the caller's groups are not known"));
    if (*may) continue;
    refused.push_back(path);
    if (const auto name = group_name(machine, info->group); !name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (refused.empty()) return void(rocm.absent("refused", seen("/dev/kfd")).absent("groups", seen("/dev/kfd")));
  rocm.known("refused", refused, seen("/dev"));
  if (names.empty()) rocm.unknown("groups", "/etc/group does not name the group of " + refused.front());
  else rocm.known("groups", names, seen("/etc/group"));
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& rocm = facts.at("rocm");
  installed(machine, rocm);
  if (!machine.running()) return all_unknown(rocm, {"amdgpu", "driver", "kfd", "refused", "groups", "override"}, not_running);
  module(machine, rocm);
  nodes(machine, rocm);
  const auto value = machine.variable("HSA_OVERRIDE_GFX_VERSION");
  if (value && !value->empty()) rocm.known("override", printable(*value), seen("HSA_OVERRIDE_GFX_VERSION"));
  else if (value) rocm.absent("override", seen("HSA_OVERRIDE_GFX_VERSION"));
  else rocm.missed("override", value.miss(), "HSA_OVERRIDE_GFX_VERSION");
}

}  // namespace

const Probe rocm = {
    .name = "rocm",
    .need = Need::files,
    .reads = {"/opt/rocm/.info/version", "/opt/rocm/core*/.info/version", "/opt/rocm-*/.info/version", "/sys/module/amdgpu",
              "/sys/module/amdgpu/version", "/dev/kfd", "/dev/dri/renderD*", "/proc/self/status", "/etc/group"},
    .run = run,
};

}  // namespace gpudoctor
