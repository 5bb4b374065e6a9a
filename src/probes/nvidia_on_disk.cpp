// SPDX-License-Identifier: Apache-2.0
// The NVIDIA kernel module on disk: what the next modprobe or boot would load. And why there may be none: nouveau.
#include "nvidia_on_disk.hpp"

#include <algorithm>
#include <array>

#include "all.hpp"
#include "dkms.hpp"
#include "files.hpp"
#include "text.hpp"

namespace gpudoctor {

bool is_nvidia_module(std::string_view name) {
  const auto dot = name.find(".ko");
  if (dot == std::string_view::npos) return false;
  const auto stem = name.substr(0, dot), ending = name.substr(dot + 3);
  if (!ending.empty() && ending != ".xz" && ending != ".zst" && ending != ".gz") return false;
  if (stem == "nvidia") return true;
  for (const auto part : {"uvm", "drm", "modeset", "peermem"})
    if (stem.ends_with(part)) return false;
  static constexpr std::array debian{"nvidia-current", "nvidia-legacy", "nvidia-tesla", "nvidia-open"};
  return std::any_of(debian.begin(), debian.end(), [stem](const char* start) { return stem.starts_with(start); });
}

std::string flavour_of_license(std::string_view license) {
  return license == "Dual MIT/GPL" ? "open" : license == "NVIDIA" ? "proprietary" : "";
}

bool blacklists_nouveau(std::string_view text) {
  for (const auto line : lines(text))
    if (const auto parts = words(line); parts.size() >= 2 && parts[0] == "blacklist" && parts[1] == "nouveau")
      return true;
  return false;
}

bool cmdline_blacklists_nouveau(std::string_view cmdline) {
  for (const auto word : words(cmdline))
    for (const auto* option : {"modprobe.blacklist=", "rd.driver.blacklist=", "module_blacklist="})
      if (word.starts_with(option))
        for (const auto name : split(word.substr(word.find('=') + 1), ','))
          if (name == "nouveau") return true;
  return false;
}

namespace {

/// Below /lib/modules/<kernel>, in the order in which depmod prefers them.
constexpr std::array folders{"updates/dkms",
                             "updates",
                             "updates/*",
                             "extra",
                             "extra/*",
                             "extra/drivers/video/nvidia",  // NVIDIA's precompiled kmod-nvidia
                             "video",                       // Gentoo
                             "extramodules",
                             "misc",
                             "kernel/nvidia*",
                             "kernel/drivers/video",
                             "kernel/drivers/video/nvidia",
                             "kernel/drivers/char/drm",
                             "weak-updates",
                             "weak-updates/*"};

}  // namespace

std::vector<std::string> modules_of(const Machine& machine, const std::string& kernel,
                                    std::vector<std::string>& missed) {
  std::vector<std::string> found;
  for (const auto* folder : folders)
    for (const auto& path : glob_in(machine, "/lib/modules/" + kernel, std::string(folder) + "/nvidia*.ko*", &missed))
      if (is_nvidia_module(base_name(path)) && std::find(found.begin(), found.end(), path) == found.end())
        found.push_back(path);
  return found;
}

namespace {

void module_file(const Machine& machine, const std::string& path, Entity& driver) {
  const auto answer = machine.inspect(path, Inspect::modinfo);
  if (!answer) {
    for (const auto* fact : {"on_disk", "on_disk_flavour", "signer"})
      driver.unknown(fact, path + ": " + answer.miss().says);
    return;
  }
  for (const auto& line : *answer) {
    if (line.starts_with("version=")) driver.known("on_disk", printable(line.substr(8)), seen(path));
    if (line.starts_with("license="))
      if (const auto flavour = flavour_of_license(line.substr(8)); !flavour.empty())
        driver.known("on_disk_flavour", flavour, seen(path));
    if (line.starts_with("signer=")) driver.known("signer", printable(line.substr(7)), seen(path));
  }
  if (!driver.has("signer")) driver.absent("signer", seen(path));
  for (const auto* fact : {"on_disk", "on_disk_flavour"}) driver.unknown(fact, path + " does not say");
}

}  // namespace

std::vector<std::string> kernels_of(const Machine& machine, const Facts& facts) {
  const Entity* system = facts.find("host");
  if (machine.running())
    return system && system->has("kernel") ? std::vector{system->get("kernel")} : std::vector<std::string>();
  std::vector<std::string> found;
  if (const auto entries = machine.list("/lib/modules"))
    for (const auto& entry : *entries) found.push_back(entry.name);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return natural_less(b, a); });
  return found;
}

