// SPDX-License-Identifier: Apache-2.0
// The embedded form of the knowledge: parsing several hundred kB of TOML at each start would take as long as Python
// takes to start, so the build parses it and embeds this flat form: form, line, column, text, then the children.
#include <cstdint>

#include "gpudoctor/node.hpp"

namespace gpudoctor {
namespace {

void put(std::string& out, std::uint64_t number) {   // LEB128: seven bits a byte, low first
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

void put(std::string& out, std::string_view text) {
  put(out, text.size());
  out += text;
}

void write(std::string& out, const Node& node) {
  out += static_cast<char>(node.form);
  put(out, static_cast<std::uint64_t>(node.line));
  put(out, static_cast<std::uint64_t>(node.column));
  put(out, node.text);
  put(out, node.items.size());
  for (const auto& item : node.items) write(out, item);
  put(out, node.fields.size());
  for (const auto& [key, value] : node.fields) put(out, key), write(out, value);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Node node(int depth = 0) {
    if (depth > 64) throw BadDocument("digest: nested too deeply");
    Node result;
    const auto form = byte();
    if (form > static_cast<unsigned char>(Node::Form::table)) throw BadDocument("digest: unknown form");
    result.form = static_cast<Node::Form>(form);
    result.line = static_cast<int>(number());
    result.column = static_cast<int>(number());
    result.text = text();
    const auto items = count();
    result.items.reserve(items);
    for (std::size_t i = 0; i < items; ++i) result.items.push_back(node(depth + 1));
    const auto fields = count();
    result.fields.reserve(fields);
    for (std::size_t i = 0; i < fields; ++i) {
      auto key = text();
      result.fields.emplace_back(std::move(key), node(depth + 1));
    }
    return result;
  }

 private:
  unsigned char byte() {
    if (at_ >= bytes_.size()) throw BadDocument("digest: cut short");
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const auto b = byte();
      value |= static_cast<std::uint64_t>(b & 0x7F) << shift;
      if (b < 0x80) return value;
    }
    throw BadDocument("digest: number too long");
  }
  std::size_t count() {   // every child takes bytes, so a larger count is a lie
    const auto value = number();
    if (value > bytes_.size() - at_) throw BadDocument("digest: cut short");
    return value;
  }
  std::string text() {
    const auto size = count();
    at_ += size;
    return std::string(bytes_.substr(at_ - size, size));
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string write_digest(const Node& node) {
  std::string out;
  write(out, node);
  return out;
}

Node read_digest(std::string_view bytes) { return Reader(bytes).node(); }

}  // namespace gpudoctor
