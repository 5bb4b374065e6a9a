// SPDX-License-Identifier: Apache-2.0
#include "efi_keys.hpp"

#include <algorithm>

#include "bytes.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::string_view x509("\xa1\x59\xc0\xa5\xe4\x94\xa7\x4a\x87\xb5\xab\x15\x5c\x2b\xf0\x72", 16);
constexpr std::size_t attributes = 4, head = 28, owner = 16;   // bytes
constexpr std::size_t most_keys = 256;                         // firmware holds a dozen
constexpr std::string_view common_name = "\x06\x03\x55\x04\x03";
constexpr std::string_view text_tags = "\x0c\x13\x14\x16";   // UTF8, Printable, Teletex and IA5String

}  // namespace

std::vector<std::string> common_names(std::string_view der) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = der.find(common_name, at)) != std::string_view::npos;) {
    at += common_name.size();
    if (der.size() - at < 2 || text_tags.find(der[at]) == std::string_view::npos) continue;
    const std::size_t length = static_cast<unsigned char>(der[at + 1]);
    if (length == 0 || length > 127 || length > der.size() - at - 2) continue;
    names.push_back(printable(one_line(der.substr(at + 2, length))));
  }
  return names;
}

Result<std::vector<std::string>> efi_key_names(std::string_view variable) {
  std::vector<std::string> keys;
  if (variable.size() < attributes) return Miss{Why::malformed, "too short for an EFI variable"};
  for (auto rest = variable.substr(attributes); !rest.empty();) {
    if (rest.size() < head) return Miss{Why::malformed, "no list of EFI signatures"};
    const std::size_t list = le32(rest.data() + 16), header = le32(rest.data() + 20), size = le32(rest.data() + 24);
    if (list < head || list > rest.size() || header > list - head || size <= owner)
      return Miss{Why::malformed, "no list of EFI signatures"};
    if (rest.starts_with(x509))
      for (std::size_t at = head + header; size <= list - at && keys.size() < most_keys; at += size)
        for (const auto& name : common_names(rest.substr(at + owner, size - owner)))
          if (std::find(keys.begin(), keys.end(), "key=" + name) == keys.end()) keys.push_back("key=" + name);
    rest.remove_prefix(list);
  }
  return keys;
}

}  // namespace gpudoctor
