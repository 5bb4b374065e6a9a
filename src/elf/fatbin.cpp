// SPDX-License-Identifier: Apache-2.0
#include "fatbin.hpp"

#include <cstring>

#include "window.hpp"

namespace gpudoctor {
namespace {

constexpr std::uint32_t magic = 0xBA55ED50;
constexpr std::size_t blob_header = 16;
constexpr std::size_t entry_header = 48;             // as much of it as is read; real ones are 64 to 120
constexpr std::uint16_t ptx_kind = 1, elf_kind = 2;  // 8 is LTO IR, which no driver runs
constexpr std::uint64_t flag_a = 0x100000, flag_f = 0x200000;

constexpr std::size_t chunk = 128;  // a blob header, padding and one entry header in one read
constexpr std::size_t search_chunk = 4096;
constexpr std::uint64_t most_searched = 16u << 20;  // bytes between blobs
constexpr std::uint32_t most_entries = 1u << 20;    // over all blobs; torch has about 3,000

class Walk {
 public:
  explicit Walk(const Bytes& bytes) : window_(bytes) {}

  void section(std::uint64_t begin, std::uint64_t end) {
    begin_ = begin;
    for (std::uint64_t at = begin; inside(at, blob_header, end);) {
      const char* head = window_.at(at, blob_header, chunk);
      if (!head) return stop();
      const std::uint64_t size = le16(head + 6);
      if (le32(head) != magic) {
        at = search(at, end);
      } else if (le16(head + 4) != 1 || size < blob_header) {
        ++out.damaged;
        at += 8;
      } else {
        at = aligned(blob(at + size, le64(head + 8), end));
      }
      if (entries_ >= most_entries) return stop();
    }
  }

  Fatbins out;

 private:
  void stop() { out.complete = false; }

  // Blobs begin at multiples of 8 from the start of their section.
  std::uint64_t aligned(std::uint64_t at) const { return begin_ + ((at - begin_ + 7) & ~std::uint64_t{7}); }

  /// The entries of one blob, from `at`; returns where to look for the next blob.
  std::uint64_t blob(std::uint64_t at, std::uint64_t size, std::uint64_t end) {
    if (at > end) return ++out.damaged, end;
    const bool lies = !inside(at, size, end);
    const std::uint64_t blob_end = lies ? end : at + size;
    const std::uint32_t before = device_entries_;
    ++number_;
    while (inside(at, entry_header, blob_end) && entries_ < most_entries) {
      const char* head = window_.at(at, entry_header, chunk);
      if (!head) break;
      const std::uint64_t header = le32(head + 4), payload = le64(head + 8);
      if (header < entry_header || !inside(at, header, blob_end)) break;
      entry(head);
      ++entries_;
      if (!inside(at + header, payload, blob_end)) break;
      at += header + payload;
    }
    if (device_entries_ != before) ++out.device_blobs;
    if (at == blob_end && !lies) return at;
    ++out.damaged;
    return lies ? at : blob_end;
  }

  void entry(const char* head) {
    const std::uint16_t kind = le16(head);
    const std::uint32_t number = le32(head + 28);
    if ((kind != ptx_kind && kind != elf_kind) || number < 10 || number > 999) return;
    const std::uint64_t flags = le64(head + 40);
    const char suffix = flags & flag_a ? 'a' : flags & flag_f ? 'f' : '\0';
    ++device_entries_;
    Seen& seen = seen_[Arch{kind == ptx_kind, number, suffix}];
    if (seen.last == number_) return;  // the same architecture twice in one blob
    seen.last = number_;
    out.blobs[Arch{kind == ptx_kind, number, suffix}] = ++seen.count;
  }

  /// Steps over padding to the next magic, or to the end.
  std::uint64_t search(std::uint64_t at, std::uint64_t end) {
    for (at += 8; inside(at, blob_header, end); at += 8) {
      const char* word = window_.at(at, 8, search_chunk);
      if (!word || ++searched_ > most_searched / 8) return stop(), end;
      if (le32(word) == magic) return at;
      if (le64(word) != 0) out.complete = false;
    }
    return end;
  }

  struct Seen {
    std::uint32_t count = 0, last = 0;
  };
  Window window_;
  std::map<Arch, Seen> seen_;
  std::uint64_t begin_ = 0, searched_ = 0;
  std::uint32_t entries_ = 0, device_entries_ = 0, number_ = 0;
};

}  // namespace

std::string Arch::text() const {
  std::string out = (ptx ? "compute_" : "sm_") + std::to_string(number);
  if (suffix) out += suffix;
  return out;
}

Result<Fatbins> read_fatbins(const Elf& elf) {
  Walk walk(elf.bytes());
  bool any = false;
  std::size_t sections = 0;
  for (const Section& s : elf.sections()) {
    if (s.name != ".nv_fatbin" && s.name != "__nv_relfatbin") continue;
    if (++sections > 16) break;
    any = any || s.size > 0;
    walk.section(s.offset, s.offset + s.size);
  }
  if (!any) return Miss{Why::absent, "no device code"};
  return std::move(walk.out);
}

std::vector<std::string> archs_in_most(const Fatbins& fatbins) {
  std::vector<std::string> out;
  for (const auto& [arch, count] : fatbins.blobs) {
    if (std::uint64_t{count} * 2 > fatbins.device_blobs) out.push_back(arch.text());
  }
  return out;
}

bool split_by_arch(const Fatbins& fatbins) {
  for (const auto& [arch, count] : fatbins.blobs) {
    if (std::uint64_t{count} * 10 >= std::uint64_t{fatbins.device_blobs} * 9) return false;
  }
  return fatbins.device_blobs > 0;
}

}  // namespace gpudoctor
