// SPDX-License-Identifier: Apache-2.0
// What DKMS and akmods have done for the running kernel, and why a build failed.
#include "dkms.hpp"

#include <algorithm>
#include <array>

#include "files.hpp"
#include "nvidia_on_disk.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string kind_of_failure(std::string_view error) {
  const auto has = [error](auto... texts) { return (contains(error, texts) || ...); };
  if (has("No space left on device")) return "space";
  if (has("kernel headers", "kernel source", "Kernel headers")) return "headers";
  // What the compiler is, not what it reads: another one than the kernel was built with.
  if (has("unrecognized command", "compiler differs", "gcc: error", "cc: error", ": not found")) return "compiler";
  // An interface that this kernel has no longer, or has in another form.
  if (has("implicit declaration", "has no member", "incompatible pointer", "too few arguments", "too many arguments", "undeclared",
          "incomplete type", "unknown type name", "conflicting types", "GPL-incompatible", "undefined!", "No such file or directory",
          "redefinition", "invalid use of", "request for member"))
    return "kernel";
  return "other";
}

std::string newest_kernel(std::string_view conf) {
  for (auto line : lines(conf)) {
    line = trim(line);
    if (line.starts_with("BUILD_EXCLUSIVE_KERNEL_MAX=")) return find_version(line);
  }
  return {};
}

namespace {

/// What the driver's own source package says of kernels: DKMS builds for none that is newer.
bool too_new(const Machine& machine, const std::string& source, const std::string& kernel, Entity& driver) {
  const auto path = "/usr/src/" + base_name(parent(source)) + "-" + base_name(source) + "/dkms.conf";
  const auto conf = machine.read(path, 1 << 18);
  const auto most = conf ? newest_kernel(*conf) : std::string();
  const auto release = find_version(kernel);
  if (most.empty() || compare(Version(release), Version(most)) != Order::greater) return false;
  driver.known("build_error", "BUILD_EXCLUSIVE_KERNEL_MAX " + most + ": no newer kernel", seen(path)).known("build_failure", "kernel", seen(path));
  return true;
}

/// The log of the last build that failed. It counts only where it is about this kernel.
void build_log(const Machine& machine, const std::vector<std::string>& logs, const std::string& kernel, Entity& driver) {
  std::string why = "the build's log names no error";
  for (const auto& path : logs) {
    const auto answer = machine.inspect(path, Inspect::build_log);
    if (!answer) {
      if (!answer.is_absent()) why = path + ": " + answer.miss().says;
      continue;
    }
    std::string about, error;
    for (const auto& line : *answer)
      if (line.starts_with("kernel=")) about = line.substr(7);
      else if (line.starts_with("error=") && error.empty()) error = line.substr(6);
    if (error.empty()) continue;
    if (!about.empty() && about != kernel) {
      why = path + " is about kernel " + about;
      continue;
    }
    driver.known("build_error", printable(error), seen(path)).known("build_failure", kind_of_failure(error), seen(path));
    return;
  }
  all_unknown(driver, {"build_error", "build_failure"}, why);
}

}  // namespace

/// DKMS keeps <name>/<version>/<kernel>/<arch>/module for what it built, and a link kernel-<kernel>-<arch> for what it
/// installed.
void dkms_state(const Machine& machine, const Facts& facts, Entity& driver) {
  const auto all = kernels_of(machine, facts);
  if (all.empty()) {
    const std::string why = machine.running() ? "the kernel's release is not known" : "no kernel is installed here";
    return all_unknown(driver, {"dkms", "build_error", "build_failure"}, why);
  }
  const auto& kernel = all.front();
  std::vector<std::string> missed;
  std::string state, source;
  std::vector<std::string> logs;
  for (const auto& version : glob(machine, "/var/lib/dkms/nvidia*/*", &missed)) {
    const auto name = base_name(version);
    if (name.starts_with("kernel-") || name == "original_module" || base_name(parent(version)) == "nvidia-fs" ||
        !Version(name).valid())
      continue;
    const auto here = exists(machine, version + "/" + kernel)                            ? "built"
                      : exists(machine, version + "/build/make.log") && state != "built" ? "failed"
                                                                                         : "added";
    logs.push_back(version + "/build/make.log");
    if (state.empty() || state == "added" || std::string_view(here) == "built") state = here, source = version;
  }
  if (state == "built")
    for (const auto& link : glob(machine, "/var/lib/dkms/nvidia*/kernel-" + kernel + "-*"))
      state = "installed", source = link;
  if (state.empty())  // RPM Fusion's akmods does the same work, from a source package
    for (const auto& package : glob(machine, "/usr/src/akmods/nvidia*kmod-*.src.rpm", &missed))
      state = "added", source = package;
  if (!state.empty())
    driver.known("dkms", state, seen(source));
  else if (!missed.empty())
    driver.unknown("dkms", missed.front());
  else
    driver.absent("dkms", seen("/var/lib/dkms"));
  if ((state == "added" || state == "failed") && too_new(machine, source, kernel, driver)) return;
  if (state == "failed") return build_log(machine, logs, kernel, driver);
  for (const auto* fact : {"build_error", "build_failure"})
    driver.has("dkms") || missed.empty() ? driver.absent(fact, seen("/var/lib/dkms")) : driver.unknown(fact, missed.front());
}

}  // namespace gpudoctor
