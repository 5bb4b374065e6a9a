// SPDX-License-Identifier: Apache-2.0
// What `nvidia-smi -q` tells of each GPU: MIG, memory errors, virtualisation, NVLink fabric.
#include <algorithm>

#include "files.hpp"
#include "nvidia_smi.hpp"
#include "pci.hpp"
#include "text.hpp"

namespace gpudoctor {

std::vector<SmiDetails> parse_smi_details(std::string_view text) {
  std::vector<SmiDetails> result;
  std::vector<std::string> path;
  for (const auto line : lines(text)) {
    const auto indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos) continue;
    if (indent == 0) {
      path.clear();
      if (line.starts_with("GPU ") && contains(line, ":")) result.push_back({pci_address(printable(trim(line.substr(4)))), {}, 0});
      continue;
    }
    if (result.empty()) continue;
    path.resize(std::min(path.size(), indent / 4 - (indent >= 4 ? 1 : 0)));
    const auto colon = line.find(" : ");
    const auto name = printable(trim(line.substr(0, colon)));
    if (colon == std::string_view::npos) {
      if (indent == 4 && (name == "MIG Device" || name.starts_with("MIG Device "))) ++result.back().mig_devices;
      path.push_back(name);
      continue;
    }
    auto key = path;
    key.push_back(name);
    result.back().values.emplace(joined(key, "/"), printable(trim(line.substr(colon + 3))));
  }
  return result;
}

namespace {

const Witness witness{Rank::verdict, "nvidia-smi -q", 0, {}};

class Details {
 public:
  Details(const SmiDetails& told, Entity& gpu) : told_(told), gpu_(gpu) {}

  /// A value that is there and no "N/A".
  std::string value(const std::string& path) const {
    const auto found = told_.values.find(path);
    return found == told_.values.end() || found->second == "N/A" || found->second.starts_with('[') ? std::string() : found->second;
  }

  void flag(const char* fact, std::initializer_list<const char*> paths) {
    bool any = false, yes = false;
    for (const auto* path : paths)
      if (const auto text = value(path); text == "Yes" || text == "No") any = true, yes = yes || text == "Yes";
    any ? gpu_.known(fact, yes_no(yes), witness) : gpu_.absent(fact, witness);
  }

  void mig() {
    const auto mode = value("MIG Mode/Current");
    if (mode == "Enabled" || mode == "Disabled") gpu_.known("mig", mode == "Enabled" ? "on" : "off", witness);
    else gpu_.absent("mig", witness);
    if (mode == "Enabled" && told_.mig_devices > 0) gpu_.known("mig_instances", std::to_string(told_.mig_devices), witness);
  }

  /// Since the driver was loaded; what a lifetime has summed up was dealt with long ago.
  void ecc() {
    long sum = 0;
    bool any = false;
    for (const auto& [path, text] : told_.values) {
      const bool counts = path.starts_with("ECC Errors/Volatile/") && (contains(path, "Uncorrectable") || path == "ECC Errors/Volatile/Double Bit/Total");
      if (const long number = counts ? to_number(text) : -1; number >= 0) any = true, sum += number;
    }
    any ? gpu_.known("ecc_uncorrected", std::to_string(sum), witness) : gpu_.absent("ecc_uncorrected", witness);
  }

  void virtualization() {
    const auto mode = value("GPU Virtualization Mode/Virtualization Mode");
    const auto* word = mode == "VGPU" ? "vgpu" : mode == "Pass-Through" ? "pass-through" : mode.starts_with("Host") ? "host" : mode == "None" ? "none" : "";
    if (*word) gpu_.known("virtualization", word, {Rank::tool, witness.source, 0, {}});
  }

  void fabric() {
    auto state = lower(value("Fabric/State"));
    std::replace(state.begin(), state.end(), ' ', '-');
    const auto status = value("Fabric/Status");
    if (state.empty()) return void(gpu_.absent("fabric", witness));
    gpu_.known("fabric", state == "completed" && !status.empty() && status != "Success" ? "failed" : state, witness);
  }

 private:
  const SmiDetails& told_;
  Entity& gpu_;
};

}  // namespace

void take_smi_details(const std::string& text, Facts& facts) {
  for (const auto& told : parse_smi_details(text)) {
    Entity* gpu = facts.find(Id{"gpu", told.address});
    if (!gpu || told.values.empty()) continue;
    Details details(told, *gpu);
    details.mig(), details.ecc(), details.virtualization(), details.fabric();
    details.flag("remap_pending", {"Remapped Rows/Pending", "Retired Pages/Pending Page Blacklist"});
    details.flag("remap_failed", {"Remapped Rows/Remapping Failure Occurred"});
  }
}

void mig_instances(const Machine& machine, Facts& facts) {
  for (Entity* gpu : facts.of("gpu")) {
    if (!gpu->is("mig", "on") || gpu->has("mig_instances")) continue;
    const auto card = machine.read("/proc/driver/nvidia/gpus/" + gpu->get("address") + "/information", 1 << 16);
    const auto minor = card ? parse_pairs(*card)["Device Minor"] : std::string();
    const auto folder = "/proc/driver/nvidia/capabilities/gpu" + minor + "/mig";
    const auto entries = machine.list(folder);
    if (minor.empty() || !entries) {
      gpu->known("mig_instances", "0", witness);   // nvidia-smi lists those that there are
      continue;
    }
    gpu->known("mig_instances", std::to_string(glob_in(machine, folder, "gi*/ci*").size()), seen(folder));
  }
}

void smi_details_unknown(Facts& facts, const std::string& why) {
  for (Entity* gpu : facts.of("gpu"))
    if (gpu->is("vendor", "nvidia"))
      for (const auto* fact : {"mig", "mig_instances", "ecc_uncorrected", "remap_pending", "remap_failed", "virtualization", "fabric"})
        if (!gpu->find(fact)) gpu->unknown(fact, why);
}

}  // namespace gpudoctor
