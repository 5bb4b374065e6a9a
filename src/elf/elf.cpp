// SPDX-License-Identifier: Apache-2.0
#include "elf.hpp"

#include <algorithm>

namespace gpudoctor {
namespace {

constexpr std::uint64_t most_sections = 65536;
constexpr std::uint64_t most_segments = 1024;
constexpr std::uint64_t most_names = 4u << 20;  // bytes of section names
constexpr std::uint32_t no_bits = 8;            // SHT_NOBITS

struct Name {
  std::uint16_t number;
  const char* word;
};
// e_machine, as the gABI registry has it, and the words of uname -m.
constexpr Name machines[] = {{3, "i386"},      {21, "ppc64le"}, {40, "arm"},      {62, "x86_64"},
                             {183, "aarch64"}, {190, "cuda"},   {243, "riscv64"}, {258, "loongarch64"}};

}  // namespace

Result<Elf> Elf::open(const Bytes& bytes) {
  char head[64] = {};
  const std::size_t got = bytes.read(0, head, sizeof head);
  if (got < 52 || std::string_view(head, 4) !=
                      "\x7f"
                      "ELF")
    return Miss{Why::malformed, "not an ELF file"};
  if (head[5] != 1) return Miss{Why::malformed, "a big-endian ELF file"};
  if ((head[4] != 1 && head[4] != 2) || (head[4] == 2 && got < 64)) return Miss{Why::malformed, "a cut-off ELF file"};

  Elf elf(bytes);
  elf.wide_ = head[4] == 2;
  elf.machine_ = le16(head + 18);
  const char* counts = head + (elf.wide_ ? 54 : 42);  // e_phentsize and the four that follow
  const std::uint64_t segments_at = elf.wide_ ? le64(head + 32) : le32(head + 28);
  const std::uint64_t sections_at = elf.wide_ ? le64(head + 40) : le32(head + 32);
  std::uint64_t segments = le16(counts + 2), sections = le16(counts + 6), names = le16(counts + 8);
  const std::uint64_t section_entry = le16(counts + 4);

  // Numbers that do not fit stand in the first section header (gABI, "sh_size of section 0").
  if (sections_at && (sections == 0 || names == 0xffff || segments == 0xffff)) {
    char first[64] = {};
    if (bytes.read(sections_at, first, sizeof first) >= (elf.wide_ ? 64u : 40u)) {
      if (sections == 0) sections = elf.wide_ ? le64(first + 32) : le32(first + 20);
      if (names == 0xffff) names = le32(first + (elf.wide_ ? 40 : 24));
      if (segments == 0xffff) segments = le32(first + (elf.wide_ ? 44 : 28));
    }
  }
  elf.read_segments(segments_at, segments, le16(counts));
  if (sections_at) elf.read_sections(sections_at, sections, section_entry, names);
  return elf;
}

void Elf::read_segments(std::uint64_t offset, std::uint64_t count, std::uint64_t entry) {
  if (entry < (wide_ ? 56u : 32u) || entry > 1024 || count > most_segments) return;
  const auto table = read_exactly(*bytes_, offset, count * entry);
  if (!table) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* at = table->data() + i * entry;
    Segment s;
    s.type = le32(at);
    s.offset = wide_ ? le64(at + 8) : le32(at + 4);
    s.address = wide_ ? le64(at + 16) : le32(at + 8);
    s.size = wide_ ? le64(at + 32) : le32(at + 16);
    if (s.offset >= bytes_->size()) continue;
    s.size = std::min(s.size, bytes_->size() - s.offset);
    segments_.push_back(s);
  }
}

void Elf::read_sections(std::uint64_t offset, std::uint64_t count, std::uint64_t entry, std::uint64_t names) {
  if (entry < (wide_ ? 64u : 40u) || entry > 1024 || count > most_sections) return;
  const auto table = read_exactly(*bytes_, offset, count * entry);
  if (!table) return;
  std::vector<std::uint32_t> name_at;
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* at = table->data() + i * entry;
    Section s;
    name_at.push_back(le32(at));
    s.type = le32(at + 4);
    s.address = wide_ ? le64(at + 16) : le32(at + 12);
    s.offset = wide_ ? le64(at + 24) : le32(at + 16);
    s.size = wide_ ? le64(at + 32) : le32(at + 20);
    s.alignment = wide_ ? le64(at + 48) : le32(at + 32);
    if (s.type == no_bits || s.offset >= bytes_->size()) s.size = 0;
    if (s.size) s.size = std::min(s.size, bytes_->size() - s.offset);
    sections_.push_back(std::move(s));
  }
  if (names >= count) return;
  const Section& strings = sections_[names];
  const auto text = read_exactly(*bytes_, strings.offset, std::min(strings.size, most_names));
  if (!text) return;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    if (name_at[i] >= text->size()) continue;
    const std::string_view rest = std::string_view(*text).substr(name_at[i], 256);
    sections_[i].name = rest.substr(0, rest.find('\0'));
  }
}

std::string Elf::machine() const {
  for (const Name& name : machines) {
    if (name.number == machine_) return name.word;
  }
  return "machine-" + std::to_string(machine_);
}

const Section* Elf::section(std::string_view name) const {
  for (const Section& s : sections_) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

std::optional<std::string> Elf::contents(std::string_view name, std::uint64_t limit) const {
  const Section* s = section(name);
  if (!s || s->size > limit) return std::nullopt;
  return read_exactly(*bytes_, s->offset, s->size);
}

}  // namespace gpudoctor
