// SPDX-License-Identifier: Apache-2.0
// Tiny ELF files, made in memory, so that what a test expects is true by construction.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace make {

/// `count` bytes of a number, little-endian.
inline std::string le(std::uint64_t value, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  return out;
}

inline void patch(std::string& bytes, std::size_t at, std::uint64_t value, int count) {
  bytes.replace(at, static_cast<std::size_t>(count), le(value, count));
}

inline std::string padded(std::string bytes, std::size_t to) {
  bytes.resize((bytes.size() + to - 1) / to * to);
  return bytes;
}

struct Part {
  std::string name;
  std::string bytes;
  std::uint32_t type = 1;
  std::uint64_t alignment = 8;
  std::size_t offset = 0;  ///< set by build()
};

/// What goes into the dynamic table, its strings and .gnu.version_r.
struct DynamicParts {
  std::string soname = {}, rpath = {}, runpath = {};
  std::vector<std::string> needed = {};
  std::vector<std::pair<std::string, std::vector<std::string>>> versions = {};  ///< library, its versions
  std::vector<std::string> undefined = {}, weak = {}, defined = {};  ///< symbols, in this order in the table
  bool gnu_hash = true;                               ///< else DT_HASH
};

class Elf {
 public:
  bool wide = true;
  bool section_headers = true;
  bool segments = true;
  std::uint16_t machine = 62;
  std::vector<Part> parts;

  Elf& add(std::string name, std::string bytes, std::uint32_t type = 1, std::uint64_t alignment = 8) {
    parts.push_back({std::move(name), std::move(bytes), type, alignment});
    return *this;
  }
  Elf& dynamic(const DynamicParts& what);
  std::string build();
  /// Where the section headers of a wide file begin.
  static std::size_t table_offset(const std::string& built) {
    std::size_t out = 0;
    for (int i = 7; i >= 0; --i) out = out << 8 | static_cast<unsigned char>(built[40 + static_cast<std::size_t>(i)]);
    return out;
  }

 private:
  static constexpr std::uint64_t base = 0x10000;
  std::string number(std::uint64_t value) const { return le(value, wide ? 8 : 4); }
  std::size_t header() const { return wide ? 64 : 52; }
  std::size_t segment_size() const { return wide ? 56 : 32; }
  std::size_t first() const { return (header() + 2 * segment_size() + 15) / 16 * 16; }
  std::string segment(std::uint32_t type, std::uint64_t offset, std::uint64_t size) const;
};

/// DT_GNU_HASH with one bucket: a filter that lets all pass, and one chain. `first`: index of the first that is defined.
inline std::string gnu_hash_table(const std::vector<std::string>& defined, std::size_t first, bool wide) {
  std::string out = le(1, 4) + le(first, 4) + le(1, 4) + le(5, 4) + std::string(wide ? 8 : 4, '\xff') + le(defined.empty() ? 0 : first, 4);
  for (std::size_t i = 0; i < defined.size(); ++i) {
    std::uint32_t h = 5381;
    for (const char c : defined[i]) h = h * 33 + static_cast<unsigned char>(c);
    out += le((h & ~1u) | (i + 1 == defined.size() ? 1u : 0u), 4);
  }
  return out;
}
/// DT_HASH with one bucket, from which every symbol is reached.
inline std::string sysv_hash_table(std::size_t symbols) {
  std::string out = le(1, 4) + le(symbols, 4) + le(symbols > 1 ? 1 : 0, 4) + le(0, 4);
  for (std::size_t i = 1; i < symbols; ++i) out += le(i + 1 < symbols ? i + 1 : 0, 4);
  return out;
}

/// Must come before any add(): .dynstr, .gnu.version_r and .dynamic become the first parts, so addresses are known.
inline Elf& Elf::dynamic(const DynamicParts& what) {
  std::string strings(1, '\0'), versions;
  const auto text = [&](const std::string& of) {
    const std::size_t at = strings.size();
    strings += of + '\0';
    return at;
  };
  for (std::size_t i = 0; i < what.versions.size(); ++i) {
    const auto& [library, names] = what.versions[i];
    const bool last = i + 1 == what.versions.size();
    versions += le(1, 2) + le(names.size(), 2) + le(text(library), 4) + le(16, 4);
    versions += le(last ? 0 : 16 + 16 * names.size(), 4);
    for (std::size_t j = 0; j < names.size(); ++j) {
      versions += le(0, 4) + le(0, 2) + le(2, 2) + le(text(names[j]), 4) + le(j + 1 == names.size() ? 0 : 16, 4);
    }
  }
  std::string symbols(wide ? 24 : 16, '\0');
  const auto symbol = [&](const std::string& name, bool weak, bool there) {
    const std::string info = le((weak ? 2u : 1u) << 4 | 2, 1) + le(0, 1) + le(there ? 1 : 0, 2);
    symbols += wide ? le(text(name), 4) + info + le(there ? 64 : 0, 8) + le(0, 8) : le(text(name), 4) + le(0, 4) + le(0, 4) + info;
  };
  for (const auto& name : what.undefined) symbol(name, false, false);
  for (const auto& name : what.weak) symbol(name, true, false);
  for (const auto& name : what.defined) symbol(name, false, true);
  const std::size_t first_defined = 1 + what.undefined.size() + what.weak.size();
  std::string hash = padded(what.gnu_hash ? gnu_hash_table(what.defined, first_defined, wide) : sysv_hash_table(first_defined + what.defined.size()), 16);
  const bool any_symbols = first_defined + what.defined.size() > 1;
  symbols = padded(symbols, 16);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> tags;
  for (const std::string& library : what.needed) tags.push_back({1, text(library)});
  if (!what.soname.empty()) tags.push_back({14, text(what.soname)});
  if (!what.rpath.empty()) tags.push_back({15, text(what.rpath)});
  if (!what.runpath.empty()) tags.push_back({29, text(what.runpath)});
  strings = padded(strings, 16);
  tags.push_back({5, base + first()});
  tags.push_back({10, strings.size()});
  if (!versions.empty()) tags.push_back({0x6ffffffe, base + first() + strings.size()});
  if (any_symbols) {
    const std::uint64_t at = base + first() + strings.size() + padded(versions, 16).size();
    tags.push_back({6, at});
    tags.push_back({what.gnu_hash ? 0x6ffffef5 : 4, at + symbols.size()});
  }
  tags.push_back({0, 0});
  std::string table;
  for (const auto& [tag, value] : tags) table += number(tag) + number(value);
  add(".dynstr", strings, 3, 16).add(".gnu.version_r", padded(versions, 16), 0x6ffffffe, 16);
  if (any_symbols) add(".symbols", symbols, 1, 16).add(".hashes", hash, 1, 16);
  return add(".dynamic", table, 6, 16);
}

