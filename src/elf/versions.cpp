// SPDX-License-Identifier: Apache-2.0
// Symbol versions that a file needs. Layout: Linux Standard Base, "Symbol Versioning", Elfxx_Verneed and Elfxx_Vernaux:
// both are 16 bytes, the same for 32 and 64 bit.
#include <algorithm>
#include <charconv>

#include "elf.hpp"

namespace gpudoctor {
namespace {

constexpr std::uint64_t strtab = 5, verneed = 0x6ffffffe;  // tags
constexpr int most_steps = 16384;                          // over both levels: real files have fewer than 200
constexpr std::size_t longest_name = 256;

/// "2.34" as {2, 34}; {0, 0} for what is no number ("PRIVATE", "ABI_DT_RELR").
std::pair<int, int> number(std::string_view text) {
  std::pair<int, int> out{0, 0};
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.first);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return {0, 0};
  if (std::from_chars(first.ptr + 1, end, out.second).ec != std::errc()) return {0, 0};
  return out;
}

}  // namespace

std::vector<VersionNeed> Elf::version_needs() const {
  std::optional<std::uint64_t> strings, at;
  for (const Tag& tag : tags()) {
    if (tag.tag == strtab) strings = offset_of(tag.value);
    if (tag.tag == verneed) at = offset_of(tag.value);
  }
  std::vector<VersionNeed> out;
  if (!strings || !at) return out;
  int steps = 0;
  for (std::uint64_t library = *at; steps++ < most_steps;) {
    const auto head = read_exactly(*bytes_, library, 16);
    if (!head || le16(head->data()) != 1) break;
    const std::string name = text_at(*bytes_, *strings + le32(head->data() + 4), longest_name);
    std::uint64_t version = library + le32(head->data() + 8);
    for (int left = le16(head->data() + 2); left > 0 && steps++ < most_steps; --left) {
      const auto entry = read_exactly(*bytes_, version, 16);
      if (!entry) break;
      out.push_back({name, text_at(*bytes_, *strings + le32(entry->data() + 8), longest_name)});
      if (le32(entry->data() + 12) == 0) break;
      version += le32(entry->data() + 12);
    }
    if (le32(head->data() + 12) == 0) break;
    library += le32(head->data() + 12);
  }
  return out;
}

std::string glibc_floor(const std::vector<VersionNeed>& needs) {
  constexpr std::string_view prefix = "GLIBC_";
  std::pair<int, int> most{0, 0};
  std::string out;
  for (const VersionNeed& need : needs) {
    if (!need.version.starts_with(prefix)) continue;
    const std::string_view text = std::string_view(need.version).substr(prefix.size());
    if (number(text) > most) {
      most = number(text);
      out = text;
    }
  }
  return out;
}

}  // namespace gpudoctor
