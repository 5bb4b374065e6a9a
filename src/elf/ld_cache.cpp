// SPDX-License-Identifier: Apache-2.0
#include "ld_cache.hpp"

#include "bytes.hpp"

namespace gpudoctor {
namespace {

constexpr std::string_view old_magic = "ld.so-1.7.0", magic = "glibc-ld.so.cache1.1";
constexpr std::size_t old_header = 16, old_entry = 12, header = 48, entry = 24;   // bytes
constexpr std::uint32_t most_entries = 1u << 18;                                  // distributions have 2,000 to 10,000
constexpr std::uint32_t elf_libc6 = 3, x86_64 = 0x0300, aarch64 = 0x0a00;         // flags: kind and architecture
constexpr std::uint64_t level_mark = std::uint64_t{1} << 62;                      // the low half is then an index of names
constexpr std::uint32_t extension_magic = 0xeaa42174, names_of_levels = 1;        // tag of the section

bool wanted(std::uint32_t flags) { return flags == (elf_libc6 | x86_64) || flags == (elf_libc6 | aarch64); }

std::string text(std::string_view bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const auto rest = bytes.substr(at, 4096);
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string() : one_line(rest.substr(0, end));
}

/// Names of the levels by index; a section of their offsets in the extensions.
std::vector<std::string> levels(std::string_view cache) {
  std::vector<std::string> out;
  const std::uint64_t at = le32(cache.data() + 32);
  if (at == 0 || !inside(at, 8, cache.size()) || le32(cache.data() + at) != extension_magic) return out;
  const std::uint32_t sections = le32(cache.data() + at + 4);
  for (std::uint64_t i = 0; i < sections && i < 16; ++i) {
    const std::uint64_t section = at + 8 + i * 16;
    if (!inside(section, 16, cache.size())) break;
    const std::uint64_t from = le32(cache.data() + section + 8), size = le32(cache.data() + section + 12);
    if (le32(cache.data() + section) != names_of_levels || !inside(from, size, cache.size())) continue;
    for (std::uint64_t j = 0; j + 4 <= size && j < 4096; j += 4) out.push_back(text(cache, le32(cache.data() + from + j)));
  }
  return out;
}

std::vector<CachedLibrary> new_table(std::string_view cache) {
  std::vector<CachedLibrary> out;
  const auto names = levels(cache);
  const std::uint32_t count = le32(cache.data() + 20);
  for (std::uint64_t i = 0; i < count && i < most_entries; ++i) {
    const std::uint64_t at = header + i * entry;
    if (!inside(at, entry, cache.size())) break;
    if (!wanted(le32(cache.data() + at))) continue;
    const std::uint64_t hardware = le64(cache.data() + at + 16);
    CachedLibrary one{text(cache, le32(cache.data() + at + 4)), text(cache, le32(cache.data() + at + 8)), {}};
    if (hardware & level_mark) {
      const std::uint64_t index = hardware & 0xffffffff;
      if (index >= names.size()) continue;
      one.level = names[index];
    } else if (hardware != 0) {
      continue;   // levels of before glibc 2.33; no GPU library is published for them
    }
    if (!one.soname.empty() && one.path.starts_with('/')) out.push_back(std::move(one));
  }
  return out;
}

std::vector<CachedLibrary> old_table(std::string_view cache, std::uint64_t count) {
  std::vector<CachedLibrary> out;
  const std::uint64_t strings = old_header + count * old_entry;
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* at = cache.data() + old_header + i * old_entry;
    if (!wanted(le32(at))) continue;
    CachedLibrary one{text(cache, strings + le32(at + 4)), text(cache, strings + le32(at + 8)), {}};
    if (!one.soname.empty() && one.path.starts_with('/')) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

Result<std::vector<CachedLibrary>> parse_ld_cache(std::string_view bytes) {
  if (bytes.starts_with(magic) && bytes.size() >= header) return new_table(bytes);
  if (!bytes.starts_with(old_magic) || bytes.size() < old_header) return Miss{Why::malformed, "not a cache of the dynamic loader"};
  const std::uint64_t count = le32(bytes.data() + 12), end = old_header + count * old_entry;
  if (count > most_entries || end > bytes.size()) return Miss{Why::malformed, "a cut-off cache of the dynamic loader"};
  const std::uint64_t next = (end + 7) & ~std::uint64_t{7};   // the new table follows, aligned
  if (next <= bytes.size()) {
    const auto rest = bytes.substr(next);
    if (rest.starts_with(magic) && rest.size() >= header) return new_table(rest);
  }
  return old_table(bytes, count);
}

}  // namespace gpudoctor
