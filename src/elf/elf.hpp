// SPDX-License-Identifier: Apache-2.0
// A little-endian ELF file, 32 or 64 bit, read by its tables only. Every offset and size in it is taken as a claim:
// checked against the file, counts capped, loops bounded. Sources: the System V gABI, chapters 4 and 5, and elf(5).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "gpudoctor/result.hpp"

namespace gpudoctor {

struct Section {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t address = 0;    ///< where it is loaded; 0 when it is not
  std::uint64_t offset = 0;     ///< bytes from the start of the file
  std::uint64_t size = 0;       ///< bytes that the file really holds: 0 for .bss, fewer than claimed when cut off
  std::uint64_t alignment = 0;  ///< bytes
};

/// What the loader needs to know, from the dynamic table.
struct Dynamic {
  std::string soname, rpath, runpath;
  std::vector<std::string> needed;
};

/// Where the dynamic symbols and their hash tables stand in the file, as offsets; what the file lacks is not there.
struct SymbolTables {
  std::optional<std::uint64_t> symbols, strings, gnu_hash, hash;
  std::uint64_t strings_size = 0;  ///< bytes
};

/// One symbol version that the file wants of a library ("libc.so.6", "GLIBC_2.34").
struct VersionNeed {
  std::string library, version;
};

class Elf {
 public:
  /// Reads the headers and section names. The bytes must outlive the result.
  /// malformed: no ELF file, or one of a kind that no GPU machine has (big-endian).
  static Result<Elf> open(const Bytes& bytes);

  const Bytes& bytes() const { return *bytes_; }
  bool is_64() const { return wide_; }
  /// "x86_64", "aarch64", …, as uname -m says it; "machine-NUMBER" for one not in the table.
  std::string machine() const;

  const std::vector<Section>& sections() const { return sections_; }
  /// The first of that name, or null.
  const Section* section(std::string_view name) const;
  /// The section's bytes; nothing when it is absent or longer than `limit`.
  std::optional<std::string> contents(std::string_view name, std::uint64_t limit) const;

  /// From the dynamic segment, as the loader does it; from the .dynamic section where there are no segments.
  /// Empty for a static program. The order of `needed` is the file's. (src/elf/dynamic.cpp)
  Dynamic dynamic() const;
  SymbolTables symbol_tables() const;
  /// From the table that DT_VERNEED names. (src/elf/versions.cpp)
  std::vector<VersionNeed> version_needs() const;

 private:
  struct Segment {
    std::uint32_t type = 0;
    std::uint64_t offset = 0, address = 0, size = 0;  ///< size in the file
  };
  struct Tag {
    std::uint64_t tag = 0, value = 0;
  };
  explicit Elf(const Bytes& bytes) : bytes_(&bytes) {}
  void read_segments(std::uint64_t offset, std::uint64_t count, std::uint64_t entry);
  void read_sections(std::uint64_t offset, std::uint64_t count, std::uint64_t entry, std::uint64_t names);
  std::vector<Tag> tags() const;
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;

  const Bytes* bytes_;
  bool wide_ = true;
  std::uint16_t machine_ = 0;
  std::vector<Section> sections_;
  std::vector<Segment> segments_;
};

/// The newest glibc that any of the needs asks for ("2.34"); empty when none does.
std::string glibc_floor(const std::vector<VersionNeed>& needs);

}  // namespace gpudoctor
