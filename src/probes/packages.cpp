// SPDX-License-Identifier: Apache-2.0
// What the package manager says of GPU software, read from its files: dpkg's wholly, pacman's names, rpm's presence.
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
                                    "nvidia-dgx*"};
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
                                    "libnvfbc1*"};
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
  std::string source = "/var/lib/dpkg";
  for (const Entity* package : facts.of("package")) {
    const auto& name = package->id().key;
    const bool arch = package->is("manager", "pacman");
    source = arch ? pacman : dpkg_status;
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

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& driver = facts.at("driver");
  if (!by_dpkg(machine, facts) && !by_pacman(machine, facts)) {
    std::string why = "no package data base that is known here";
    for (const auto* rpm : {"/var/lib/rpm", "/usr/lib/sysimage/rpm"})
      if (exists(machine, rpm)) why = "rpm's data base is not read";
    if (exists(machine, "/lib/apk/db/installed"))
      facts.looked("package");  // Alpine packages no driver
    else
      facts.not_looked("package", why);
  }
  driver_packages(facts, driver);
  runfile(machine, facts, driver);
}

}  // namespace

const Probe packages = {
    .name = "packages",
    .need = Need::files,
    .reads = {"/var/lib/dpkg/status", "/var/lib/dpkg/info/*.list", "/var/lib/pacman/local",
              "/var/lib/pacman/local/*/files", "/var/lib/rpm", "/usr/lib/sysimage/rpm", "/lib/apk/db/installed",
              "/usr/bin/nvidia-uninstall", "/usr/bin/nvidia-installer"},
    .run = run,
};

}  // namespace gpudoctor
