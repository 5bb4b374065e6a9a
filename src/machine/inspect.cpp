// SPDX-License-Identifier: Apache-2.0
#include "inspect.hpp"

#include "bytes.hpp"
#include "dpkg.hpp"
#include "gpudoctor/version.hpp"
#include "inspect_bytes.hpp"
#include "macros.hpp"

namespace gpudoctor {
namespace {

constexpr std::uint64_t max_text = 64u << 20;   // a dpkg status file of 60,000 packages is about 50 MB

Result<std::string> whole(const Bytes& bytes) {
  if (bytes.size() > max_text) return Miss{Why::too_large, "larger than 64 MiB"};
  std::string text(static_cast<std::size_t>(bytes.size()), '\0');
  text.resize(bytes.read(0, text.data(), text.size()));
  return text;
}

/// glibc tells its version in one line of its text: "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36."
Result<std::vector<std::string>> libc_version(std::string_view text) {
  const auto banner = text.find("GNU C Library (");
  if (banner == std::string_view::npos) return Miss{Why::malformed, "no glibc"};
  auto line = text.substr(banner, 200);
  line = line.substr(0, line.find('\n'));
  const auto release = line.find("release version ");
  const auto version = release == std::string_view::npos ? std::string() : find_version(line.substr(release));
  if (version.empty()) return Miss{Why::malformed, "its banner names no version"};
  return std::vector<std::string>{"version=" + version};
}

/// cuda.h has a megabyte, and its version stands in the first 14 kB.
std::vector<std::string> macros(const Bytes& bytes) {
  std::string text(std::size_t{64} << 10, '\0');
  text.resize(bytes.read(0, text.data(), text.size()));
  return version_macros(text);
}

}  // namespace

Result<std::vector<std::string>> inspect_file(int descriptor, Inspect what, const std::string& path) {
  const FileBytes bytes(descriptor);
  if (what == Inspect::version_macros) return macros(bytes);
  const bool text_only = what == Inspect::dpkg_status || what == Inspect::dpkg_files || what == Inspect::libc_version;
  if (!text_only) return inspect_bytes(bytes, what, path);
  const auto text = whole(bytes);
  if (!text) return text.miss();
  if (what == Inspect::libc_version) return libc_version(*text);
  return what == Inspect::dpkg_status ? dpkg_packages_of_interest(*text) : dpkg_paths_of_interest(*text);
}

}  // namespace gpudoctor
