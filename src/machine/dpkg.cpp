// SPDX-License-Identifier: Apache-2.0
// dpkg's data base is plain text: megabytes of it, of which a few lines matter here.
#include "dpkg.hpp"

#include <algorithm>
#include <array>

#include "gpudoctor/machine.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// Beginnings of names. Wide on purpose: what is no part of a driver is told apart by the probes.
constexpr std::array<std::string_view, 33> beginnings{"nvidia",
                                                      "libnvidia",
                                                      "libcuda",
                                                      "cuda",
                                                      "cudnn",
                                                      "libcudnn",
                                                      "libnccl",
                                                      "nccl",
                                                      "xserver-xorg-video-n",
                                                      "firmware-nvidia",
                                                      "linux-modules-nvidia",
                                                      "linux-objects-nvidia",
                                                      "linux-signatures-nvidia",
                                                      "linux-image-nvidia",
                                                      "libcu",
                                                      "libnvrtc",
                                                      "libnvjitlink",
                                                      "libnpp",
                                                      "libnvinfer",
                                                      "tensorrt",
                                                      "libtorch",
                                                      "python3-torch",
                                                      "rocm",
                                                      "hip",
                                                      "amdgpu",
                                                      "libamdhip64",
                                                      "rccl",
                                                      "miopen",
                                                      "hsa-rocr",
                                                      "libhsa-runtime",
                                                      "docker-ce",
                                                      "podman",
                                                      "libnvfatbin"};

}  // namespace

bool package_of_interest(std::string_view name) {
  if (name == "libc6" || name == "dkms" || name == "mokutil") return true;
  if (name.starts_with("libcur") || name.starts_with("libcue") || name.starts_with("libcups"))
    return false;  // libcurl, libcue, libcupsfilters
  return std::any_of(beginnings.begin(), beginnings.end(), [name](auto start) { return name.starts_with(start); });
}

namespace {

std::string_view value_of(std::string_view line, std::string_view field) {
  return line.starts_with(field) ? trim(line.substr(field.size())) : std::string_view();
}

constexpr std::string_view package = "Package: ";

/// The next stanza's start, or npos. Searched for by its P: there are far fewer of them than ends of lines.
std::size_t next_stanza(std::string_view status, std::size_t from) {
  auto at = status.find(package, from);
  while (at != std::string_view::npos && at > 0 && status[at - 1] != '\n') at = status.find(package, at + 1);
  return at;
}

}  // namespace

std::vector<std::string> dpkg_packages_of_interest(std::string_view status) {
  std::vector<std::string> result;
  for (std::size_t at = next_stanza(status, 0); at != std::string_view::npos;) {
    const auto next = next_stanza(status, at + package.size());
    const auto name = trim(status.substr(at + package.size(), status.find('\n', at) - at - package.size()));
    if (package_of_interest(name)) {
      std::string_view version, state, architecture;
      // A stanza ends at an empty line; long descriptions are skipped by looking at beginnings of lines only.
      for (const auto line : lines(status.substr(at, next - at))) {
        if (line.empty()) break;
        if (const auto text = value_of(line, "Version:"); !text.empty()) version = text;
        if (const auto text = value_of(line, "Status:"); !text.empty()) state = text;
        if (const auto text = value_of(line, "Architecture:"); !text.empty()) architecture = text;
      }
      auto row = std::string(name);
      for (const auto part : {version, state, architecture}) row.append("\t").append(part);
      result.push_back(std::move(row));
    }
    at = next;
  }
  return result;
}

std::vector<std::string> dpkg_paths_of_interest(std::string_view list) {
  static constexpr std::array<std::string_view, 8> patterns{"libcu*.so*",    "libnv*.so*", "libnccl*.so*",
                                                            "libtorch*.so*", "cudnn*.h",   "nvidia*.ko*",
                                                            "version.*",     "libc10*.so*"};
  static constexpr std::array<std::string_view, 8> names{"nvcc",   "nvidia-smi", "nvidia-uninstall", "nvidia-modprobe",
                                                         "nccl.h", "cuda.h",     "nvidia-installer", "hipcc"};
  std::vector<std::string> result;
  for (const auto path : lines(list)) {
    const auto name = path.substr(path.find_last_of('/') + 1);
    const auto fits = [name](std::string_view pattern) { return matches(name, pattern); };
    const bool wanted =
        std::find(names.begin(), names.end(), name) != names.end() ||
        (name.find('.') != std::string_view::npos && std::any_of(patterns.begin(), patterns.end(), fits));
    if (wanted && !contains(name, ".gz") && path.starts_with('/')) result.emplace_back(path);
  }
  return result;
}

}  // namespace gpudoctor
