// SPDX-License-Identifier: Apache-2.0
#include "gpudoctor/version.hpp"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace gpudoctor {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Reads a number at `at`; longer ones than 18 digits are no version.
bool number(std::string_view text, std::size_t& at, unsigned long& value) {
  const std::size_t start = at;
  value = 0;
  while (at < text.size() && digit(text[at])) {
    if (at - start >= 18) return false;
    value = value * 10 + static_cast<unsigned long>(text[at++] - '0');
  }
  return at > start;
}

std::vector<unsigned long> numbers(std::string_view text, std::size_t& at) {
  std::vector<unsigned long> parts;
  unsigned long value = 0;
  while (number(text, at, value)) {
    parts.push_back(value);
    if (at + 1 >= text.size() || text[at] != '.' || !digit(text[at + 1])) break;
    ++at;
  }
  return parts;
}

// PEP 440 without the local label, as a key that orders: https://peps.python.org/pep-0440/#summary-of-permitted-suffixes-and-relative-ordering
struct Pep {
  unsigned long epoch = 0;
  std::vector<unsigned long> release;
  int stage = 0;              // -2 dev of the release itself, -1 pre-release, 0 final
  char pre = 'z';             // 'a', 'b', 'r' (candidate) or 'z' (none)
  unsigned long pre_number = 0, post = 0, dev = ~0UL;
  bool valid = false;
};

Pep pep440(std::string_view text) {
  Pep result;
  std::string lower(text.substr(0, text.find('+')));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string_view rest = lower;
  if (!rest.empty() && rest[0] == 'v') rest.remove_prefix(1);
  std::size_t at = 0;
  if (const auto bang = rest.find('!'); bang != std::string_view::npos) {
    if (!number(rest, at, result.epoch) || at != bang) return result;
    rest.remove_prefix(bang + 1);
    at = 0;
  }
  result.release = numbers(rest, at);
  if (result.release.empty()) return result;
  const auto separator = [&] { if (at < rest.size() && (rest[at] == '.' || rest[at] == '-' || rest[at] == '_')) ++at; };
  while (at < rest.size()) {
    separator();
    std::size_t start = at;
    while (at < rest.size() && letter(rest[at])) ++at;
    const auto tag = rest.substr(start, at - start);
    separator();
    unsigned long value = 0;
    number(rest, at, value);
    if (tag == "a" || tag == "alpha") result.pre = 'a', result.pre_number = value;
    else if (tag == "b" || tag == "beta") result.pre = 'b', result.pre_number = value;
    else if (tag == "rc" || tag == "c" || tag == "pre" || tag == "preview") result.pre = 'r', result.pre_number = value;
    else if (tag == "post" || tag == "rev" || tag == "r" || (tag.empty() && value > 0)) result.post = value + 1;
    else if (tag == "dev") result.dev = value;
    else return result;
  }
  // A local label holds letters and digits, parted by ".", "-" or "_": whatever else follows "+" makes it no version.
  const auto plus = text.find('+');
  if (plus != std::string_view::npos)
    for (const char c : text.substr(plus + 1))
      if (!digit(c) && !letter(c) && c != '.' && c != '-' && c != '_') return result;
  result.stage = result.pre != 'z' ? -1 : (result.dev != ~0UL && result.post == 0 ? -2 : 0);
  result.valid = true;
  return result;
}

template <class T>
Order order(const T& a, const T& b) { return a < b ? Order::less : b < a ? Order::greater : Order::equal; }

Order compare_pep(const Version& a, const Version& b) {
  Pep x = pep440(a.text()), y = pep440(b.text());
  const std::size_t size = std::max(x.release.size(), y.release.size());   // 2.6 == 2.6.0
  x.release.resize(size), y.release.resize(size);
  const auto key = [](const Pep& p) { return std::tie(p.epoch, p.release, p.stage, p.pre, p.pre_number, p.post, p.dev); };
  return order(key(x), key(y));
}

Order compare_dotted(const Version& a, const Version& b) {
  const auto &x = a.parts(), &y = b.parts();
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (x[i] != y[i]) return order(x[i], y[i]);
  return x.size() == y.size() ? Order::equal : Order::unknown;
}

// Debian policy 5.6.12: alternating non-digit and digit pieces; "~" before everything, letters before other signs.
int weight(char c) { return c == '~' ? -1 : digit(c) ? 0 : letter(c) ? c : c + 256; }

