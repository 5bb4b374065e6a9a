// SPDX-License-Identifier: Apache-2.0
#include "fatbin.hpp"

#include <doctest/doctest.h>

#include "make_elf.hpp"

using namespace gpudoctor;
using Names = std::vector<std::string>;
using make::blob, make::ptx, make::sm;

namespace {

Result<Fatbins> read(const std::string& section, const std::string& relocatable = "") {
  make::Elf made;
  made.add(".nv_fatbin", section);
  if (!relocatable.empty()) made.add("__nv_relfatbin", relocatable);
  const MemoryBytes bytes(made.build());
  return read_fatbins(*Elf::open(bytes));
}

std::uint32_t count(const Fatbins& fatbins, bool is_ptx, unsigned number, char suffix = 0) {
  const auto at = fatbins.blobs.find(Arch{is_ptx, number, suffix});
  return at == fatbins.blobs.end() ? 0 : at->second;
}

}  // namespace

TEST_CASE("fatbin: every kind of architecture, by blob") {
  const auto got = read(blob(sm(80) + sm(90) + sm(90, 'a') + sm(100, 'f') + ptx(90)));
  REQUIRE(got);
  CHECK(got->device_blobs == 1);
  CHECK(got->damaged == 0);
  CHECK(got->complete);
  CHECK(archs_in_most(*got) == Names{"sm_80", "sm_90", "sm_90a", "sm_100f", "compute_90"});
}

TEST_CASE("fatbin: only what is in more than half of the blobs") {
  const std::string common = blob(sm(80) + sm(90) + ptx(90));
  const auto got = read(common + common + blob(sm(80) + sm(90, 'a')) + blob(sm(80) + sm(75)), common);
  REQUIRE(got);
  CHECK(got->device_blobs == 5);
  CHECK(count(*got, false, 80) == 5);
  CHECK(count(*got, false, 90) == 3);
  CHECK(count(*got, false, 90, 'a') == 1);
  CHECK(count(*got, true, 90) == 3);
  CHECK(archs_in_most(*got) == Names{"sm_80", "sm_90", "compute_90"});
  CHECK_FALSE(split_by_arch(*got));
  const auto half = read(blob(sm(80)) + blob(sm(90)));
  CHECK(archs_in_most(*half).empty());
  CHECK(split_by_arch(*half));
}

TEST_CASE("fatbin: the same architecture twice in one blob counts once") {
  const auto got = read(blob(sm(80) + sm(80)) + blob(sm(80)));
  CHECK(count(*got, false, 80) == 2);
}

TEST_CASE("fatbin: LTO code and impossible architectures are no device code") {
  const auto got = read(blob(make::entry(8, 90)) + blob(sm(4) + sm(1000) + make::entry(2, 0xffffffff)));
  REQUIRE(got);
  CHECK(got->device_blobs == 0);
  CHECK(got->blobs.empty());
}

TEST_CASE("fatbin: padding between blobs, and blobs that end unaligned") {
  const std::string odd = make::padded(blob(sm(80, 0, 37)), 8);
  for (const std::size_t gap : {0u, 8u, 24u, 4096u, 20000u}) {
    const auto got = read(odd + std::string(gap, '\0') + blob(sm(80)) + std::string(gap, '\0'));
    CHECK(got->device_blobs == 2);
    CHECK(got->complete);
  }
  const auto noisy = read(odd + std::string(64, 'x') + blob(sm(80)));
  CHECK(noisy->device_blobs == 2);
  CHECK_FALSE(noisy->complete);
}

TEST_CASE("fatbin: sizes that lie") {
  const std::string good = blob(sm(80) + sm(90));
  SUBCASE("the blob claims more than the section has: the entries count, and the next blob is found") {
    std::string bytes = good + good;
    make::patch(bytes, 8, ~0ull, 8);
    const auto got = read(bytes);
    CHECK(got->damaged >= 1);
    CHECK(count(*got, false, 80) == 2);
  }
  SUBCASE("an entry claims more than its blob has: it counts, the rest of the blob does not") {
    std::string bytes = good + good;
    make::patch(bytes, 16 + 8, ~0ull - 8, 8);
    const auto got = read(bytes);
    CHECK(got->damaged == 1);
    CHECK(count(*got, false, 80) == 2);
    CHECK(count(*got, false, 90) == 1);
  }
  SUBCASE("an entry whose size leads back to itself ends its blob") {
    std::string bytes = good;
    make::patch(bytes, 16 + 8, 0 - 64ull, 8);
    const auto got = read(bytes);
    CHECK(got->damaged == 1);
    CHECK(got->complete);
  }
  SUBCASE("headers of nothing cannot hold the walk") {
    std::string bytes = good;
    make::patch(bytes, 16 + 4, 0, 4);
    CHECK(read(bytes)->damaged == 1);
    make::patch(bytes, 6, 0, 2);
    CHECK(read(bytes)->damaged == 1);
    CHECK(read(bytes)->device_blobs == 0);
  }
  SUBCASE("cut off in the last payload, in an entry's header, in the blob's header") {
    for (const std::size_t keep : {good.size() - 1, good.size() - 60, std::size_t{30}, std::size_t{12}}) {
      const auto got = read(good + good.substr(0, keep));
      CHECK(count(*got, false, 80) == (keep > 80 ? 2 : 1));
    }
  }
}

TEST_CASE("fatbin: a file without device code") {
  const MemoryBytes none(make::Elf().add(".text", "x").build());
  CHECK(read_fatbins(*Elf::open(none)).is_absent());
  CHECK(read("").is_absent());
}

TEST_CASE("fatbin: two sections over the same bytes, and many sections, end in time") {
  make::Elf made;
  for (int i = 0; i < 200; ++i) made.add(".nv_fatbin", blob(sm(80)));
  const MemoryBytes bytes(made.build());
  CHECK(read_fatbins(*Elf::open(bytes))->device_blobs == 16);
}

namespace {

/// A file of a tebibyte: an ELF file whose .nv_fatbin begins at 1 MiB, holds `pattern` over and over, and has no end.
class Endless final : public Bytes {
 public:
  explicit Endless(std::string pattern) : pattern_(std::move(pattern)) {
    head_ = make::Elf().add(".nv_fatbin", "x").build();
    const std::size_t header = make::Elf::table_offset(head_) + 64;
    make::patch(head_, header + 24, 1 << 20, 8);
    make::patch(head_, header + 32, 1ull << 39, 8);
  }
  std::uint64_t size() const override { return 1ull << 40; }
  std::size_t read(std::uint64_t offset, void* to, std::size_t size) const override {
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t at = offset + i;
      static_cast<char*>(to)[i] = at < head_.size() ? head_[at] : at < 1 << 20 ? 0 : pattern_[at % pattern_.size()];
    }
    return size;
  }

 private:
  std::string head_, pattern_;
};

}  // namespace

TEST_CASE("fatbin: half a tebibyte of the smallest blobs, of one blob, or of nothing, is left at a bound") {
  const std::string smallest = make::blob(make::entry(2, 80, 0x11, 0, 48));
  REQUIRE(smallest.size() == 64);
  const Endless blobs(smallest);
  const auto many = read_fatbins(*Elf::open(blobs));
  CHECK(many->device_blobs == 1 << 20);
  CHECK_FALSE(many->complete);

  std::string endless = smallest;
  make::patch(endless, 8, 1ull << 38, 8);
  CHECK_FALSE(read_fatbins(*Elf::open(Endless(endless)))->complete);
  CHECK_FALSE(read_fatbins(*Elf::open(Endless(std::string(64, '\0'))))->complete);
}
