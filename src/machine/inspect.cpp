// SPDX-License-Identifier: Apache-2.0
#include "inspect.hpp"

#include <algorithm>

#include "bytes.hpp"
#include "dpkg.hpp"
#include "efi_keys.hpp"
#include "file_tree.hpp"
#include "gpudoctor/version.hpp"
#include "inspect_bytes.hpp"
#include "kept.hpp"
#include "ld_cache.hpp"
#include "macros.hpp"
#include "rpm.hpp"
#include "sonames.hpp"
#include "strings.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::uint64_t max_record = 8u << 20;   // TensorFlow's has 3 MB
constexpr std::uint64_t max_text = 64u << 20;   // a dpkg status file of 60,000 packages is about 50 MB

Result<std::string> whole(const Bytes& bytes) {
  if (bytes.size() > max_text) return Miss{Why::too_large, "larger than 64 MiB"};
  std::string text(static_cast<std::size_t>(bytes.size()), '\0');
  text.resize(bytes.read(0, text.data(), text.size()));
  return text;
}

/// glibc tells its version in one line of its text: "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36."
Result<std::vector<std::string>> libc_version(const Bytes& bytes) {
  bool is_glibc = false;
  std::string version;
  find_text(bytes, 0, std::min(bytes.size(), max_text), "GNU C Library (", [&](std::string_view text) {
    is_glibc = true;
    text = text.substr(0, text.find('\n'));
    const auto release = text.find("release version ");
    if (release != std::string_view::npos) version = find_version(text.substr(release));
    return true;
  });
  if (!is_glibc) return Miss{Why::malformed, "no glibc"};
  if (version.empty()) return Miss{Why::malformed, "its banner names no version"};
  return std::vector<std::string>{"version=" + version};
}

/// cuda.h has a megabyte, and its version stands in the first 14 kB.
std::vector<std::string> macros(const Bytes& bytes) {
  std::string text(std::size_t{64} << 10, '\0');
  text.resize(bytes.read(0, text.data(), text.size()));
  return version_macros(text);
}

/// A cache of a desktop has 2,000 lines of which a dozen are of interest.
Result<std::vector<std::string>> ld_cache(std::string_view text) {
  const auto libraries = parse_ld_cache(text);
  if (!libraries) return libraries.miss();
  std::vector<std::string> lines;
  for (const auto& one : *libraries)
    if (is_gpu_library(one.soname)) lines.push_back(one.soname + "\t" + one.path + "\t" + one.level);
  return lines;
}

/// "torchvision/_C.so,sha256=…,8398048": a comma in a name is quoted, and no library has one.
std::vector<std::string> wheel_files(std::string_view record) {
  constexpr std::size_t most = 4096;
  std::vector<std::string> files;
  for (std::size_t hit = record.find(".so"); hit != std::string_view::npos && files.size() < most; hit = record.find(".so", hit)) {
    const auto start = record.rfind('\n', hit) + 1;
    const auto end = std::min(record.find('\n', hit), record.size());
    const auto line = record.substr(start, end - start);
    const auto path = line.substr(0, line.find(','));
    const auto name = path.substr(path.find_last_of('/') + 1);
    if (name.ends_with(".so") || contains(name, ".so.")) files.push_back(printable(path));
    hit = end;
  }
  return files;
}

/// The end of a kernel log, which is the current boot; 16 MiB are about 150,000 lines.
std::string end_of(const Bytes& bytes) {
  constexpr std::uint64_t most = 16u << 20;
  const auto from = bytes.size() > most ? bytes.size() - most : 0;
  std::string text(static_cast<std::size_t>(bytes.size() - from), '\0');
  text.resize(bytes.read(from, text.data(), text.size()));
  return text;
}

}  // namespace

Result<std::vector<std::string>> inspect_file(int descriptor, Inspect what, const std::string& path) {
  if (what == Inspect::rpm_packages) return rpm_packages_of_interest(Descriptor(descriptor));
  const FileBytes bytes(descriptor);
  if (what == Inspect::version_macros) return macros(bytes);
  if (what == Inspect::libc_version) return libc_version(bytes);
  if (what == Inspect::kernel_log) return kernel_lines_of_interest(end_of(bytes));
  const bool about_text = what == Inspect::dpkg_status || what == Inspect::dpkg_files || what == Inspect::build_log || what == Inspect::efi_keys ||
                          what == Inspect::ld_cache || what == Inspect::wheel_files;
  if (!about_text) return inspect_bytes(bytes, what, path);
  if (what == Inspect::wheel_files && bytes.size() > max_record) return Miss{Why::too_large, "larger than 8 MiB"};
  const auto text = whole(bytes);
  if (!text) return text.miss();
  if (what == Inspect::ld_cache) return ld_cache(*text);
  if (what == Inspect::wheel_files) return wheel_files(*text);
  if (what == Inspect::build_log) return build_errors(*text);
  if (what == Inspect::efi_keys) return efi_key_names(*text);
  return what == Inspect::dpkg_status ? dpkg_packages_of_interest(*text) : dpkg_paths_of_interest(*text);
}

}  // namespace gpudoctor
