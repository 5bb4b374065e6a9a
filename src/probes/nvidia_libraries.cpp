// SPDX-License-Identifier: Apache-2.0
// Every copy of libcuda on the machine: its version, who put it there, and which one the loader takes.
#include "nvidia_libraries.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "all.hpp"
#include "files.hpp"
#include "loader_search.hpp"
#include "owners.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string driver_of_file_name(std::string_view name) {
  const auto at = name.find(".so.");
  if (at == std::string_view::npos) return {};
  const Version version{std::string(name.substr(at + 4))};
  return version.valid() && version.parts().size() >= 2 && version.major() >= 100 ? version.text() : std::string();
}

std::string kind_of_copy(std::string_view path) {
  if (contains(path, "/stubs/")) return "stub";
  if (contains(path, "/compat/") || contains(path, "/cuda-compat/") || contains(path, "/compat_orin/")) return "compat";
  if (path.starts_with("/usr/lib/wsl/")) return "wsl";
  if (contains(path, "/tegra/") || path.starts_with("/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1")) return "tegra";
  return "driver";
}

std::set<std::string> parse_mount_points(std::string_view mountinfo) {
  std::set<std::string> result;
  for (const auto line : lines(mountinfo))
    if (const auto parts = words(line); parts.size() > 4) result.emplace(parts[4]);
  return result;
}

