// SPDX-License-Identifier: Apache-2.0
#include "signature.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::string_view mark = "~Module signature appended~\n";
constexpr std::size_t info = 12;
constexpr std::uint32_t most_signature = 256 << 10;               // bytes
constexpr std::string_view common_name = "\x06\x03\x55\x04\x03";  // DER: the object identifier 2.5.4.3
constexpr std::string_view text_tags = "\x0c\x13\x14\x16";        // DER: UTF8, Printable, Teletex and IA5String

}  // namespace

std::optional<std::string> module_signer(const Bytes& bytes) {
  const std::uint64_t size = bytes.size();
  const std::size_t tail = mark.size() + info;
  if (size < tail) return std::nullopt;
  const auto end = read_exactly(bytes, size - tail, tail);
  if (!end || std::string_view(*end).substr(info) != mark) return std::nullopt;
  std::uint32_t length = 0;
  for (std::size_t i = 8; i < info; ++i) length = length << 8 | static_cast<unsigned char>((*end)[i]);
  const std::string unnamed = "unnamed";
  if (length > most_signature || length > size - tail) return unnamed;
  const auto message = read_exactly(bytes, size - tail - length, length);
  if (!message) return unnamed;

  const std::size_t at = message->find(common_name);
  if (at == std::string::npos) return unnamed;
  const std::string_view text = std::string_view(*message).substr(at + common_name.size());
  if (text.size() < 2 || text_tags.find(text[0]) == text_tags.npos) return unnamed;
  const std::size_t count = static_cast<unsigned char>(text[1]);  // names are at most 64 long, so one byte of length
  if (count == 0 || count > 127 || count > text.size() - 2) return unnamed;
  return printable(text.substr(2, count));
}

}  // namespace gpudoctor
