// SPDX-License-Identifier: Apache-2.0
// ELF notes: namesz, descsz and type of 4 bytes each, then name and description, each padded (gABI, "Note Section").
#include "note.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::string_view section = ".note.cuda.fwd_compatibility";
constexpr std::string_view owner = "NVIDIA Corporation";
constexpr std::uint64_t most = 64 << 10;  // bytes of the section

}  // namespace

Result<std::string> compat_note(const Elf& elf) {
  const Section* where = elf.section(section);
  if (!where) return Miss{Why::absent, "no CUDA compatibility note"};
  const auto held = elf.contents(section, most);
  if (!held) return Miss{Why::malformed, "a CUDA compatibility note that cannot be read"};
  // Padding is to 4 bytes, unless the section says 8.
  const std::uint64_t step = where->alignment == 8 ? 8 : 4;
  const auto padded = [&](std::uint64_t count) { return (count + step - 1) & ~(step - 1); };
  for (std::uint64_t at = 0; inside(at, 12, held->size());) {
    const std::uint64_t name_size = le32(held->data() + at), size = le32(held->data() + at + 4);
    const std::uint64_t name = at + 12, text = name + padded(name_size);
    if (text > held->size()) break;
    std::string_view who = std::string_view(*held).substr(name, name_size);
    who = who.substr(0, who.find('\0'));
    if (who == owner) {
      const std::string_view what = std::string_view(*held).substr(text, size);  // Orin's claims 2 bytes too many
      std::string json(what.substr(0, what.find('\0')));
      std::replace(json.begin(), json.end(), '\n', ' ');
      return printable(json);
    }
    at = text + padded(size);
  }
  return Miss{Why::malformed, "a CUDA compatibility note of another form"};
}

}  // namespace gpudoctor