namespace {

void on_disk(const Machine& machine, Facts& facts, Entity& driver) {
  const auto all = kernels_of(machine, facts);
  std::vector<std::string> missed;
  for (const auto& kernel : all)
    if (const auto modules = modules_of(machine, kernel, missed); !modules.empty())
      return module_file(machine, modules.front(), driver);
  const Entity* container = facts.find("container");
  std::string why;
  if (machine.running() && all.empty())
    why = "the running kernel's release is not known";
  else if (!missed.empty())
    why = missed.front();
  else if (const auto modules = machine.list("/lib/modules"); !modules && !modules.is_absent())
    why = "/lib/modules: " + modules.miss().says;
  else if (container && container->is("inside", "yes"))
    why = "a container does not hold its host's modules";
  for (const auto* fact : {"on_disk", "on_disk_flavour", "signer"})
    why.empty() ? driver.absent(fact, seen(all.empty() ? "/lib/modules" : "/lib/modules/" + all.front()))
                : driver.unknown(fact, why);
}

void blacklist(const Machine& machine, Entity& driver) {
  std::string doubt;
  if (const auto cmdline = first_line(machine, "/proc/cmdline");
      machine.running() && cmdline && cmdline_blacklists_nouveau(*cmdline))
    return void(driver.known("nouveau_blacklisted", "yes", seen("/proc/cmdline")));
  for (const auto* pattern :
       {"/etc/modprobe.d/*.conf", "/run/modprobe.d/*.conf", "/usr/lib/modprobe.d/*.conf", "/lib/modprobe.d/*.conf"})
    for (const auto& path : glob(machine, pattern)) {
      const auto text = machine.read(path, 1 << 18);
      if (text && blacklists_nouveau(*text)) return void(driver.known("nouveau_blacklisted", "yes", seen(path)));
      if (!text && !text.is_absent()) doubt = path + ": " + text.miss().says;
    }
  if (doubt.empty())
    driver.known("nouveau_blacklisted", "no", seen("/etc/modprobe.d"));
  else
    driver.unknown("nouveau_blacklisted", doubt);
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& driver = facts.at("driver");
  on_disk(machine, facts, driver);
  dkms_state(machine, facts, driver);
  blacklist(machine, driver);
}

}  // namespace

const Probe nvidia_on_disk = {
    .name = "nvidia-on-disk",
    .need = Need::files,
    .reads = {"/lib/modules", "/lib/modules/*", "/lib/modules/*/*", "/lib/modules/*/*/nvidia*.ko*",
              "/lib/modules/*/*/*/nvidia*.ko*", "/lib/modules/*/*/*/*/nvidia*.ko*", "/lib/modules/*/*/*/*/*/nvidia*.ko*", "/var/lib/dkms",
              "/var/lib/dkms/nvidia*", "/var/lib/dkms/nvidia*/*/build/make.log", "/usr/src/nvidia*/dkms.conf", "/usr/src/akmods/nvidia*", "/etc/modprobe.d/*.conf", "/run/modprobe.d/*.conf", "/usr/lib/modprobe.d/*.conf",
              "/lib/modprobe.d/*.conf", "/proc/cmdline"},
    .run = run,
};

}  // namespace gpudoctor
