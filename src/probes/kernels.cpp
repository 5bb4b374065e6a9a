// SPDX-License-Identifier: Apache-2.0
// Every installed kernel: the NVIDIA module that is built for it, its headers, and whether the next start takes it.
#include <algorithm>

#include "all.hpp"
#include "files.hpp"
#include "nvidia_on_disk.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most_kernels = 40;

/// "generic" of 6.8.0-45-generic, "amd64" of 6.1.0-25-amd64, "x86_64" of 6.11.4-301.fc41.x86_64.
std::string_view flavour(std::string_view release) {
  const auto at = release.find_last_of("-.");
  return at == std::string_view::npos ? std::string_view() : release.substr(at + 1);
}

bool can_boot(const Machine& machine, const std::string& release) {
  return exists(machine, "/boot/vmlinuz-" + release) || exists(machine, "/lib/modules/" + release + "/vmlinuz");
}

void module(const Machine& machine, Entity& kernel) {
  std::vector<std::string> missed;
  const auto release = kernel.get("kernel");
  const auto found = modules_of(machine, release, missed);
  if (found.empty()) {
    missed.empty() ? kernel.absent("module", seen("/lib/modules/" + release)) : kernel.unknown("module", missed.front());
    return;
  }
  const auto answer = machine.inspect(found.front(), Inspect::modinfo);
  if (answer)
    for (const auto& line : *answer)
      if (line.starts_with("version=")) return void(kernel.known("module", printable(line.substr(8)), seen(found.front())));
  kernel.unknown("module", found.front() + (answer ? " does not say" : ": " + answer.miss().says));
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  const Entity* host = facts.find("host");
  const Entity* container = facts.find("container");
  if (container && container->is("inside", "yes")) return facts.not_looked("kernel", "a container does not hold its host's modules");
  const auto entries = machine.list("/lib/modules");
  if (!entries) {
    if (entries.is_absent()) return facts.looked("kernel");
    return facts.not_looked("kernel", "/lib/modules: " + entries.miss().says);
  }
  if (entries->size() > most_kernels) return facts.not_looked("kernel", "/lib/modules holds more than " + std::to_string(most_kernels) + " kernels");
  const auto running = host ? host->get("kernel") : std::string();
  std::string newest = running;
  for (const auto& entry : *entries)
    if (!running.empty() && flavour(entry.name) == flavour(running) && natural_less(newest, entry.name) && can_boot(machine, entry.name)) newest = entry.name;
  for (const auto& entry : *entries) {
    if (entry.kind == Kind::file || printable(entry.name) != entry.name) continue;   // no kernel is called so
    Entity& kernel = facts.at("kernel", entry.name);
    kernel.known("kernel", entry.name, seen("/lib/modules"));
    if (running.empty())
      all_unknown(kernel, {"running", "next"}, machine.running() ? "the running kernel's release is not known" : not_running);
    else
      kernel.known("running", yes_no(entry.name == running), seen("/proc/sys/kernel/osrelease"))
          .known("next", yes_no(entry.name == newest && newest != running), seen("/boot/vmlinuz-" + newest));
    kernel.known("headers", yes_no(exists(machine, "/lib/modules/" + entry.name + "/build")), seen("/lib/modules/" + entry.name + "/build"));
    module(machine, kernel);
  }
  facts.looked("kernel");
}

}  // namespace

const Probe kernels = {
    .name = "kernels",
    .need = Need::files,
    .reads = {"/lib/modules", "/lib/modules/*", "/lib/modules/*/*", "/lib/modules/*/*/nvidia*.ko*", "/lib/modules/*/*/*/nvidia*.ko*",
              "/lib/modules/*/*/*/*/nvidia*.ko*", "/lib/modules/*/*/*/*/*/nvidia*.ko*", "/boot/vmlinuz-*"},
    .run = run,
};

}  // namespace gpudoctor
