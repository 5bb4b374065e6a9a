// SPDX-License-Identifier: Apache-2.0
#include "all.hpp"

namespace gpudoctor {

const std::vector<const Probe*>& all_probes() {
  static const std::vector<const Probe*> probes = {
      &packages,   // first: who owns a file is asked by most of the others
      &host,
      &container,
      &container_engines,  // after container
      &variables,          // after host
      &rocm,
      &pci,
      &nvidia_on_disk,
      &nvidia_module,
      &nvidia_libraries,
      &kernels,           // after host
      &secure_boot,       // after nvidia_on_disk
      &fabric,            // after packages
      &environments,
      &python_packages,
      &extensions,        // after python_packages
      &project,
      &libtorch,
      &toolkits,          // after host, packages and environments
      &cuda_libraries,    // after toolkits
      &links,             // after extensions, libtorch and toolkits
      &host_compiler,     // after host
      &kernel_log,        // after pci and nvidia_on_disk; may ask dmesg
      &nvidia_smi,        // asks the driver
  };
  return probes;
}

void look(const Machine& machine, const Scope& scope, Facts& facts) {
  for (const Need need : {Need::files, Need::running_system, Need::asking})   // the driver is asked last
    for (const Probe* probe : all_probes())
      if (probe->need == need) probe->run(machine, scope, facts);
}

}  // namespace gpudoctor
