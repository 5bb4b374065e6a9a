// SPDX-License-Identifier: Apache-2.0
// A library's dynamic symbols: single names are looked up through its hash table, as the loader does it, so that
// libtorch_cpu.so with its 100,000 symbols costs a few reads a name. Layouts: gABI chapter 5, "Symbol Table" and "Hash
// Table"; for DT_GNU_HASH the source of glibc, elf/dl-lookup.c.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "elf.hpp"
#include "gpudoctor/result.hpp"

namespace gpudoctor {

class Symbols {
 public:
  /// malformed: no dynamic symbols. The bytes of the file must outlive the result.
  static Result<Symbols> open(const Elf& elf);

  /// Whether the library defines this name for others.
  bool exports(std::string_view name) const;

  struct Symbol {
    std::string_view name;
    bool defined = false, weak = false;
  };
  /// The undefined ones, and with `defined` the others too. malformed: a table that is larger than the bounds or lies
  /// outside the file.
  Result<bool> each(bool defined, const std::function<void(const Symbol&)>& take) const;

 private:
  struct Entry {
    std::uint32_t name = 0;
    bool defined = false, weak = false;
  };
  Symbols(const Bytes& bytes, bool wide, const SymbolTables& tables) : bytes_(&bytes), wide_(wide), tables_(tables) {}
  bool read_gnu_head();
  std::uint64_t count() const;
  std::uint64_t entry_size() const { return wide_ ? 24 : 16; }
  Entry entry(const char* at) const;
  bool is(std::uint64_t index, std::string_view name) const;
  bool by_gnu_hash(std::string_view name) const;
  bool by_hash(std::string_view name) const;
  std::uint32_t word(std::uint64_t offset) const;

  const Bytes* bytes_;
  bool wide_;
  SymbolTables tables_;
  std::uint64_t section_count_ = 0;                                             // by the section headers, 0 without
  std::uint32_t buckets_ = 0, first_hashed_ = 0, bloom_words_ = 0, shift_ = 0;  // of DT_GNU_HASH
};

/// Whether a name belongs to PyTorch: a member of c10, at, torch or caffe2, or of its C interfaces (THP…, aoti_torch_…).
bool is_torch_symbol(std::string_view name);

/// The undefined names of PyTorch that none of the libraries defines; weak ones may stay undefined. The order is the
/// file's. `budget` is how many names may still be looked up (a large extension has a thousand); too_large when it is
/// used up.
Result<std::vector<std::string>> unresolved(const Symbols& consumer, const std::vector<const Symbols*>& libraries, std::size_t& budget);

/// Which std::string a C++ name was compiled for: "cxx11" (GCC's since 5), "pre-cxx11" (_GLIBCXX_USE_CXX11_ABI=0), or
/// empty where it has none.
std::string string_abi(std::string_view name);

/// The same for a whole file, by its names of PyTorch; a few of the other kind, from headers of others, change nothing.
/// Empty where no name tells.
Result<std::string> string_abi(const Symbols& symbols);

}  // namespace gpudoctor
