// SPDX-License-Identifier: Apache-2.0
// nvidia-smi's table. Its header says "Driver Version / CUDA Version" up to R605 and "KMD Version / CUDA UMD Version" from R610 on.
#include "reader.hpp"
#include "text.hpp"
#include "pci.hpp"

namespace gpudoctor {
namespace {

constexpr const char* name = "nvidia-smi";

/// What follows a label, up to the next run of two spaces or a bar.
std::string after(std::string_view line, std::string_view label) {
  const auto at = line.find(label);
  if (at == std::string_view::npos) return {};
  const auto rest = trim(line.substr(at + label.size()));
  return std::string(rest.substr(0, rest.find_first_of(" |")));
}

void header(const Paste& paste, std::size_t i, Said& said) {
  const auto& line = paste[i].text;
  const Witness seen = paste.witness(i, name);
  const auto own = after(line, "NVIDIA-SMI ");
  auto driver = after(line, "Driver Version: "), cuda = after(line, "CUDA Version: ");
  if (driver.empty()) driver = after(line, "KMD Version: ");
  if (cuda.empty()) cuda = after(line, "CUDA UMD Version: ");
  if (Version(own).valid()) said.driver().known("smi", own, seen);
  if (Version(driver).valid()) said.driver().known("loaded", driver, seen);
  if (Version(cuda).valid()) said.driver().known("cuda", cuda, seen);
}

/// "|   0  NVIDIA A10G         Off  | 00000000:01:00.0 Off |                  N/A |"; a MIG device's row has no name.
bool gpu_row(const Paste& paste, std::size_t i, Said& said) {
  const std::string_view line = trim(paste[i].text);
  if (!line.starts_with('|')) return false;
  const auto cells = split(line.substr(1), '|');
  if (cells.size() < 2) return false;
  const auto bus = words(cells[1]);
  if (bus.empty() || pci_address(bus.front()).empty() || !contains(bus.front(), ":")) return false;
  auto left = trim(cells[0]);
  const auto index = left.substr(0, left.find(' '));
  if (to_number(index) < 0) return false;
  left = trim(left.substr(index.size()));
  for (const std::string_view mode : {" Off", " On", " N/A", " TCC", " WDDM", " MCDM"})   // persistence, or Windows' driver model
    if (left.ends_with(mode)) {
      left = trim(left.substr(0, left.size() - mode.size()));
      break;
    }
  const Witness seen = paste.witness(i, name);
  Entity& gpu = said.gpu(left, name, seen);
  gpu.known("smi", "yes", seen).known("address", pci_address(bus.front()), seen);
  return true;
}

}  // namespace

void read_nvidia_smi(Paste& paste, Said& said) {
  for (std::size_t i = 0; i < paste.size(); ++i) {
    const auto& line = paste[i].text;
    if (contains(line, "NVIDIA-SMI ") && (contains(line, "Driver Version: ") || contains(line, "KMD Version: "))) header(paste, i, said), paste.take(i);
    else if (line.find('|') != std::string::npos && gpu_row(paste, i, said)) paste.take(i);
    else if (line.starts_with("+-") || line.starts_with("|=") || line.starts_with("|-")) paste.take(i);
  }
}

}  // namespace gpudoctor
