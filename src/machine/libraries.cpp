// SPDX-License-Identifier: Apache-2.0
#include "libraries.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t most_open = 256;   // of the 1,024 descriptors that a process usually has

Result<Symbols> symbols_of(const Bytes& bytes) {
  const auto elf = Elf::open(bytes);
  if (!elf) return elf.miss();
  return Symbols::open(*elf);
}

}  // namespace

const Result<Symbols>& Libraries::at(const std::string& path, const Open& open) {
  const auto [found, fresh] = libraries_.try_emplace(path);
  Library& library = found->second;
  if (!fresh) return library.symbols;
  auto file = open(path);
  if (!file) return library.symbols = file.miss();
  library.bytes = std::make_unique<FileBytes>(file->release());
  return library.symbols = symbols_of(*library.bytes);
}

Result<std::vector<std::string>> Libraries::unresolved(int descriptor, const std::vector<std::string>& paths, const Open& open) {
  const FileBytes bytes(descriptor);
  const auto consumer = symbols_of(bytes);
  if (!consumer) return consumer.miss();
  if (libraries_.size() + paths.size() > most_open) libraries_.clear();
  std::vector<const Symbols*> libraries;
  for (const auto& path : paths) {
    const auto& symbols = at(path, open);
    if (!symbols) return Miss{symbols.miss().why == Why::absent ? Why::failed : symbols.miss().why, path + ": " + symbols.miss().says};
    libraries.push_back(&*symbols);
  }
  return gpudoctor::unresolved(*consumer, libraries, budget_);
}

}  // namespace gpudoctor
