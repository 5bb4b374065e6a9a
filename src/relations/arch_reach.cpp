// SPDX-License-Identifier: Apache-2.0
#include "arch_reach.hpp"

#include <utility>

#include "matrix.hpp"

namespace gpudoctor {
namespace {

struct Arch {
  bool ptx = false;
  unsigned long major = 0, minor = 0;
  char suffix = ' ';   // 'a': this chip only, 'f': its family
};

Arch parse(std::string_view word) {
  Arch arch;
  arch.ptx = word.starts_with("compute_");
  const Version capability(cc_of_sm(word));
  arch.major = capability.major(), arch.minor = capability.minor();
  if (!word.empty() && (word.back() == 'a' || word.back() == 'f')) arch.suffix = word.back();
  return arch;
}

bool is_tegra(const Version& capability) {
  for (const auto* chip : {"5.3", "6.2", "7.2", "8.7", "11.0"})
    if (capability.text() == chip) return true;
  return false;
}

bool runs(const Arch& arch, const Version& capability) {
  if (arch.ptx || arch.major != capability.major()) return false;
  if (arch.suffix == 'a' || is_tegra(capability)) return arch.minor == capability.minor();
  return arch.minor <= capability.minor() && !is_tegra(Version(std::to_string(arch.major) + "." + std::to_string(arch.minor)));
}

bool ptx_serves(const Arch& arch, const Version& capability) {
  if (!arch.ptx || arch.suffix == 'a') return false;
  if (arch.suffix == 'f') return arch.major == capability.major() && arch.minor <= capability.minor();
  return std::pair(arch.major, arch.minor) <= std::pair(capability.major(), capability.minor());
}

}  // namespace

bool cubin_runs(const std::string& word, const Version& capability) { return runs(parse(word), capability); }

std::string reach_of(const std::vector<std::string>& archs, const Version& capability, const Version& built, const Version& level,
                     std::vector<std::string>* serves) {
  const bool compiles = !built.valid() || !level.valid() || compare(Version(level.first(2)), Version(built.first(2))) != Order::less;
  std::vector<std::string> machine_code, ptx;
  bool any_newer = false, any_older = false;
  for (const auto& word : archs) {
    const Arch arch = parse(word);
    if (runs(arch, capability)) machine_code.push_back(word);
    if (compiles && ptx_serves(arch, capability)) ptx.push_back(word);
    if (!arch.ptx) (std::pair(arch.major, arch.minor) > std::pair(capability.major(), capability.minor()) ? any_newer : any_older) = true;
  }
  if (serves) *serves = machine_code.empty() ? ptx : machine_code;
  if (!machine_code.empty()) return "runs";
  if (!ptx.empty()) return "jit";
  return any_newer && any_older ? "gap" : any_newer ? "older" : "newer";
}

}  // namespace gpudoctor
