// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>
#include <cctype>

namespace gpudoctor {

std::string_view trim(std::string_view text) {
  const auto start = text.find_first_not_of(" \t\r\n\f\v");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r\n\f\v") - start + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0;;) {
    const auto next = text.find(separator, at);
    pieces.push_back(text.substr(at, next - at));
    if (next == std::string_view::npos) return pieces;
    at = next + 1;
  }
}

std::vector<std::string_view> lines(std::string_view text) {
  auto result = split(text, '\n');
  if (!result.empty() && result.back().empty()) result.pop_back();
  for (auto& line : result)
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return result;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\r\n", at)) != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    result.push_back(text.substr(at, end - at));
    at = end;
  }
  return result;
}

std::string joined(const std::vector<std::string>& items, std::string_view separator) {
  std::string result;
  for (const auto& item : items) {
    if (&item != items.data()) result += separator;
    result += item;
  }
  return result;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; !what.empty() && (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    std::size_t length = c < 0x80 ? 1 : (c >> 5) == 6 && c >= 0xC2 ? 2 : (c >> 4) == 14 ? 3 : (c >> 3) == 30 && c <= 0xF4 ? 4 : 0;
    bool good = length > 0 && i + length <= text.size() && (length > 1 || (c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t');
    for (std::size_t k = 1; good && k < length; ++k) good = (static_cast<unsigned char>(text[i + k]) >> 6) == 2;
    // C1 controls and the marks that reorder text (U+0080–9F, U+200E/F, U+202A–E, U+2066–9) steer terminals too.
    if (good && length == 2 && c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) good = false;
    if (good && length == 3 && c == 0xE2) {
      const auto b = static_cast<unsigned char>(text[i + 1]), d = static_cast<unsigned char>(text[i + 2]);
      if ((b == 0x80 && (d == 0x8E || d == 0x8F || (d >= 0xAA && d <= 0xAE))) || (b == 0x81 && d >= 0xA6 && d <= 0xA9)) good = false;
    }
    if (good) result.append(text.substr(i, length)), i += length;
    else result += '?', ++i;
  }
  return result;
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

long to_number(std::string_view text) {
  if (text.empty() || text.size() > 17) return -1;
  long value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::string normalized_package(std::string_view name) {
  std::string result;
  for (char c : name) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (separator && (result.empty() || result.back() == '-')) continue;
    result += separator ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace gpudoctor
