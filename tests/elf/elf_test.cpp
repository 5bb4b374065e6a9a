// SPDX-License-Identifier: Apache-2.0
#include "elf.hpp"

#include <doctest/doctest.h>

#include "make_elf.hpp"

using namespace gpudoctor;
using Names = std::vector<std::string>;

namespace {

make::DynamicParts parts() {
  make::DynamicParts out;
  out.soname = "libx.so.1";
  out.rpath = "$ORIGIN/../lib";
  out.runpath = "/opt/a:/opt/b";
  out.needed = {"libcudart.so.12", "libc.so.6"};
  out.versions = {{"libm.so.6", {"GLIBC_2.9", "GLIBC_2.29"}},
                  {"libc.so.6", {"GLIBC_2.4", "GLIBC_PRIVATE", "GLIBC_2.34", "GLIBC_ABI_DT_RELR"}},
                  {"libstdc++.so.6", {"GLIBCXX_3.4.30"}}};
  return out;
}

void check_all(const Dynamic& dynamic) {
  CHECK(dynamic.soname == "libx.so.1");
  CHECK(dynamic.rpath == "$ORIGIN/../lib");
  CHECK(dynamic.runpath == "/opt/a:/opt/b");
  CHECK(dynamic.needed == Names{"libcudart.so.12", "libc.so.6"});
}

}  // namespace

TEST_CASE("elf: sections and the dynamic table, wide and narrow, with and without each kind of header") {
  for (const bool wide : {true, false}) {
    for (const bool sections : {true, false}) {
      for (const bool segments : {true, false}) {
        if (!sections && !segments) continue;
        CAPTURE(wide);
        CAPTURE(sections);
        CAPTURE(segments);
        make::Elf made;
        made.wide = wide;
        made.section_headers = sections;
        made.segments = segments;
        made.machine = wide ? 183 : 3;
        const MemoryBytes bytes(made.dynamic(parts()).add(".rodata", "hello").build());
        const auto elf = Elf::open(bytes);
        REQUIRE(elf);
        CHECK(elf->is_64() == wide);
        CHECK(elf->machine() == (wide ? "aarch64" : "i386"));
        check_all(elf->dynamic());
        CHECK(elf->version_needs().size() == 7);
        CHECK(glibc_floor(elf->version_needs()) == "2.34");
        CHECK(elf->contents(".rodata", 100) == (sections ? std::optional<std::string>("hello") : std::nullopt));
      }
    }
  }
}

TEST_CASE("elf: a file that is none, or of a kind that no GPU machine has") {
  CHECK(Elf::open(MemoryBytes("")).miss().why == Why::malformed);
  CHECK(Elf::open(MemoryBytes("#!/bin/sh\nexec nvcc.real \"$@\"\n")).miss().says == "not an ELF file");
  CHECK(Elf::open(MemoryBytes("\x7f"
                              "ELF"))
            .miss()
            .says == "not an ELF file");
  std::string big = make::Elf().build();
  big[5] = 2;
  CHECK(Elf::open(MemoryBytes(big)).miss().says == "a big-endian ELF file");
}

TEST_CASE("elf: a static program has no dynamic table") {
  const MemoryBytes bytes(make::Elf().add(".text", "x").build());
  const auto elf = Elf::open(bytes);
  REQUIRE(elf);
  CHECK(elf->dynamic().needed.empty());
  CHECK(elf->dynamic().soname.empty());
  CHECK(elf->version_needs().empty());
  CHECK(glibc_floor(elf->version_needs()).empty());
}

TEST_CASE("elf: headers that lie give less, never a crash") {
  make::Elf made;
  const std::string good = made.dynamic(parts()).add(".rodata", std::string(64, 'r')).build();
  const auto changed = [&](std::size_t at, std::uint64_t value, int count) {
    std::string bytes = good;
    make::patch(bytes, at, value, count);
    return bytes;
  };
  SUBCASE("the section table is beyond the end") {
    for (const std::uint64_t at : {good.size() * 1ull, ~0ull, ~0ull - 63, good.size() - 8ull}) {
      const MemoryBytes bytes(changed(40, at, 8));
      const auto elf = Elf::open(bytes);
      REQUIRE(elf);
      CHECK(elf->sections().empty());
      check_all(elf->dynamic());  // the segments still tell
    }
  }
  SUBCASE("more sections than the file can hold") {
    const MemoryBytes bytes(changed(60, 0xffff, 2));
    CHECK(Elf::open(bytes)->sections().empty());
  }
  SUBCASE("extended numbering with counts that are huge, or that overflow to nothing") {
    for (const std::uint64_t count : {~0ull, 1ull << 58, 1ull << 32}) {
      std::string bytes = changed(60, 0, 2);
      make::patch(bytes, make::Elf::table_offset(good) + 32, count, 8);
      CHECK(Elf::open(MemoryBytes(bytes))->sections().empty());
    }
  }
  SUBCASE("entry sizes of nothing and of everything") {
    for (const unsigned size : {0u, 1u, 63u, 0xffffu})
      CHECK(Elf::open(MemoryBytes(changed(58, size, 2)))->sections().empty());
  }
  SUBCASE("names from a section that is none") {
    const MemoryBytes bytes(changed(62, 999, 2));
    const auto elf = Elf::open(bytes);
    CHECK(elf->sections().size() == 6);
    CHECK(elf->section(".rodata") == nullptr);
  }
  SUBCASE("a section that begins in the file and ends beyond it is cut") {
    std::string bytes = good;
    const std::size_t header = make::Elf::table_offset(good) + 4 * 64;
    make::patch(bytes, header + 32, ~0ull - 5, 8);
    const MemoryBytes held(bytes);
    const auto elf = Elf::open(held);
    REQUIRE(elf->section(".rodata"));
    CHECK(elf->section(".rodata")->size == good.size() - made.parts[3].offset);
  }
}

TEST_CASE("elf: a chain of versions that never ends is left") {
  make::Elf made;
  std::string bytes = made.dynamic(parts()).build();
  make::patch(bytes, made.parts[1].offset + 12, 0xfffffff0, 4);  // vn_next far away
  CHECK(Elf::open(MemoryBytes(bytes))->is_64());
  const MemoryBytes away(bytes);
  CHECK(Elf::open(away)->version_needs().size() == 2);
  make::patch(bytes, made.parts[1].offset + 2, 0xffff, 2);   // 65,535 versions …
  make::patch(bytes, made.parts[1].offset + 16 + 12, 1, 4);  // … each one byte after the other
  const MemoryBytes overlapping(bytes);
  CHECK(Elf::open(overlapping)->version_needs().size() < 70000);
}

TEST_CASE("elf: control characters in names cannot make a line of their own") {
  make::DynamicParts evil;
  evil.needed = {"libc.so.6\nsoname=libcuda.so.1"};
  const MemoryBytes bytes(make::Elf().dynamic(evil).build());
  CHECK(Elf::open(bytes)->dynamic().needed == Names{"libc.so.6?soname=libcuda.so.1"});
}
