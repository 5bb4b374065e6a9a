// SPDX-License-Identifier: Apache-2.0
#include "modinfo.hpp"

#include "decompress.hpp"
#include "elf.hpp"
#include "signature.hpp"

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::uint64_t most_unpacked = 256u << 20;
constexpr std::uint64_t most_modinfo = 4u << 20;  // bytes of .modinfo; nvidia.ko has about 10 kB
constexpr std::string_view keys[] = {"version=", "license=", "vermagic=", "srcversion=", "depends="};

Result<std::vector<std::string>> from_plain(const Bytes& bytes) {
  const Result<Elf> elf = Elf::open(bytes);
  if (!elf) return elf.miss();
  const auto held = elf->contents(".modinfo", most_modinfo);
  if (!held) return Miss{Why::malformed, "no .modinfo section"};

  std::string_view first[std::size(keys)];
  for (std::string_view rest = *held; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view entry = rest.substr(0, end);
    for (std::size_t i = 0; i < std::size(keys); ++i) {
      if (first[i].empty() && entry.starts_with(keys[i])) first[i] = entry;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<std::string> out;
  for (const std::string_view entry : first) {
    if (!entry.empty()) out.push_back(printable(entry.substr(0, 4096)));
  }
  if (const auto signer = module_signer(bytes)) out.push_back("signer=" + *signer);
  return out;
}

}  // namespace

Result<std::vector<std::string>> modinfo(const Bytes& bytes) {
  const Packing packing = packing_of(bytes);
  if (packing == Packing::none) return from_plain(bytes);
  Result<std::string> plain = unpack(bytes, packing, most_unpacked);
  if (!plain) return plain.miss();
  return from_plain(MemoryBytes(std::move(*plain)));
}

}  // namespace gpudoctor
