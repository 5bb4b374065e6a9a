// SPDX-License-Identifier: Apache-2.0
#include "paste.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t max_lines = 200'000, max_line = 16'384;

void append_utf8(std::string& to, char32_t c) {
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xC0 | (c >> 6)), to += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    to += static_cast<char>(0xE0 | (c >> 12)), to += static_cast<char>(0x80 | ((c >> 6) & 0x3F)), to += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    to += static_cast<char>(0xF0 | (c >> 18)), to += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    to += static_cast<char>(0x80 | ((c >> 6) & 0x3F)), to += static_cast<char>(0x80 | (c & 0x3F));
  }
}

/// Marks that stand for something plainer, longest first where one begins another.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> marks = {{
    {"\xC2\xA0", " "}, {"\xE2\x80\xAF", " "}, {"\xE3\x80\x80", " "}, {"\xE2\x80\x8B", ""}, {"\xE2\x80\x8C", ""}, {"\xE2\x80\x8D", ""},
    {"\xEF\xBB\xBF", ""}, {"\xE2\x94\x82", "|"}, {"\xE2\x94\x83", "|"}, {"\xE2\x94\x80", "-"}, {"\xE2\x94\x81", "-"}, {"\xEF\xBC\x9A", ":"},
    {"\xE2\x80\x98", "'"}, {"\xE2\x80\x99", "'"}, {"\xE2\x80\xA2", "*"},
}};

