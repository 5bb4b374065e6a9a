// SPDX-License-Identifier: Apache-2.0
// The NVIDIA kernel module that is loaded now, and its device nodes. Asks nobody.
#include "nvidia_module.hpp"

#include <algorithm>

#include "all.hpp"
#include "device_access.hpp"
#include "files.hpp"
#include "text.hpp"

namespace gpudoctor {

LoadedModule parse_nvrm_version(std::string_view text) {
  LoadedModule result;
  for (const auto line : lines(text)) {
    if (!line.starts_with("NVRM version:")) continue;
    result.flavour = contains(line, "Open Kernel Module") ? "open"
                     : contains(line, "Kernel Module")    ? "proprietary"
                                                          : "";
    // The version is the first word after the product that is one; a Jetson Thor prints "TempVersion" there,
    // and what follows (a date, a release number) must not be taken for it.
    const auto product = line.find("Kernel Module");
    for (const auto word : words(line.substr(product == std::string_view::npos ? 13 : product + 13))) {
      if (word == "for" || word == "x86_64" || word == "aarch64") continue;
      if (Version version{std::string(word)}; version.valid() && version.parts().size() >= 2) result.version = word;
      break;
    }
    break;
  }
  return result;
}

bool lists_module(std::string_view modules, std::string_view name) {
  for (const auto line : lines(modules))
    if (line.starts_with(name) && line.substr(name.size()).starts_with(' ')) return true;
  return false;
}

namespace {

void loaded(const Machine& machine, Entity& driver) {
  const std::string proc = "/proc/driver/nvidia/version", sys = "/sys/module/nvidia/version";
  const auto text = machine.read(proc, 1 << 16);
  const auto number = first_line(machine, sys);
  const auto told = text ? parse_nvrm_version(*text) : LoadedModule{};
  if (!told.flavour.empty()) driver.known("flavour", told.flavour, seen(proc, 1));
  if (!told.version.empty()) driver.known("loaded", told.version, seen(proc, 1));
  if (number && Version(*number).valid()) driver.known("loaded", *number, seen(sys));
  if (driver.has("loaded")) return;
  // Both files absent, and no folder of the module: it is not loaded. All else is not known.
  if (text)
    driver.unknown("loaded", proc + " gives no version: " + printable(trim(text->substr(0, text->find('\n')))));
  else if (!text.is_absent())
    driver.missed("loaded", text.miss(), proc);
  else if (!number && !number.is_absent())
    driver.missed("loaded", number.miss(), sys);
  else if (exists(machine, "/sys/module/nvidia"))
    driver.unknown("loaded", "the module is loaded and tells no version");
  else
    driver.absent("loaded", seen(proc));
}

/// A module is loaded when /sys/module or /proc/modules has it; where neither can be read, it is not known.
void other_module(const Machine& machine, const Result<std::string>& modules, const char* fact, const std::string& name,
                  Entity& driver) {
  const auto folder = "/sys/module/" + name;
  if (exists(machine, folder))
    driver.known(fact, "yes", seen(folder));
  else if (modules)
    driver.known(fact, yes_no(lists_module(*modules, name)), seen("/proc/modules"));
  else if (is_folder(machine, "/sys/module"))
    driver.known(fact, "no", seen(folder));
  else
    driver.unknown(fact, "neither /sys/module nor /proc/modules can be read");
}

/// The nodes that a program on the GPU opens; others (NVSwitch, capabilities) are for services.
bool for_programs(std::string_view name) {
  name.remove_prefix(6);
  return name == "ctl" || name == "-uvm" || (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos);
}

/// The name of the group that may open what this user may not; where it is root's, or no group may, there is none to join.
void nodes_group(const Machine& machine, const Info& node, Entity& driver) {
  const std::string source = "/etc/group";
  if (node.group == 0 || (node.mode >> 3 & 6) != 6) return void(driver.absent("nodes_group", seen("/dev")));
  const auto name = group_name(machine, node.group);
  name.empty() ? driver.unknown("nodes_group", source + " does not tell the group " + std::to_string(node.group)) : driver.known("nodes_group", name, seen(source));
}

void nodes(const Machine& machine, Entity& driver) {
  const auto entries = machine.list("/dev");
  if (!entries) {
    driver.missed("nodes", entries.miss(), "/dev").missed("nodes_refused", entries.miss(), "/dev");
    return;
  }
  std::vector<std::string> found, refused;
  std::string doubt;
  const auto mine = own_groups(machine);
  for (const auto& entry : *entries) {
    if (!entry.name.starts_with("nvidia") || entry.kind == Kind::folder) continue;
    const auto path = join("/dev", entry.name);
    found.push_back(path);
    const auto info = machine.info(path);
    if (!info || info->kind != Kind::character || !for_programs(entry.name)) continue;
    const auto may = may_open(machine, *info, mine);
    if (!may) doubt = path;   // its group may open it: are we in it?
    if (may.value_or(true)) continue;
    refused.push_back(path);
    if (refused.size() == 1) nodes_group(machine, *info, driver);
  }
  std::sort(found.begin(), found.end(), natural_less);
  if (found.empty())
    driver.absent("nodes", seen("/dev"));
  else
    driver.known("nodes", found, seen("/dev"));
  if (!refused.empty())
    driver.known("nodes_refused", refused, seen("/dev"));
  else if (!doubt.empty())
    driver.unknown("nodes_refused", doubt + " is for a group, and the caller's groups are not known");
  else
    driver.absent("nodes_refused", seen("/dev"));
}

/// It makes nodes and loads modules for ordinary users, so it must be set-user-id to be of use.
void modprobe_helper(const Machine& machine, Entity& driver) {
  const std::string path = "/usr/bin/nvidia-modprobe";
  const auto info = machine.info(path);
  if (info)
    driver.known("modprobe_helper", yes_no(info->kind == Kind::file && (info->mode & 04000) != 0 && info->owner == 0),
                 seen(path));
  else if (info.is_absent())
    driver.known("modprobe_helper", "no", seen(path));
  else
    driver.unknown("modprobe_helper", path + ": " + info.miss().says);
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& driver = facts.at("driver");
  modprobe_helper(machine, driver);
  if (machine.running()) {
    loaded(machine, driver);
    const auto modules = machine.read("/proc/modules");
    other_module(machine, modules, "uvm", "nvidia_uvm", driver);
    other_module(machine, modules, "nouveau", "nouveau", driver);
    nodes(machine, driver);
  } else {
    all_unknown(driver, {"loaded", "uvm", "nouveau", "nodes", "nodes_refused"}, not_running);
  }
  if (driver.has("flavour")) return;
  if (const Fact* disk = driver.find("on_disk_flavour"); disk && disk->known())
    driver.known("flavour", disk->text, {disk->witnesses.front().rank, disk->witnesses.front().source, 0, {}});
  else if (const Fact* module = driver.find("loaded");
           module && module->state == State::absent && disk && disk->state == State::absent)
    driver.absent("flavour", seen("/proc/driver/nvidia/version"));
  else
    driver.unknown("flavour", "neither a loaded module nor one on disk tells it");
}

}  // namespace

const Probe nvidia_module = {
    .name = "nvidia-module",
    .need = Need::running_system,
    .reads = {"/proc/driver/nvidia/version", "/sys/module", "/sys/module/nvidia", "/sys/module/nvidia/version",
              "/sys/module/nvidia_uvm", "/sys/module/nouveau", "/proc/modules", "/proc/self/status", "/etc/group", "/dev",
              "/dev/nvidia*", "/usr/bin/nvidia-modprobe"},
    .run = run,
};

}  // namespace gpudoctor
