// SPDX-License-Identifier: Apache-2.0
// The GPUs: by the PCI bus, with what their kernel drivers tell without being asked.
#include "pci.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "all.hpp"
#include "files.hpp"
#include "text.hpp"

namespace gpudoctor {

std::string gpu_vendor(std::string_view vendor, std::string_view device_class) {
  const bool display = device_class.starts_with("0x03");
  const bool accelerator = device_class.starts_with("0x1200");  // AMD Instinct
  if (vendor == "0x10de") return display || device_class.empty() ? "nvidia" : "";
  if (vendor == "0x1002") return display || accelerator || device_class.empty() ? "amd" : "";
  if (vendor == "0x8086") return display ? "intel" : "";  // without a class it may be any part of the chipset
  return {};
}

std::string gfx_of_target_version(long version) {
  return version <= 0 ? std::string()
                      : fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

bool is_virtual_gpu(std::string_view config) {
  const auto at = [config](std::size_t i) { return i < config.size() ? static_cast<unsigned char>(config[i]) : 0; };
  if ((at(6) & 0x10) == 0) return false;
  for (std::size_t here = at(0x34) & 0xfc, steps = 0; here >= 0x40 && steps < 48; here = at(here + 1) & 0xfc, ++steps)
    if (at(here) == 0x09 && at(here + 3) == 'V' && at(here + 4) == 'F') return true;
  return false;
}

std::map<std::string, std::string> parse_pairs(std::string_view text) {
  std::map<std::string, std::string> result;
  for (const auto line : lines(text)) {
    const auto end = line.find_first_of(line.find(':') == std::string_view::npos ? " \t" : ":");
    if (end == std::string_view::npos) continue;
    result.emplace(trim(line.substr(0, end)), printable(trim(line.substr(end + 1))));
  }
  return result;
}

std::string pci_address(std::string_view text) {
  std::string address = lower(trim(text));
  const auto colon = address.find(':');
  if (colon == std::string::npos) return address;
  if (address.find(':', colon + 1) == std::string::npos) return "0000:" + address;  // lspci leaves domain 0 out
  while (address.find(':') > 4 && address[0] == '0') address.erase(0, 1);
  return address;
}

namespace {

const std::string bus = "/sys/bus/pci/devices";

struct Device {
  std::string address, vendor;
};

/// Domains may have more than four digits: the shorter address is the lower one.
bool before(const Device& a, const Device& b) {
  return a.address.size() != b.address.size() ? a.address.size() < b.address.size() : a.address < b.address;
}

void describe(const Machine& machine, const Device& device, int index, Facts& facts) {
  const auto folder = join(bus, device.address);
  Entity& gpu = facts.at("gpu", device.address);
  gpu.known("vendor", device.vendor, seen(folder + "/vendor"));
  gpu.known("address", device.address, seen(folder));
  gpu.known("index", std::to_string(index), seen(folder));
  const auto vendor = first_line(machine, folder + "/vendor");
  const auto id = first_line(machine, folder + "/device");
  if (vendor && id && vendor->starts_with("0x") && id->starts_with("0x"))
    gpu.known("pci_id", lower(vendor->substr(2) + ":" + id->substr(2)), seen(folder + "/device"));
  else if (id)
    gpu.unknown("pci_id", folder + "/device: not in the expected form");
  else
    gpu.missed("pci_id", id.miss(), folder + "/device");
  const auto driver = machine.link(folder + "/driver");
  if (driver)
    gpu.known("bound", base_name(*driver), seen(folder + "/driver"));
  else
    gpu.missed("bound", driver.miss(), folder + "/driver");
}

/// What the loaded nvidia module tells of each card; a card that it has not initialised has no name yet.
void names_by_nvidia(const Machine& machine, Facts& facts) {
  for (const auto& path : glob(machine, "/proc/driver/nvidia/gpus/*/information")) {
    const auto text = machine.read(path, 1 << 16);
    Entity* gpu = facts.find(Id{"gpu", pci_address(base_name(parent(path)))});
    if (!text || !gpu) continue;
    const auto model = parse_pairs(*text)["Model"];
    if (!model.empty() && model != "Unknown") gpu->known("name", model, {Rank::tool, path, 0, {}});
  }
}

/// A virtual GPU has "VF" in its vendor-specific capability. Only root reads the configuration space beyond its first
/// 64 bytes (PCI specification: status at 6, first capability at 0x34, each with its id, the next one, and here its length).
void virtual_gpus(const Machine& machine, Facts& facts) {
  for (Entity* gpu : facts.of("gpu")) {
    if (!gpu->is("vendor", "nvidia") || !gpu->has("address")) continue;
    const auto path = join(join(bus, gpu->get("address")), "config");
    const auto text = machine.read(path, 1 << 13);
    if (text && text->size() >= 256) gpu->known("virtualization", is_virtual_gpu(*text) ? "vgpu" : "none", seen(path));
  }
}

/// amdgpu's compute side tells the target of each GPU, and where on the bus it is.
void targets_by_amd(const Machine& machine, Facts& facts) {
  for (const auto& path : glob(machine, "/sys/class/kfd/kfd/topology/nodes/*/properties")) {
    const auto text = machine.read(path, 1 << 16);
    if (!text) continue;
    auto node = parse_pairs(*text);
    const auto gfx = gfx_of_target_version(to_number(node["gfx_target_version"]));
    const long where = to_number(node["location_id"]), domain = std::max(0L, to_number(node["domain"]));
    if (gfx.empty() || where < 0) continue;
    const auto address =
        fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, where >> 8 & 0xff, where >> 3 & 0x1f, where & 7);
    if (Entity* gpu = facts.find(Id{"gpu", address})) gpu->known("gfx", gfx, seen(path));
  }
}

/// A Jetson's GPU is part of the chip and on no bus (Thor's is).
bool tegra(const Machine& machine, Facts& facts) {
  static constexpr std::pair<const char*, const char*> chips[] = {
      {"nvidia,tegra210", "5.3"}, {"nvidia,tegra186", "6.2"}, {"nvidia,tegra194", "7.2"}, {"nvidia,tegra234", "8.7"}};
  const std::string source = "/proc/device-tree/compatible";
  const auto text = machine.read(source, 1 << 12);
  if (!text) return false;
  for (const auto name : split(*text, '\0'))
    for (const auto& [chip, capability] : chips)
      if (name == chip) {
        Entity& gpu = facts.at("gpu", "tegra");
        gpu.known("vendor", "nvidia", seen(source))
            .known("index", "0", seen(source))
            .known("brand", "tegra", seen(source))
            .absent("bound", seen(source));
        gpu.known("compute_capability", capability, seen(source));
        if (const auto model = first_line(machine, "/proc/device-tree/model"))
          gpu.known("name", replaced(*model, "?", ""), seen("/proc/device-tree/model"));  // the NUL at its end
        return true;
      }
  return false;
}

void run(const Machine& machine, const Scope&, Facts& facts) {
  if (!machine.running()) return facts.not_looked("gpu", "an unpacked root has no bus");
  const bool soc = tegra(machine, facts);
  const auto entries = machine.list(bus);
  if (!entries && !entries.is_absent()) return facts.not_looked("gpu", bus + ": " + entries.miss().says);
  std::vector<Device> devices;
  std::vector<std::string> bridges;   // NVSwitches among them; what each is, the matrix knows
  if (entries)
    for (const auto& entry : *entries) {
      const auto vendor = first_line(machine, join(join(bus, entry.name), "vendor"));
      if (!vendor) {
        if (vendor.miss().why != Why::absent)
          facts.not_looked("gpu", join(bus, entry.name) + ": " + vendor.miss().says);
        continue;
      }
      const auto device_class = first_line(machine, join(join(bus, entry.name), "class")).value_or("");
      const auto kind = gpu_vendor(*vendor, device_class);
      if (*vendor == "0x10de" && device_class.starts_with("0x0680"))
        if (const auto id = first_line(machine, join(join(bus, entry.name), "device")); id && id->starts_with("0x"))
          bridges.push_back(lower(id->substr(2)));
      if (!kind.empty()) devices.push_back({entry.name, kind});
    }
  std::sort(devices.begin(), devices.end(), before);
  std::map<std::string, int> counts;
  if (soc) counts["nvidia"] = 1;
  for (const auto& device : devices) describe(machine, device, counts[device.vendor]++, facts);
  if (Entity* container = facts.find(Id{"container", ""}); container && container->is("inside", "yes") && entries)
    container->known("host_gpus", std::to_string(counts["nvidia"]), seen(bus));
  names_by_nvidia(machine, facts);
  virtual_gpus(machine, facts);
  targets_by_amd(machine, facts);
  if (exists(machine, "/dev/dxg")) return facts.not_looked("gpu", "WSL shows its GPUs only as /dev/dxg");
  if (!entries && !soc) return facts.not_looked("gpu", bus + " is not there");
  facts.looked("gpu");
  Entity& host = facts.at("host");
  bridges.empty() ? host.absent("nvidia_bridges", seen(bus)) : host.known("nvidia_bridges", bridges, seen(bus));
}

}  // namespace

const Probe pci = {
    .name = "pci",
    .need = Need::running_system,
    .reads = {"/sys/bus/pci/devices/*", "/sys/bus/pci/devices/*/*", "/proc/driver/nvidia/gpus/*/information",
              "/sys/class/kfd/kfd/topology/nodes/*/properties", "/proc/device-tree/*", "/dev/dxg"},
    .run = run,
};

}  // namespace gpudoctor
