// SPDX-License-Identifier: Apache-2.0
// What the package manager says of GPU software, read from its files: dpkg, pacman, rpm, apk.
#include "packages.hpp"

#include <algorithm>
#include <array>

#include "all.hpp"
#include "files.hpp"
#include "owners.hpp"
#include "text.hpp"

namespace gpudoctor {

std::optional<DpkgPackage> parse_dpkg_line(std::string_view line) {
  const auto parts = split(line, '\t');
  if (parts.size() < 3 || parts[0].empty()) return std::nullopt;
  const auto status = words(parts[2]);  // want, error flag, state: "install ok installed"
  if (status.size() != 3) return std::nullopt;
  DpkgPackage package{printable(parts[0]), printable(parts[1]), printable(status[2]), {}, status[1] == "reinstreq"};
  if (parts.size() > 3) package.architecture = printable(parts[3]);
  return package;
}

bool is_driver_package(std::string_view name) {
  name = name.substr(0, name.find(':'));
  static constexpr std::array tools{"nvidia-cu*",
                                    "nvidia-container*",
                                    "libnvidia-container*",
                                    "nvidia-docker*",
                                    "nvidia-l4t-*",
                                    "nvidia-prime*",
                                    "nvidia-nsight*",
                                    "nvidia-visual*",
                                    "nvidia-profiler*",
                                    "nvidia-opencl-dev",
                                    "nvidia-detect",
                                    "nvidia-jetpack*",
                                    "libnvidia-egl-*",
                                    "nvidia-egl-*",
                                    "nvidia-vaapi*",
                                    "nvidia-installer-cleanup",
                                    "nvidia-support",
                                    "nvidia-gds*",
                                    "nvidia-fs*",
                                    "*-dev",
                                    "nvidia-settings",
                                    "libnvidia-ngx*",
                                    "nvidia-xconfig",
                                    "nvidia-modprobe",
                                    "nvidia-cg*",
                                    "nvidia-texture*",
                                    "libnvidia-ml-dev",
                                    "nvidia-mlnx*",
                                    "nvidia-repo*",
                                    "nvidia-driver-local-repo*",
                                    "nvidia-driver-assistant",
                                    "nvidia-driver-pinning*",
                                    "nvidia-imex*",
                                    "nvidia-pyxis*",
                                    "nvidia-dgx*",
                                    "nvidia-gpu-firmware"};
  for (const auto* tool : tools)
    if (matches(name, tool)) return false;
  static constexpr std::array parts{"nvidia",
                                    "nvidia-*",
                                    "libnvidia-*",
                                    "libcuda1*",
                                    "libcudadebugger1*",
                                    "cuda-drivers*",
                                    "xserver-xorg-video-nvidia*",
                                    "firmware-nvidia-*",
                                    "linux-modules-nvidia-*",
                                    "linux-objects-nvidia-*",
                                    "linux-signatures-nvidia-*",
                                    "libnvcuvid1*",
                                    "libnvfbc1*",
                                    "akmod-nvidia*",
                                    "kmod-nvidia*",
                                    "xorg-x11-drv-nvidia*"};
  return std::any_of(parts.begin(), parts.end(), [name](const char* part) { return matches(name, part); });
}

bool is_half_state(std::string_view state) {
  return state != "installed" && state != "config-files" && state != "not-installed";
}

std::optional<std::pair<std::string, std::string>> parse_pacman_folder(std::string_view name) {
  const auto release = name.find_last_of('-');
  if (release == std::string_view::npos || release == 0) return std::nullopt;
  const auto version = name.find_last_of('-', release - 1);
  if (version == std::string_view::npos || version == 0) return std::nullopt;
  return std::pair(printable(name.substr(0, version)), printable(name.substr(version + 1)));
}

namespace {

const std::string dpkg_status = "/var/lib/dpkg/status", pacman = "/var/lib/pacman/local";
const std::array<std::string, 2> rpm_folders{"/var/lib/rpm", "/usr/lib/sysimage/rpm"};

void add(Facts& facts, const std::string& key, const std::string& version, const std::string& state,
         const std::string& manager, const std::string& source) {
  Entity& package = facts.at("package", key);
  const Witness witness{Rank::tool, source, 0, {}};
  version.empty() ? package.absent("version", witness) : package.known("version", version, witness);
  package.known("state", state, witness).known("manager", manager, witness);
}

/// False when there is no dpkg here.
bool by_dpkg(const Machine& machine, Facts& facts) {
  const auto packages = machine.inspect(dpkg_status, Inspect::dpkg_status);
  if (!packages) {
    if (packages.is_absent()) return false;
    facts.not_looked("package", dpkg_status + ": " + packages.miss().says);
    return true;
  }
  for (const auto& line : *packages) {
    const auto package = parse_dpkg_line(line);
    if (!package) continue;
    const bool foreign =
        package->architecture == "i386" || package->architecture == "armhf" || facts.find("package", package->name);
    const auto key = foreign ? package->name + ":" + package->architecture : package->name;
    add(facts, key, package->version, package->reinstall ? "reinst-required" : package->state, "dpkg", dpkg_status);
  }
  facts.looked("package");
  return true;
}

/// False when there is no rpm here. Older data bases (Berkeley DB, ndb) have a format of their own, which is not read.
bool by_rpm(const Machine& machine, Facts& facts) {
  for (const auto& folder : rpm_folders) {
    const auto path = folder + "/rpmdb.sqlite";
    const auto answer = machine.inspect(path, Inspect::rpm_packages);
    if (answer) {
      const auto pending = machine.info(path + "-wal");   // what a running rpm has not written into the file yet
      if (pending && pending->size > 0) return facts.not_looked("package", path + ": it is being written"), true;
      for (const auto& line : *answer) {
        const auto parts = split(line, '\t');
        if (parts.size() != 4 || parts[0] != "package") continue;
        std::string key(parts[1]);
        if (parts[3] == "i686") key += ".i686";
        if (facts.find("package", key)) key += "-" + std::string(parts[2]);   // kernels and modules: several at once
        add(facts, printable(key), printable(parts[2]), "installed", "rpm", path);
      }
      return facts.looked("package"), true;
    }
    const bool old = exists(machine, folder + "/Packages") || exists(machine, folder + "/Packages.db");
    if (old) return facts.not_looked("package", "rpm's data base is in a format that is not read"), true;
    if (!answer.is_absent()) return facts.not_looked("package", path + ": " + answer.miss().says), true;
  }
  return false;
}

/// apk's data base is one text: "P:name" and "V:version" of each package.
bool by_apk(const Machine& machine, Facts& facts) {
  const std::string path = "/lib/apk/db/installed";
  const auto text = machine.read(path, 32 << 20);
  if (!text) {
    if (!text.is_absent()) facts.not_looked("package", path + ": " + text.miss().says);
    return !text.is_absent();
  }
  std::string name;
  for (const auto line : lines(*text)) {
    if (line.starts_with("P:")) name = printable(line.substr(2));
    if (line.starts_with("V:") && (name.starts_with("nvidia") || name.starts_with("rocm") || name.starts_with("hip")))
      add(facts, name, printable(line.substr(2)), "installed", "apk", path);
  }
  facts.looked("package");
  return true;
}

bool by_pacman(const Machine& machine, Facts& facts) {
  const auto folders = machine.list(pacman);
  if (!folders) return false;
  for (const auto& entry : *folders) {
    static constexpr std::array wanted{
        "nvidia*", "lib32-nvidia*",   "opencl-nvidia*", "cuda*", "cudnn*",
        "nccl*",   "python-pytorch*", "rocm*",          "hip*",  "linux-firmware-nvidia*"};
    const auto package = parse_pacman_folder(entry.name);
    const auto fits = [&](const char* pattern) { return matches(package->first, pattern); };
    if (package && std::any_of(wanted.begin(), wanted.end(), fits))
      add(facts, package->first, package->second, "installed", "pacman", join(pacman, entry.name));
  }
  facts.looked("package");
  return true;
}

void driver_packages(Facts& facts, Entity& driver) {
  std::vector<std::string> whole, broken;
  std::string source = "the package database";
  for (const Entity* package : facts.of("package")) {
    const auto& name = package->id().key;
    const bool arch = package->is("manager", "pacman");
    source = package->find("state")->witnesses.front().source;
    if (arch) source = pacman;
    if (!is_driver_package(name) && !(arch && name.starts_with("opencl-nvidia"))) continue;
    const auto state = package->get("state");
    if (state == "installed")
      whole.push_back(name + "=" + package->get("version"));
    else if (is_half_state(state))
      broken.push_back(name + ":" + state);
  }
  const Witness witness{Rank::tool, source, 0, {}};
  if (!facts.was_looked("package"))
    return all_unknown(driver, {"packages", "packages_broken"}, facts.why_not("package"));
  whole.empty() ? driver.absent("packages", witness) : driver.known("packages", whole, witness);
  broken.empty() ? driver.absent("packages_broken", witness) : driver.known("packages_broken", broken, witness);
}

/// NVIDIA's own installer leaves its uninstaller; its log alone outlives an uninstallation and proves nothing.
void runfile(const Machine& machine, const Facts& facts, Entity& driver) {
  const Owners owners(machine, facts, {"nvidia*"});
  for (const auto* path : {"/usr/bin/nvidia-uninstall", "/usr/bin/nvidia-installer"}) {
    const auto info = machine.info(path);
    if (info && !owners.of(path)) return void(driver.known("runfile", "yes", seen(path)));
    if (!info && !info.is_absent()) return void(driver.unknown("runfile", std::string(path) + ": " + info.miss().says));
  }
  driver.known("runfile", "no", seen("/usr/bin/nvidia-uninstall"));
}

/// The version that the installer's log names; the log itself may outlive what it tells of.
void runfile_log(const Machine& machine, Entity& driver) {
  const std::string path = "/var/log/nvidia-installer.log";
  const auto text = machine.read(path, 4 << 20);
  if (!text) return void(driver.missed("runfile_version", text.miss(), path));
  for (const auto line : lines(*text))
    if (const auto at = line.find("installer version: "); at != std::string_view::npos)
      if (const auto version = find_version(line.substr(at)); !version.empty())
        return void(driver.known("runfile_version", version, {Rank::tool, path, 0, {}}));
  driver.unknown("runfile_version", path + " names no version");
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& driver = facts.at("driver");
  if (!by_dpkg(machine, facts) && !by_pacman(machine, facts) && !by_rpm(machine, facts) && !by_apk(machine, facts))
    facts.not_looked("package", "no package data base that is known here");
  driver_packages(facts, driver);
  runfile(machine, facts, driver);
  runfile_log(machine, driver);
}

}  // namespace

const Probe packages = {
    .name = "packages",
    .need = Need::files,
    .reads = {"/var/lib/dpkg/status", "/var/lib/dpkg/info/*.list", "/var/lib/pacman/local",
              "/var/lib/pacman/local/*/files", "/var/lib/rpm/*", "/usr/lib/sysimage/rpm/*", "/lib/apk/db/installed", "/var/log/nvidia-installer.log",
              "/usr/bin/nvidia-uninstall", "/usr/bin/nvidia-installer"},
    .run = run,
};

}  // namespace gpudoctor