Order compare_piece(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    while ((i < a.size() && !digit(a[i])) || (j < b.size() && !digit(b[j]))) {
      const int x = i < a.size() && !digit(a[i]) ? weight(a[i]) : 0, y = j < b.size() && !digit(b[j]) ? weight(b[j]) : 0;
      if (x != y) return order(x, y);
      if (i < a.size() && !digit(a[i])) ++i;
      if (j < b.size() && !digit(b[j])) ++j;
    }
    unsigned long x = 0, y = 0;
    if (i < a.size()) number(a, i, x);
    if (j < b.size()) number(b, j, y);
    if (x != y) return order(x, y);
  }
  return Order::equal;
}

Order compare_dpkg(std::string_view a, std::string_view b) {
  const auto split = [](std::string_view text) {
    const auto colon = text.find(':');
    const auto epoch = colon == std::string_view::npos ? std::string_view("0") : text.substr(0, colon);
    if (colon != std::string_view::npos) text.remove_prefix(colon + 1);
    const auto dash = text.rfind('-');
    return std::tuple(epoch, text.substr(0, dash), dash == std::string_view::npos ? std::string_view() : text.substr(dash + 1));
  };
  const auto [e1, u1, r1] = split(a);
  const auto [e2, u2, r2] = split(b);
  for (const auto& [x, y] : {std::pair(e1, e2), std::pair(u1, u2), std::pair(r1, r2)})
    if (const Order o = compare_piece(x, y); o != Order::equal) return o;
  return Order::equal;
}

}  // namespace

Version::Version(std::string text, Scheme scheme) : text_(std::move(text)), scheme_(scheme) {
  std::size_t at = 0;
  switch (scheme_) {
    case Scheme::dotted:
      parts_ = numbers(text_, at);
      // "6.8.0-45-generic" is a kernel, "560.35.05-0ubuntu1" a package: what follows the numbers must be set off.
      valid_ = !parts_.empty() && (at == text_.size() || !(letter(text_[at]) || text_[at] == '.'));
      break;
    case Scheme::pep440: {
      const Pep pep = pep440(text_);
      parts_ = pep.release;
      valid_ = pep.valid;
      break;
    }
    case Scheme::dpkg:
      parts_ = numbers(text_, at);
      valid_ = !text_.empty() && text_.find(' ') == std::string::npos;
      break;
  }
  if (!valid_) parts_.clear();
}

std::string Version::first(std::size_t count) const {
  if (!valid_ || parts_.size() < count) return text_;
  std::string result;
  std::size_t dots = 0;
  for (char c : text_) {
    if (c == '.' && ++dots == count) break;
    if (!digit(c) && c != '.') break;
    result += c;
  }
  return result;
}

std::string Version::local() const {
  const auto plus = text_.find('+');
  return plus == std::string::npos ? std::string() : text_.substr(plus + 1);
}

std::string Version::without_local() const { return text_.substr(0, text_.find('+')); }

bool Version::pre_release() const { return scheme_ == Scheme::pep440 && valid_ && pep440(text_).stage != 0; }

Order compare(const Version& a, const Version& b) {
  if (!a.valid() || !b.valid()) return Order::unknown;
  if (a.scheme() == Scheme::pep440) return compare_pep(a, b);
  if (a.scheme() == Scheme::dpkg) return compare_dpkg(a.text(), b.text());
  return compare_dotted(a, b);
}

std::string cudnn_of_number(unsigned long number) {
  const auto major = number >= 90'000 ? number / 10'000 : number / 1'000, rest = number >= 90'000 ? number % 10'000 : number % 1'000;
  if (major < 4 || major > 99 || (major >= 9 && number < 90'000)) return {};
  return std::to_string(major) + "." + std::to_string(rest / 100) + "." + std::to_string(rest % 100);
}

std::string find_version(std::string_view text, std::size_t least) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!digit(text[at]) || (at > 0 && (digit(text[at - 1]) || letter(text[at - 1]) || text[at - 1] == '.'))) continue;
    std::size_t end = at;
    if (numbers(text, end).size() >= least && (end >= text.size() || !letter(text[end]))) return std::string(text.substr(at, end - at));
    at = end > at ? end - 1 : at;
  }
  return {};
}

}  // namespace gpudoctor
