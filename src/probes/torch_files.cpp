// SPDX-License-Identifier: Apache-2.0
#include "torch_files.hpp"

#include <algorithm>
#include <cctype>

#include "gpudoctor/version.hpp"
#include "text.hpp"

namespace gpudoctor {

namespace {

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool hexadecimal(char c) { return std::isxdigit(static_cast<unsigned char>(c)); }
bool word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The digits and dots at the start.
std::string_view dotted(std::string_view text) {
  auto end = text.find_first_not_of("0123456789.");
  text = text.substr(0, end);
  while (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<VersionFile> parse_version_file(std::string_view text) {
  VersionFile file;
  int number = 0;
  for (const auto line : lines(text)) {
    ++number;
    // name [: annotation] = value
    const auto end = static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), word_letter) - line.begin());
    if (end == 0) continue;
    auto rest = trim(line.substr(end));
    if (rest.starts_with(':'))
      rest = rest.find('=') == std::string_view::npos ? std::string_view() : rest.substr(rest.find('='));
    if (!rest.starts_with('=') || rest.starts_with("==")) continue;
    const auto value = trim(rest.substr(1));
    Assigned assigned{{}, value == "None" || value.starts_with("None "), number};
    if (value.size() >= 2 && (value[0] == '\'' || value[0] == '"')) {
      const auto close = value.find(value[0], 1);
      if (close == std::string_view::npos) continue;
      assigned.value = printable(value.substr(1, close - 1));
    } else if (!assigned.none) {
      continue;  // True, False, a call: nothing that is asked for
    }
    file.emplace(std::string(line.substr(0, end)), std::move(assigned));
  }
  const auto version = file.find("__version__");
  if (version == file.end() || !Version(version->second.value, Scheme::pep440).valid()) return std::nullopt;
  return file;
}

std::vector<std::string> parse_pins(std::string_view metadata) {
  std::vector<std::string> pins;
  for (const auto line : lines(metadata)) {
    if (line.empty()) break;  // the description follows
    constexpr std::string_view field = "Requires-Dist:";
    if (!line.starts_with(field)) continue;
    auto asked = line.substr(field.size());
    const auto marker = asked.find(';');
    const auto when = marker == std::string_view::npos ? std::string_view() : asked.substr(marker);
    if (contains(when, "extra ==") || contains(when, "Windows") || contains(when, "win32") || contains(when, "arwin"))
      continue;
    asked = trim(asked.substr(0, marker));
    // "nvidia-cudnn-cu11 (==8.5.0.96)", "cuda-toolkit[cublas,cudart]==13.0.2", "triton==3.6.0"
    const auto name_end = std::min(asked.find_first_of(" [(=<>!~"), asked.size());
    const auto name = normalized_package(asked.substr(0, name_end));
    if (!name.starts_with("nvidia-") && name != "cuda-toolkit" && !contains(name, "triton")) continue;
    const auto equals = asked.find("==");
    if (equals == std::string_view::npos) continue;
    const auto version = asked.substr(equals + 2, asked.find_first_of(" ),", equals) - equals - 2);
    if (Version(std::string(version), Scheme::pep440).valid()) pins.push_back(name + "==" + std::string(version));
  }
  return pins;
}

std::string wheel_tag(std::string_view local) {
  if (local == "cpu" || local.starts_with("cpu.")) return "cpu";
  if (local == "xpu" || local.starts_with("xpu.")) return "xpu";
  if (local.starts_with("cu") && local.size() > 3 && digit(local[2]))
    return "cu" + std::string(split(dotted(local.substr(2)), '.').front());
  if (local.starts_with("rocm") && local.size() > 4 && digit(local[4]))
    return "rocm" + std::string(dotted(local.substr(4)));
  return {};
}

std::string cuda_tag(std::string_view cuda) {
  const Version version{std::string(cuda)};
  if (!version.valid() || version.parts().size() < 2) return {};
  return "cu" + std::to_string(version.major()) + std::to_string(version.minor());
}

std::string rocm_version(std::string_view tag, std::string_view rocm, std::string_view hip) {
  if (tag.starts_with("rocm")) return std::string(tag.substr(4));
  if (const auto version = dotted(rocm); !version.empty()) return std::string(version);
  const Version version{std::string(dotted(hip))};
  return version.valid() ? version.first(2) : std::string();
}

std::string torch_origin(const Clues& clues) {
  const Version version(clues.version, Scheme::pep440);
  const auto local = version.local();
  // ".nv25.01", or normalised ".nv26.8.<build>", after a hash.
  for (auto at = local.find("nv"); at != std::string::npos; at = local.find("nv", at + 1))
    if ((at == 0 || local[at - 1] == '.') && at + 2 < local.size() && digit(local[at + 2]))
      return clues.jetson ? "jetson" : "ngc";
  if (contains(version.without_local(), ".dev")) return "nightly";
  if (!wheel_tag(local).empty()) return "wheel";
  const bool system = clues.folder.starts_with("/usr/lib/") || clues.folder.starts_with("/usr/lib64/");
  if (local.starts_with("debian") || local.starts_with("ubuntu") ||
      clues.folder.starts_with("/usr/lib/python3/dist-packages/"))
    return "debian";
  const bool hash = local.size() >= 7 && std::all_of(local.begin(), local.begin() + 7, hexadecimal);
  if (local.starts_with("git") || hash || contains(version.without_local(), "a0")) return "source";
  if (!clues.conda_build.empty())  // the official channel starts with the Python: py3.11_cuda12.4_cudnn9.1.0_0
    return clues.conda_build.starts_with("py") && contains(clues.conda_build, "_") && digit(clues.conda_build[2])
               ? "conda"
               : "conda-forge";
  if (clues.jetson && clues.cuda) return "jetson";
  if (!system && !clues.installer.empty() && clues.installer != "conda") return "wheel";
  if (clues.installer == "conda") return "conda-forge";
  return "source";
}

std::string cudnn_of_build(std::string_view conda_build) {
  const auto at = conda_build.find("cudnn");
  return at == std::string_view::npos ? std::string() : std::string(dotted(conda_build.substr(at + 5)));
}

std::string python_of_module(std::string_view name) {
  const auto at = name.find(".cpython-");
  if (at == std::string_view::npos) return {};
  const auto digits = name.substr(at + 9, name.find_first_not_of("0123456789", at + 9) - at - 9);
  return digits.size() < 2 ? std::string() : std::string(digits.substr(0, 1)) + "." + std::string(digits.substr(1));
}

std::string glibc_of_wheel(std::string_view wheel) {
  static constexpr std::pair<std::string_view, std::string_view> old[] = {{"manylinux2014_", "2.17"}, {"manylinux2010_", "2.12"}, {"manylinux1_", "2.5"}};
  std::string least;
  const auto take = [&least](const std::string& glibc) {
    if (least.empty() || compare(Version(glibc), Version(least)) == Order::less) least = glibc;
  };
  for (const auto line : split(wheel, '\n')) {
    if (!line.starts_with("Tag:")) continue;
    if (const auto at = line.find("manylinux_"); at != std::string_view::npos) {
      const auto parts = split(line.substr(at + 10), '_');
      if (parts.size() > 1 && to_number(parts[0]) > 0 && to_number(parts[1]) >= 0) take(std::string(parts[0]) + "." + std::string(parts[1]));
    }
    for (const auto& [tag, glibc] : old)
      if (contains(line, tag)) take(std::string(glibc));
  }
  return least;
}

std::string gfx_of_name(std::string_view name) {
  const auto at = name.find("gfx");
  if (at == std::string_view::npos) return {};
  auto end = at + 3;
  while (end < name.size() && hexadecimal(name[end])) ++end;
  return end - at < 6 ? std::string() : std::string(name.substr(at, end - at));
}

}  // namespace gpudoctor
