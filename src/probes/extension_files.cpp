// SPDX-License-Identifier: Apache-2.0
#include "extension_files.hpp"

#include <algorithm>
#include <set>

#include "packages_python.hpp"
#include "sonames.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most_packages = 4096, most_folders = 256;   // a folder of packages; of one package without RECORD
constexpr std::size_t most_files = 4096;   // of one folder of packages; the largest seen, with TensorFlow, has 900

/// Looked at by the probes of PyTorch, CUDA's libraries and drivers, or none of whose files is an extension.
bool left_out(std::string_view name) {
  for (const std::string_view one : {"torch", "triton", "pip", "setuptools", "wheel", "cuda-toolkit", "cuda-bindings"})
    if (name == one) return true;
  return name.starts_with("nvidia-") || name.starts_with("pytorch-triton") || name.starts_with("rocm-sdk") || name.starts_with("amd-torch-device");
}

bool is_library(std::string_view name) { return name.ends_with(".so") || contains(name, ".so."); }

/// A package without RECORD (an egg-info of a distribution, a source build): its folder and those in it.
void list_folder(const Machine& machine, const std::string& folder, ExtensionPackage& package, int depth) {
  const auto entries = machine.list(folder);
  if (!entries) return;
  std::size_t folders = 0;
  for (const auto& entry : *entries) {
    if (package.files.size() >= most_files) return;
    if (is_library(entry.name)) package.files.push_back(join(folder, entry.name));
    else if (entry.kind == Kind::folder && depth > 0 && entry.name != "__pycache__" && ++folders <= most_folders) list_folder(machine, join(folder, entry.name), package, depth - 1);
  }
}

ExtensionPackage described(const Machine& machine, const std::string& site, const Package& package, std::string& doubt) {
  ExtensionPackage out{package.entry, package.name, package.version, {}, {}};
  const auto record = join(package.entry, "RECORD");
  const auto files = machine.inspect(record, Inspect::wheel_files);
  if (files) {
    for (const auto& file : *files)
      if (!file.starts_with('/') && !contains(file, "..")) out.files.push_back(join(site, file));
    return out;
  }
  // What a recording does not hold was no extension when it was made, or it is written by hand.
  if (!files.is_absent() && files.miss().why != Why::not_looked && files.miss().why != Why::not_regular && doubt.empty() &&
      files.miss().why != Why::malformed)
    doubt = record + ": " + files.miss().says;
  if (files.is_absent() || files.miss().why == Why::not_regular) list_folder(machine, join(site, replaced(package.name, "-", "_")), out, 1);
  return out;
}

}  // namespace

std::string python_of_file_name(std::string_view name) {
  constexpr std::string_view mark = ".cpython-";
  const auto at = name.find(mark);
  if (at == std::string_view::npos) return {};
  auto digits = name.substr(at + mark.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  if (digits.size() < 2 || digits.size() > 3) return {};
  return std::string(digits.substr(0, 1)) + "." + std::string(digits.substr(1));
}

bool is_system_library(std::string_view soname) {
  const auto stem = soname.substr(0, soname.find(".so"));
  for (const std::string_view one : {"libc", "libm", "libdl", "librt", "libpthread", "libutil", "libgcc_s", "libstdc++", "libgomp", "libomp", "libz",
                                     "ld-linux-x86-64", "ld-linux-aarch64", "ld-linux", "libcrypt", "libresolv", "libatomic", "libnuma"})
    if (stem == one) return true;
  return stem.starts_with("libpython") || stem.starts_with("libgomp-");
}

ExtensionFile parse_extension(const std::string& path, const std::vector<std::string>& dynamic) {
  ExtensionFile out;
  out.path = path;
  for (const std::string_view line : dynamic) {
    const auto value = std::string(line.substr(std::min(line.find('=') + 1, line.size())));
    if (line.starts_with("rpath=")) out.rpath = value;
    if (line.starts_with("runpath=")) out.runpath = value;
    if (line.starts_with("glibc=")) out.glibc = value;
    if (!line.starts_with("needed=")) continue;
    out.needed.push_back(value);
    out.gpu |= is_gpu_library(value);
    out.torch |= is_gpu_library(value) && (value.starts_with("libtorch") || value.starts_with("libc10"));
  }
  return out;
}

std::vector<ExtensionPackage> extension_packages(const Machine& machine, const std::string& site, std::string& doubt) {
  std::vector<ExtensionPackage> out;
  const auto entries = machine.list(site);
  if (!entries) {
    if (!entries.is_absent() && doubt.empty()) doubt = site + ": " + entries.miss().says;
    return out;
  }
  std::set<std::string> owned;
  std::vector<std::string> loose;
  std::size_t files = 0, packages = 0;
  for (const auto& entry : *entries) {
    if (is_library(entry.name)) loose.push_back(join(site, entry.name));
    auto package = package_of(entry.name);
    if (!package || left_out(package->name)) continue;
    package->entry = join(site, entry.name);
    auto one = described(machine, site, *package, doubt);
    for (const auto& file : one.files) owned.insert(file);
    files += one.files.size(), ++packages;
    if (!one.files.empty()) out.push_back(std::move(one));
    if (files > most_files || packages > most_packages) {
      if (doubt.empty()) doubt = site + ": too many packages or shared libraries";
      return out;
    }
  }
  for (const auto& file : loose)
    if (!owned.contains(file)) out.push_back({file, {}, {}, {}, {file}});
  return out;
}

}  // namespace gpudoctor