inline std::string Elf::segment(std::uint32_t type, std::uint64_t offset, std::uint64_t size) const {
  const std::string place =
      number(offset) + number(base + offset) + number(base + offset) + number(size) + number(size);
  return wide ? le(type, 4) + le(4, 4) + place + number(8) : le(type, 4) + place + le(4, 4) + number(8);
}

inline std::string Elf::build() {
  std::vector<Part> all = parts;
  std::string names(1, '\0');
  std::vector<std::size_t> name_at;
  all.push_back({".shstrtab", "", 3, 1});
  for (const Part& part : all) {
    name_at.push_back(names.size());
    names += part.name + '\0';
  }
  all.back().bytes = names;

  std::string body(first(), '\0');
  std::string load = segment(1, 0, 0), dynamic;
  for (Part& part : all) {
    body = padded(body, part.alignment ? part.alignment : 1);
    part.offset = body.size();
    body += part.bytes;
    if (part.type == 6) dynamic = segment(2, part.offset, part.bytes.size());
  }
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].offset = all[i].offset;
  load = segment(1, 0, body.size());
  body = padded(body, 8);

  std::string table(wide ? 64 : 40, '\0');
  for (std::size_t i = 0; i < all.size(); ++i) {
    table += le(name_at[i], 4) + le(all[i].type, 4) + number(2) + number(base + all[i].offset);
    table += number(all[i].offset) + number(all[i].bytes.size()) + le(0, 8) + number(all[i].alignment) + number(0);
  }
  std::string head = std::string(
                         "\x7f"
                         "ELF") +
                     static_cast<char>(wide ? 2 : 1) + '\1' + '\1';
  head.resize(16);
  head += le(3, 2) + le(machine, 2) + le(1, 4) + number(0);
  head += number(segments ? header() : 0) + number(section_headers ? body.size() : 0) + le(0, 4) + le(header(), 2);
  head += le(segment_size(), 2) + le(segments ? (dynamic.empty() ? 1 : 2) : 0, 2);
  head += le(wide ? 64 : 40, 2) + le(section_headers ? all.size() + 1 : 0, 2) + le(section_headers ? all.size() : 0, 2);
  if (segments) head += load + dynamic;
  body.replace(0, head.size(), head);
  return section_headers ? body + table : body;
}

// ── fatbins ──

constexpr std::uint64_t flag_a = 0x100000, flag_f = 0x200000, packed = 0x8011;

/// One entry with a payload of `size` bytes. Kind 1 is PTX, 2 a cubin.
inline std::string entry(std::uint16_t kind, std::uint32_t arch, std::uint64_t flags = packed, std::size_t size = 40,
                         std::uint32_t header = 64) {
  std::string out = le(kind, 2) + le(0x101, 2) + le(header, 4) + le(size, 8) + le(size, 4) + le(0, 4);
  out += le(8, 2) + le(1, 2) + le(arch, 4) + le(0, 4) + le(0, 4) + le(flags, 8) + le(0, 8) + le(size * 2, 8);
  out.resize(header);
  return out + std::string(size, '\xcc');
}
inline std::string sm(std::uint32_t arch, char suffix = 0, std::size_t size = 40) {
  return entry(2, arch, packed | (suffix == 'a' ? flag_a : suffix == 'f' ? flag_f : 0), size, arch >= 100 ? 112 : 64);
}
inline std::string ptx(std::uint32_t arch) { return entry(1, arch); }

inline std::string blob(const std::string& entries) {
  return le(0xBA55ED50, 4) + le(1, 2) + le(16, 2) + le(entries.size(), 8) + entries;
}

// ── notes ──

inline std::string note(const std::string& owner, const std::string& text) {
  return le(owner.size() + 1, 4) + le(text.size(), 4) + le(0, 4) + padded(owner + '\0', 4) + padded(text, 4);
}

}  // namespace make