namespace {

/// Where copies lie that the loader may not look into; the loader's own folders come on top.
constexpr std::array places{"/usr/lib/x86_64-linux-gnu",
                            "/usr/lib/x86_64-linux-gnu/nvidia",
                            "/usr/lib/x86_64-linux-gnu/nvidia/*",
                            "/usr/lib/aarch64-linux-gnu",
                            "/usr/lib/aarch64-linux-gnu/*",
                            "/usr/lib/aarch64-linux-gnu/nvidia/*",
                            "/usr/lib64",
                            "/usr/lib64/nvidia",
                            "/usr/lib",
                            "/usr/lib/nvidia",
                            "/usr/lib/nvidia-*",
                            "/lib64",
                            "/lib/x86_64-linux-gnu",
                            "/usr/lib/wsl/lib",
                            "/usr/local/nvidia/lib64",
                            "/usr/local/nvidia/lib",
                            "/run/opengl-driver/lib",
                            "/usr/local/cuda*/compat",
                            "/usr/local/cuda*/lib64/stubs",
                            "/usr/local/cuda*/targets/*/lib/stubs",
                            "/opt/cuda/lib64/stubs",
                            "/opt/cuda/compat"};

/// Of thousands of files with that name nobody can say which the loader would take in the end.
constexpr std::size_t most_copies = 200;

struct Search {
  const Machine& machine;
  Facts& facts;
  std::string arch, doubt;     // doubt: what could not be looked into
  std::set<std::string> done;  // folders, links resolved
};

/// A 64-bit program takes no 32-bit library. Where the file does not tell, it is believed to fit.
bool fits(const Search& search, const std::string& path) {
  if (contains(path, "/i386-linux-gnu/") || contains(path, "/lib32/")) return false;
  if (search.arch.empty()) return true;
  const auto answer = search.machine.inspect(path, Inspect::dynamic);
  if (answer)
    for (const auto& line : *answer)
      if (line.starts_with("machine=")) return line.substr(8) == search.arch;
  return true;
}

/// One entity for each real file, whatever links lead to it.
Entity* copy_at(Search& search, const std::string& path) {
  const auto real = search.machine.real(path);
  if (!real) {
    if (real.miss().why != Why::absent && search.doubt.empty()) search.doubt = path + ": " + real.miss().says;
    return nullptr;
  }
  if (Entity* known = search.facts.find(Id{"driver_copy", *real})) return known;
  const auto info = search.machine.info(*real);
  if (!info || info->kind != Kind::file) {
    if (search.doubt.empty()) search.doubt = *real + ": " + (info ? "not a regular file" : info.miss().says);
    return nullptr;
  }
  if (!fits(search, *real)) return nullptr;
  Entity& copy = search.facts.at("driver_copy", *real);
  const auto kind = kind_of_copy(*real);
  const auto version = driver_of_file_name(base_name(*real));
  copy.known("path", *real, seen(*real)).known("kind", kind, seen(*real));
  if (!version.empty())
    copy.known("version", version, seen(*real));
  else if (kind == "stub")
    copy.absent("version", seen(*real));
  else
    copy.unknown("version", "its file name does not tell it");
  return &copy;
}

/// Folders are known by many names (/lib and /usr/lib, cuda and cuda-12.4), and some hold thousands of files: each is
/// read once.
void find_in(Search& search, const std::string& pattern) {
  std::vector<std::string> missed;
  for (const auto& folder : glob(search.machine, pattern, &missed)) {
    const auto real = search.machine.real(folder);
    if (!real || !search.done.insert(*real).second) continue;
    const auto entries = search.machine.list(*real);
    if (!entries && !entries.is_absent()) missed.push_back(*real + ": " + entries.miss().says);
    if (!entries) continue;
    std::size_t here = 0;
    for (const auto& entry : *entries) {
      if (!entry.name.starts_with("libcuda.so")) continue;
      if (++here > most_copies) {
        missed.push_back(*real + ": more than " + std::to_string(most_copies) + " files named libcuda.so");
        break;
      }
      copy_at(search, join(*real, entry.name));
    }
  }
  if (!missed.empty() && search.doubt.empty()) search.doubt = missed.front();
}

/// libnvidia-ml comes with nvidia-smi; where it is and libcuda is not, a part of the driver is missing.
void nvml_library(const Search& search, const LoaderFolders& loader, Entity& driver) {
  for (const auto& folder : loader.folders) {
    const auto path = folder.path + "/libnvidia-ml.so.1";
    const auto real = search.machine.real(path);
    if (!real) continue;
    const auto version = driver_of_file_name(base_name(*real));
    version.empty() ? driver.unknown("nvml_library", *real + " does not tell its version") : driver.known("nvml_library", version, seen(*real));
    return;
  }
  loader.doubt.empty() ? driver.absent("nvml_library", seen("libnvidia-ml.so.1")) : driver.unknown("nvml_library", loader.doubt);
}

/// Which copies the loader can take under the name libcuda.so.1, the first of them first; and the driver's own among
/// them.
void choose(Search& search, const LoaderSearch& loader, Entity& driver) {
  const Entity* first = nullptr;
  const Entity* own = nullptr;
  std::string own_folder;
  for (const auto& [path, via] : loader.copies("libcuda.so.1")) {
    Entity* copy = copy_at(search, path);
    if (!copy) continue;
    const bool is_first = !first;
    const auto source = via == "default" ? parent(path) : via;
    copy->known("reachable", "yes", seen(source));
    if (!copy->has("first")) copy->known("first", yes_no(is_first), seen(source));
    if (is_first) first = copy;
    if (!own && !copy->is("kind", "compat") && !copy->is("kind", "stub")) own = copy, own_folder = parent(path);
  }
  // NixOS has no folders of the loader: every program of nixpkgs has this one in its RUNPATH (addDriverRunpath).
  const std::string nix = "/run/opengl-driver/lib";
  if (Entity* copy = own ? nullptr : copy_at(search, nix + "/libcuda.so.1")) {
    copy->known("reachable", "yes", seen(nix)).known("first", yes_no(!first), seen(nix));
    own = copy, own_folder = nix;
  }
  for (Entity* copy : search.facts.of("driver_copy"))
    for (const auto* fact : {"reachable", "first"}) {
      if (copy->has(fact)) continue;
      loader.doubt().empty() ? copy->known(fact, "no", seen("/etc/ld.so.conf")) : copy->unknown(fact, loader.doubt());
    }
  if (own && own->has("version"))
    driver.known("libraries", own->get("version"), seen(own->get("path")));
  else if (own)
    driver.unknown("libraries", own->get("path") + " does not tell its version");
  else if (!search.doubt.empty())
    driver.unknown("libraries", search.doubt);
  else if (!loader.doubt().empty())
    driver.unknown("libraries", loader.doubt());
  else
    driver.absent("libraries", seen("libcuda.so.1"));
  if (!driver.has("libraries")) return;
  const auto nvml = search.machine.real(own_folder + "/libnvidia-ml.so.1");  // a second witness, from the same folder
  if (nvml)
    if (const auto version = driver_of_file_name(base_name(*nvml)); !version.empty())
      driver.known("libraries", version, seen(*nvml));
}

/// The file itself, or a folder above it, is a mount of its own: some engines mount the host's whole folder.
bool is_mounted(const std::set<std::string>& mounts, std::string path) {
  for (; path.size() > 1; path = parent(path))
    if (mounts.contains(path)) return true;
  return false;
}

void owner(const Owners& owners, const std::set<std::string>& mounts, const Facts& facts, const Entity& driver,
           Entity& copy) {
  const auto path = copy.get("path");
  const auto package = owners.of(path);
  const Entity* container = facts.find("container");
  const bool inside = container && container->is("inside", "yes");
  if (package) {
    const Entity* entity = facts.find("package", *package);
    const auto manager = entity ? entity->get("manager") : "rpm";   // only rpm has several of one name
    const Witness witness{Rank::tool, "/var/lib/" + manager, 0, {}};
    copy.known("package", *package, witness).known("owner", manager, witness);
  } else if (inside && is_mounted(mounts, path)) {
    copy.known("owner", "host", seen("/proc/self/mountinfo")).absent("package", seen("/proc/self/mountinfo"));
  } else if (copy.is("kind", "wsl")) {
    copy.known("owner", "host", seen(path)).absent("package", seen(path));  // Windows brings it
  } else if (owners.complete() && copy.is("kind", "driver") && driver.is("runfile", "yes")) {
    copy.known("owner", "runfile", driver.find("runfile")->witnesses.front()).absent("package", seen(path));
  } else if (owners.complete() && copy.is("kind", "driver") && copy.has("version") && driver.is("runfile_version", copy.get("version"))) {
    // Its uninstaller is gone, and its log names this very version.
    copy.known("owner", "runfile", driver.find("runfile_version")->witnesses.front()).absent("package", seen(path));
  } else if (owners.complete()) {
    copy.absent("package", seen("/var/lib/dpkg"))
        .unknown("owner", "no package owns it, and no installer left its mark");
  } else {
    copy.unknown("package", owners.why()).unknown("owner", owners.why());
  }
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  Entity& driver = facts.at("driver");
  const Entity* host = facts.find("host");
  Search search{machine, facts, host ? host->get("arch") : std::string(), {}, {}};
  const auto loader = loader_folders(machine, facts);
  for (const auto& folder : loader.folders) find_in(search, folder.path);
  for (const auto* place : places) find_in(search, place);
  choose(search, LoaderSearch(machine, facts), driver);
  nvml_library(search, loader, driver);
  search.doubt.empty() ? facts.looked("driver_copy") : facts.not_looked("driver_copy", search.doubt);

  const auto copies = facts.of("driver_copy");
  if (copies.empty()) {
    search.doubt.empty() ? driver.absent("owner", seen("libcuda.so.1")) : driver.unknown("owner", search.doubt);
    return;
  }
  const Owners owners(machine, facts, {"libcuda*", "libnvidia*", "nvidia*", "xorg-x11-drv-nvidia*", "cuda-compat*", "cuda-driver*"});
  const auto mountinfo = machine.running() ? machine.read("/proc/self/mountinfo") : Result<std::string>(std::string());
  const auto mounts = parse_mount_points(mountinfo.value_or(""));
  const Entity* best = nullptr;  // the first that the loader takes, else any that is a driver's
  for (Entity* copy : copies) {
    owner(owners, mounts, facts, driver, *copy);
    if (copy->is("kind", "stub") || copy->is("kind", "compat")) continue;
    if (!best || (copy->is("reachable", "yes") && !best->is("reachable", "yes")) || copy->is("first", "yes"))
      best = copy;
  }
  if (!best)
    driver.absent("owner", seen("libcuda.so.1"));
  else if (best->has("owner"))
    driver.known("owner", best->get("owner"), best->find("owner")->witnesses.front());
  else
    driver.unknown("owner", best->find("owner")->reason);
}

}  // namespace

