// SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <algorithm>
#include <array>

namespace gpudoctor {
namespace {

constexpr std::uint64_t most_symbols = 1u << 18;    // libtorch_cpu.so of 2.6 has 114,000
constexpr std::uint64_t most_strings = 16u << 20;   // bytes of names that are read as a whole; libtorch_python.so has 7
constexpr std::uint64_t most_steps = 4096;          // of one chain: real ones have fewer than 30
constexpr std::size_t chunk = 16;                   // words of a chain in one read

/// DT_GNU_HASH: Bernstein's, h * 33 + c.
std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t h = 5381;
  for (const char c : name) h = h * 33 + static_cast<unsigned char>(c);
  return h;
}

/// DT_HASH: the gABI's.
std::uint32_t sysv_hash(std::string_view name) {
  std::uint32_t h = 0;
  for (const char c : name) {
    h = (h << 4) + static_cast<unsigned char>(c);
    const std::uint32_t high = h & 0xf0000000;
    h = (h ^ high >> 24) & ~high;
  }
  return h;
}

}  // namespace

Result<Symbols> Symbols::open(const Elf& elf) {
  Symbols out(elf.bytes(), elf.is_64(), elf.symbol_tables());
  if (!out.tables_.symbols || !out.tables_.strings) return Miss{Why::malformed, "no dynamic symbols"};
  if (const Section* section = elf.section(".dynsym")) out.section_count_ = section->size / out.entry_size();
  if (out.tables_.gnu_hash && !out.read_gnu_head()) out.tables_.gnu_hash.reset();
  return out;
}

std::uint32_t Symbols::word(std::uint64_t offset) const {
  char bytes[4];
  return bytes_->read(offset, bytes, sizeof bytes) == sizeof bytes ? le32(bytes) : 0;
}

bool Symbols::read_gnu_head() {
  char head[16];
  if (bytes_->read(*tables_.gnu_hash, head, sizeof head) != sizeof head) return false;
  buckets_ = le32(head), first_hashed_ = le32(head + 4), bloom_words_ = le32(head + 8), shift_ = le32(head + 12);
  return buckets_ > 0 && bloom_words_ > 0 && shift_ < 32;
}

/// How many symbols there are, by the first that tells: the section, the old hash table, the last chain of the new one.
std::uint64_t Symbols::count() const {
  if (section_count_) return section_count_;
  if (tables_.hash) return word(*tables_.hash + 4);
  if (!tables_.gnu_hash) return 0;
  const std::uint64_t buckets = *tables_.gnu_hash + 16 + std::uint64_t{bloom_words_} * (wide_ ? 8 : 4);
  const auto table = read_exactly(*bytes_, buckets, std::uint64_t{buckets_} * 4);
  std::uint64_t last = 0;
  for (std::size_t at = 0; table && at < table->size(); at += 4) last = std::max<std::uint64_t>(last, le32(table->data() + at));
  if (last < first_hashed_) return first_hashed_;
  const std::uint64_t chains = buckets + std::uint64_t{buckets_} * 4;
  for (std::uint64_t steps = 0; steps < most_steps; ++steps, ++last)
    if (const auto link = read_exactly(*bytes_, chains + (last - first_hashed_) * 4, 4); !link || le32(link->data()) & 1) break;
  return last + 1;
}

Symbols::Entry Symbols::entry(const char* at) const {
  const auto info = static_cast<unsigned char>(at[wide_ ? 4 : 12]);
  return {le32(at), le16(at + (wide_ ? 6 : 14)) != 0, info >> 4 == 2};   // section 0: undefined; binding 2: weak
}

Result<bool> Symbols::each(bool defined, const std::function<void(const Symbol&)>& take) const {
  // What stands before the hashed ones is undefined, and nothing else is. A table of nothing says 1.
  const bool first_part = !defined && tables_.gnu_hash && first_hashed_ > 1;
  const std::uint64_t all = count(), wanted = first_part ? std::min<std::uint64_t>(all, first_hashed_) : all;
  if (wanted > most_symbols || tables_.strings_size > most_strings) return Miss{Why::too_large, "too many symbols"};
  const auto table = read_exactly(*bytes_, *tables_.symbols, wanted * entry_size());
  const auto names = read_exactly(*bytes_, *tables_.strings, tables_.strings_size);
  if (!table || !names) return Miss{Why::malformed, "a table of symbols that lies outside the file"};
  for (std::uint64_t i = 1; i < wanted; ++i) {   // the first is none
    const Entry one = entry(table->data() + i * entry_size());
    if (one.name >= names->size() || (one.defined && !defined)) continue;
    const std::string_view rest = std::string_view(*names).substr(one.name);
    take({rest.substr(0, rest.find('\0')), one.defined, one.weak});
  }
  return true;
}

bool Symbols::is(std::uint64_t index, std::string_view name) const {
  std::array<char, 24> raw{};
  if (bytes_->read(*tables_.symbols + index * entry_size(), raw.data(), entry_size()) != entry_size()) return false;
  const Entry one = entry(raw.data());
  if (!one.defined || one.name >= tables_.strings_size) return false;
  const auto text = read_exactly(*bytes_, *tables_.strings + one.name, name.size() + 1);
  return text && text->back() == '\0' && std::string_view(*text).substr(0, name.size()) == name;
}

bool Symbols::by_gnu_hash(std::string_view name) const {
  const std::uint32_t h = gnu_hash(name);
  const std::uint64_t bits = wide_ ? 64 : 32, bloom = *tables_.gnu_hash + 16;
  char filter[8] = {};
  const std::uint64_t at = bloom + h / bits % bloom_words_ * (bits / 8);
  if (bytes_->read(at, filter, bits / 8) != bits / 8) return false;
  const std::uint64_t mask = wide_ ? le64(filter) : le32(filter);
  if (!(mask >> h % bits & 1) || !(mask >> (h >> shift_) % bits & 1)) return false;
  const std::uint64_t buckets = bloom + std::uint64_t{bloom_words_} * (bits / 8);
  const std::uint64_t chains = buckets + std::uint64_t{buckets_} * 4;
  std::uint64_t index = word(buckets + std::uint64_t{h % buckets_} * 4);
  if (index < first_hashed_) return false;
  for (std::uint64_t steps = 0; steps < most_steps;) {
    char links[chunk * 4];
    const std::size_t got = bytes_->read(chains + (index - first_hashed_) * 4, links, sizeof links) / 4;
    if (got == 0) return false;
    for (std::size_t i = 0; i < got; ++i, ++index, ++steps) {
      const std::uint32_t link = le32(links + i * 4);   // the hash, its lowest bit set at the end of the chain
      if ((link | 1) == (h | 1) && is(index, name)) return true;
      if (link & 1) return false;
    }
  }
  return false;
}

bool Symbols::by_hash(std::string_view name) const {
  const std::uint32_t buckets = word(*tables_.hash);
  if (buckets == 0) return false;
  const std::uint64_t chains = *tables_.hash + 8 + std::uint64_t{buckets} * 4;
  std::uint32_t index = word(*tables_.hash + 8 + std::uint64_t{sysv_hash(name) % buckets} * 4);
  for (std::uint64_t steps = 0; index != 0 && steps < most_steps; ++steps) {
    if (is(index, name)) return true;
    index = word(chains + std::uint64_t{index} * 4);
  }
  return false;
}

bool Symbols::exports(std::string_view name) const {
  return tables_.gnu_hash ? by_gnu_hash(name) : tables_.hash && by_hash(name);
}

}  // namespace gpudoctor