/// Length of an ANSI escape sequence at the front of a text (ECMA-48: CSI, OSC, or two bytes).
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t end = 2;
  if (text[1] == '[') {
    while (end < text.size() && (text[end] < 0x40 || text[end] > 0x7E)) ++end;
    return std::min(end + 1, text.size());
  }
  if (text[1] == ']') {
    while (end < text.size() && text[end] != '\a' && text[end] != '\x1b') ++end;
    return std::min(end + (end < text.size() && text[end] == '\x1b' ? 2 : 1), text.size());
  }
  return 2;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> entities = {
    {{"&gt;", ">"}, {"&lt;", "<"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&nbsp;", " "}, {"&amp;", "&"}}};

/// The tags that people put around pasted output; what they hold stays.
std::string without_html(std::string line) {
  if (contains(line, "<")) {
    static constexpr std::string_view tags[] = {"details", "summary", "pre", "code", "br", "p", "b", "div", "span", "table", "tr", "td", "blockquote"};
    std::string kept;
    for (std::size_t at = 0; at < line.size();) {
      const auto close = line[at] == '<' ? line.find('>', at) : std::string::npos;
      const auto name = close == std::string::npos ? std::string() : lower(line.substr(at + 1, close - at - 1));
      const auto bare = std::string_view(name).substr(name.starts_with('/') ? 1 : 0);
      const auto is = [&bare](std::string_view tag) { return bare.starts_with(tag) && (bare.size() == tag.size() || bare[tag.size()] == ' ' || bare[tag.size()] == '/'); };
      if (close != std::string::npos && std::any_of(std::begin(tags), std::end(tags), is)) at = close + 1;
      else kept += line[at++];
    }
    line = std::move(kept);
  }
  if (contains(line, "&"))
    for (const auto& [entity, plain] : entities) line = replaced(std::move(line), entity, plain);
  return line;
}

/// Quote marks of mail and Markdown. Three of them and a space are Python's prompt, and stay.
std::string_view without_quotes(std::string_view line) {
  for (;;) {
    const auto at = line.find_first_not_of(' ');
    if (at == std::string_view::npos || at > 3 || line[at] != '>') return line;
    const auto rest = line.substr(at);
    if (rest.starts_with(">>> ") || rest == ">>>") return rest;
    if (rest.size() > 1 && rest[1] != ' ' && rest[1] != '>') return line;
    line = rest.substr(rest.size() > 1 && rest[1] == ' ' ? 2 : 1);
  }
}

}  // namespace

std::string decoded(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) return std::string(bytes.substr(3));
  const bool little = bytes.starts_with("\xFF\xFE"), big = bytes.starts_with("\xFE\xFF");
  if (!little && !big) return std::string(bytes);
  std::string text;
  text.reserve(bytes.size() / 2);
  char32_t high = 0;
  for (std::size_t i = 2; i + 1 < bytes.size(); i += 2) {
    const auto a = static_cast<unsigned char>(bytes[i]), b = static_cast<unsigned char>(bytes[i + 1]);
    const char32_t unit = little ? static_cast<char32_t>(a | (b << 8)) : static_cast<char32_t>((a << 8) | b);
    if (unit >= 0xD800 && unit < 0xDC00) high = unit;
    else if (unit >= 0xDC00 && unit < 0xE000) append_utf8(text, high ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : U'?'), high = 0;
    else append_utf8(text, unit), high = 0;
  }
  return text;
}

std::string plain_line(std::string_view line) {
  std::string result;
  result.reserve(line.size());
  for (std::size_t at = 0; at < line.size();) {
    const auto c = static_cast<unsigned char>(line[at]);
    if (c == 0x1b) {
      at += escape_length(line.substr(at));
    } else if (c == '\r') {
      if (line.find_first_not_of("\r\n", at) != std::string_view::npos) result.clear();   // a progress bar draws itself anew
      ++at;
    } else if (c < 0x20 || c == 0x7F) {
      if (c == '\t') result += '\t';
      ++at;
    } else if (c < 0x80) {
      result += line[at++];
    } else {
      const auto found = std::find_if(marks.begin(), marks.end(), [&](const auto& mark) { return line.substr(at).starts_with(mark.first); });
      if (found != marks.end()) result += found->second, at += found->first.size();
      else result += line[at++];
    }
  }
  const auto end = result.find_last_not_of(" \t");
  result.resize(end == std::string::npos ? 0 : end + 1);
  return result;
}

namespace {

bool digits_at(std::string_view text, std::size_t at, std::size_t count) {
  return text.size() >= at + count && std::all_of(text.begin() + at, text.begin() + at + count, [](char c) { return c >= '0' && c <= '9'; });
}

/// "2026-01-02T03:04:05.678Z " or "2026-01-02 03:04:05.678 ": as containers, journald and build services write it.
std::size_t iso_time(std::string_view line) {
  if (!digits_at(line, 0, 4) || line.size() < 20 || line[4] != '-' || line[7] != '-' || (line[10] != 'T' && line[10] != ' ') || line[13] != ':') return 0;
  const auto end = line.find(' ', 11);
  return end == std::string_view::npos || end > 40 ? 0 : end + 1;
}

/// "Jan 09 10:24:03 host kernel: ", of syslog and journalctl.
std::size_t syslog_prefix(std::string_view line) {
  static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (line.size() < 16 || line[3] != ' ' || months.find(line.substr(0, 3)) % 3 != 0 || line[9] != ':' || line[12] != ':') return 0;
  const auto host = line.find(' ', 16);
  if (host == std::string_view::npos || host > 96) return 16;
  return line.substr(host + 1).starts_with("kernel: ") ? host + 9 : host + 1;
}

/// "[    7.850292] ", of dmesg; "[Tue Jan  6 10:24:03 2026] " with -T.
std::size_t dmesg_prefix(std::string_view line) {
  const auto start = line.starts_with("<") && line.find('>') < 5 ? line.find('>') + 1 : 0;   // dmesg -r
  if (line.size() <= start || line[start] != '[') return 0;
  const auto close = line.find(']', start);
  if (close == std::string_view::npos || close > start + 40) return 0;
  const auto inner = line.substr(start + 1, close - start - 1);
  const bool seconds = inner.find_first_not_of(" 0123456789.") == std::string_view::npos && contains(inner, ".");
  const bool date = inner.size() > 20 && contains(inner, ":") && inner.find_first_of("[(") == std::string_view::npos;
  if (!seconds && !date) return 0;
  auto end = close + 1;
  while (end < line.size() && line[end] == ' ') ++end;
  return end;
}

/// "(RayWorkerWrapper pid=3125, ip=10.0.0.2) ", of Ray and vLLM; "app-1  | ", of Docker Compose; "[1,0]<stdout>:", of mpirun.
std::size_t launcher_prefix(std::string_view line) {
  if (line.starts_with('(')) {
    const auto close = line.find(')');
    if (close != std::string_view::npos && close < 120 && contains(line.substr(0, close), " pid=")) return std::min(close + (close + 1 < line.size() ? 2 : 1), line.size());
  }
  if (const auto bar = line.find(" | "); bar != std::string_view::npos && bar > 0 && bar < 48) {
    const auto name = trim(line.substr(0, bar));
    const auto dash = name.find_last_of("-_");
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'; });
    if (plain && dash != std::string_view::npos && to_number(name.substr(dash + 1)) > 0) return bar + 3;
  }
  if (line.starts_with('[') && (contains(line.substr(0, 24), "]<stdout>:") || contains(line.substr(0, 24), "]<stderr>:"))) return line.find('>') + 2;
  return 0;
}

}  // namespace

std::string_view without_prefix(std::string_view line) {
  for (int more = 0; more < 4; ++more) {
    const auto bare = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    std::size_t cut = 0;
    for (const auto measure : {launcher_prefix, syslog_prefix, dmesg_prefix, iso_time})
      if (cut = measure(bare); cut > 0) break;
    if (cut == 0) return line;
    line = bare.substr(cut);
  }
  return line;
}

Paste::Paste(std::string_view bytes, std::string name) : name_(std::move(name)) {
  const std::string text = decoded(bytes);
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (lines_.size() >= max_lines) {
      cut_ = true;
      break;
    }
    if (end - at > max_line) cut_ = true;
    add(std::string_view(text).substr(at, std::min(end - at, max_line)), ++number);
    at = end + 1;
  }
  taken_.assign(lines_.size(), false);
}

void Paste::add(std::string_view raw, int number) {
  const std::string plain = without_html(plain_line(raw));
  const std::string_view unquoted = without_quotes(plain);
  const auto bare = trim(unquoted);
  for (const char mark : {'`', '~'})
    if (bare.size() >= 3 && bare[0] == mark && bare[1] == mark && bare[2] == mark && bare.find(mark, 3) == std::string_view::npos) {
      if (fence_ == 0 || fence_ == mark) fence_ = fence_ == mark ? 0 : mark;
      ++block_;
      return;
    }
  Line line;
  line.number = number;
  const auto text = without_prefix(unquoted);
  if (bare.empty() && fence_ == 0) ++block_;
  line.block = block_;
  line.code = fence_ != 0 || unquoted.starts_with("    ") || unquoted.starts_with('\t');
  line.text = std::string(text);
  lines_.push_back(std::move(line));
}

Witness Paste::witness(std::size_t index, std::string_view reader, Rank rank) const {
  const int number = index < lines_.size() ? lines_[index].number : 0;
  return {rank, name_ + ":" + std::to_string(number) + " (" + std::string(reader) + ")", 0, {}};
}

}  // namespace gpudoctor
