// SPDX-License-Identifier: Apache-2.0
// The dynamic table. Tag numbers: gABI chapter 5, "Dynamic Section".
#include <algorithm>

#include "elf.hpp"

namespace gpudoctor {
namespace {

constexpr std::uint32_t load = 1, dynamic_segment = 2;  // p_type
constexpr std::uint32_t dynamic_section = 6;            // sh_type
constexpr std::uint64_t needed = 1, strtab = 5, strsz = 10, soname = 14, rpath = 15, runpath = 29;
constexpr std::uint64_t hash = 4, symtab = 6, gnu_hash = 0x6ffffef5;
constexpr std::size_t most_needed = 4096;
constexpr std::size_t longest_path = 65536;  // bytes of one rpath

}  // namespace

std::vector<Elf::Tag> Elf::tags() const {
  std::uint64_t offset = 0, size = 0;
  for (const Segment& s : segments_) {
    if (s.type == dynamic_segment) offset = s.offset, size = s.size;
  }
  if (segments_.empty()) {
    for (const Section& s : sections_) {
      if (s.type == dynamic_section) offset = s.offset, size = s.size;
    }
  }
  std::vector<Tag> out;
  const std::size_t entry = wide_ ? 16 : 8;
  const auto table = read_exactly(*bytes_, offset, std::min<std::uint64_t>(size, 1 << 20));
  for (std::size_t at = 0; table && at + entry <= table->size(); at += entry) {
    const char* p = table->data() + at;
    const Tag tag = wide_ ? Tag{le64(p), le64(p + 8)} : Tag{le32(p), le32(p + 4)};
    if (tag.tag == 0) break;
    out.push_back(tag);
  }
  return out;
}

std::optional<std::uint64_t> Elf::offset_of(std::uint64_t address) const {
  for (const Segment& s : segments_) {
    if (s.type == load && address >= s.address && address - s.address < s.size) return s.offset + (address - s.address);
  }
  for (const Section& s : sections_) {
    if (!segments_.empty()) break;
    if (s.address && address >= s.address && address - s.address < s.size) return s.offset + (address - s.address);
  }
  return std::nullopt;
}

SymbolTables Elf::symbol_tables() const {
  SymbolTables out;
  for (const Tag& tag : tags()) {
    if (tag.tag == symtab) out.symbols = offset_of(tag.value);
    if (tag.tag == strtab) out.strings = offset_of(tag.value);
    if (tag.tag == strsz) out.strings_size = tag.value;
    if (tag.tag == hash) out.hash = offset_of(tag.value);
    if (tag.tag == gnu_hash) out.gnu_hash = offset_of(tag.value);
  }
  return out;
}

Dynamic Elf::dynamic() const {
  const std::vector<Tag> all = tags();
  std::optional<std::uint64_t> strings;
  std::uint64_t length = 0;
  for (const Tag& tag : all) {
    if (tag.tag == strtab) strings = offset_of(tag.value);
    if (tag.tag == strsz) length = tag.value;
  }
  Dynamic out;
  if (!strings) return out;
  const auto text = [&](std::uint64_t at) {
    if (at >= length || at >= bytes_->size() - *strings) return std::string();
    const std::uint64_t left = length - at;
    return text_at(*bytes_, *strings + at, static_cast<std::size_t>(std::min<std::uint64_t>(left, longest_path)));
  };
  for (const Tag& tag : all) {
    if (tag.tag == needed && out.needed.size() < most_needed) out.needed.push_back(text(tag.value));
    if (tag.tag == soname) out.soname = text(tag.value);
    if (tag.tag == rpath) out.rpath = text(tag.value);
    if (tag.tag == runpath) out.runpath = text(tag.value);
  }
  std::erase(out.needed, std::string());
  return out;
}

}  // namespace gpudoctor
