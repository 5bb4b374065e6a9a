// SPDX-License-Identifier: Apache-2.0
#include "note.hpp"

#include <doctest/doctest.h>

#include "make_elf.hpp"

using namespace gpudoctor;

namespace {

const std::string json = R"({"format":1,"CUDA version":"12.9","driver":[535,550,560],"device":[1,2,7,8]})";

Result<std::string> read(const std::string& section) {
  const MemoryBytes bytes(make::Elf().add(".note.cuda.fwd_compatibility", section, 7, 4).build());
  return compat_note(*Elf::open(bytes));
}

}  // namespace

TEST_CASE("note: the JSON, as its section holds it") {
  CHECK(read(make::note("NVIDIA Corporation", json)).value_or("") == json);
  CHECK(read(make::note("GNU", "xyz") + make::note("NVIDIA Corporation", json)).value_or("") == json);
  CHECK(read(make::note("NVIDIA Corporation", "{\n\"format\":1}" + std::string(7, '\0'))).value_or("") ==
        "{ \"format\":1}");
}

TEST_CASE("note: a description that claims 2 bytes too many, as Orin's does, is read to the section's end") {
  std::string section = make::note("NVIDIA Corporation", json);
  make::patch(section, 4, section.size() - 32 + 2, 4);
  CHECK(read(section).value_or("") == json);
}

TEST_CASE("note: absent, and of another form") {
  const MemoryBytes plain(make::Elf().add(".text", "x").build());
  CHECK(compat_note(*Elf::open(plain)).is_absent());
  CHECK(read("").miss().why == Why::malformed);
  CHECK(read(make::note("GNU", json)).miss().why == Why::malformed);
  std::string lying = make::note("NVIDIA Corporation", json);
  make::patch(lying, 0, 0xffffffff, 4);
  CHECK(read(lying).miss().why == Why::malformed);
}
