// SPDX-License-Identifier: Apache-2.0
#include "inspect.hpp"

#include "bytes.hpp"
#include "dpkg.hpp"
#include "inspect_bytes.hpp"

namespace gpudoctor {
namespace {

constexpr std::uint64_t max_text = 64u << 20;   // a dpkg status file of 60,000 packages is about 50 MB

Result<std::string> whole(const Bytes& bytes) {
  if (bytes.size() > max_text) return Miss{Why::too_large, "larger than 64 MiB"};
  std::string text(static_cast<std::size_t>(bytes.size()), '\0');
  text.resize(bytes.read(0, text.data(), text.size()));
  return text;
}

}  // namespace

Result<std::vector<std::string>> inspect_file(int descriptor, Inspect what, const std::string& path) {
  const FileBytes bytes(descriptor);
  if (what != Inspect::dpkg_status && what != Inspect::dpkg_files) return inspect_bytes(bytes, what, path);
  const auto text = whole(bytes);
  if (!text) return text.miss();
  return what == Inspect::dpkg_status ? dpkg_packages_of_interest(*text) : dpkg_paths_of_interest(*text);
}

}  // namespace gpudoctor