const Probe nvidia_libraries = {
    .name = "nvidia-libraries",
    .need = Need::files,
    .reads = {"/etc/ld.so.cache",
              "/etc/ld.so.conf",
              "/etc/ld.so.conf.d/*",
              "$LOADER/libcuda.so*",
              "$LOADER/libnvidia-ml.so*",
              "/usr/lib64/libc.so.6",
              "/usr/lib/libcuda.so*",
              "/usr/lib/*/libcuda.so*",
              "/usr/lib/*/*/libcuda.so*",
              "/usr/lib/*/*/*/libcuda.so*",
              "/usr/lib64/libcuda.so*",
              "/usr/lib64/nvidia/libcuda.so*",
              "/lib/libcuda.so*",
              "/lib/*/libcuda.so*",
              "/lib64/libcuda.so*",
              "/usr/local/lib/libcuda.so*",
              "/usr/lib/libnvidia-ml.so*",
              "/usr/lib/*/libnvidia-ml.so*",
              "/usr/lib/*/*/*/libnvidia-ml.so*",
              "/usr/lib64/libnvidia-ml.so*",
              "/etc/alternatives/*libcuda*",
              "/etc/alternatives/*libnvidia-ml*",
              "/usr/local/nvidia/*/libcuda.so*",
              "/run/opengl-driver/lib/libcuda.so*",
              "/usr/local/cuda*/compat/libcuda.so*",
              "/usr/local/cuda*/lib64/stubs/libcuda.so*",
              "/usr/local/cuda*/targets/*/lib/stubs/libcuda.so*",
              "/opt/cuda/*/libcuda.so*",
              "/opt/cuda/*/*/libcuda.so*",
              "/var/lib/dpkg/info/*.list",
              "/var/lib/pacman/local/*/files",
              "/proc/self/mountinfo"},
    .run = run,
};

}  // namespace gpudoctor
