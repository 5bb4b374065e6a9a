// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <iterator>

#include "machines.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

bool name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.'; }
bool hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// Names that say nothing about a person, and words that a recording needs as they are.
bool is_person(std::string_view name) {
  static constexpr std::string_view plain[] = {"root", "user", "ubuntu", "debian", "nvidia", "cuda", "torch", "conda", "python", "jovyan", "runner"};
  return !name.empty() && !name.starts_with("user-") && std::find(std::begin(plain), std::end(plain), name) == std::end(plain);
}

/// Names of EFI variables end in one of these; they are the same on every machine.
bool is_public(std::string_view uuid) {
  static constexpr std::string_view efi[] = {"8be4df61-93ca-11d2-aa0d-00e098032b8c", "605dab50-e046-4300-abb6-3dd810dd8b23", "d719b2cb-3d3a-4596-a3bc-dad00e67656f"};
  return std::find(std::begin(efi), std::end(efi), uuid) != std::end(efi);
}

}  // namespace

Redactor::Redactor(const Machine& machine) : home_(machine.variable("HOME").value_or("")), user_(machine.variable("USER").value_or("")) {
  host_ = std::string(trim(machine.read("/proc/sys/kernel/hostname", 4096).value_or("")));
}

std::string Redactor::pseudonym(const std::string& family, const std::string& original) {
  auto& name = known_[family + original];
  if (name.empty()) name = family + std::to_string(++counts_[family]);
  return name;
}

// GPU-8-4-4-4-12 and MIG-…: the shape of a UUID wherever it stands.
std::string Redactor::uuids(const std::string& text) {
  static constexpr int groups[] = {8, 4, 4, 4, 12};
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    bool good = at == 0 || !hex(text[at - 1]);
    for (int g = 0; good && g < 5; ++g) {
      if (g > 0) good = end < text.size() && text[end++] == '-';
      for (int i = 0; good && i < groups[g]; ++i) good = end < text.size() && hex(text[end++]);
    }
    if (good && (end == text.size() || !hex(text[end])) && !is_public(std::string_view(text).substr(at, end - at))) {
      auto number = pseudonym("uuid-", text.substr(at, end - at)).substr(5);
      result += "00000000-0000-0000-0000-" + std::string(12 - std::min<std::size_t>(number.size(), 12), '0') + number;
      at = end;
    } else {
      result += text[at++];
    }
  }
  return result;
}

// "/home/alice/x" becomes "/home/user-1/x" everywhere, so that paths of a recording still fit together.
std::string Redactor::homes(std::string text) {
  for (const std::string_view base : {"/home/", "/Users/"})
    for (std::size_t at = 0; (at = text.find(base, at)) != std::string::npos;) {
      const std::size_t start = at + base.size();
      std::size_t end = start;
      while (end < text.size() && name_char(text[end])) ++end;
      const auto name = text.substr(start, end - start);
      if (!is_person(name)) {
        at = end;
        continue;
      }
      const auto other = pseudonym("user-", name);
      text.replace(start, end - start, other);
      at = start + other.size();
    }
  return text;
}

std::string Redactor::operator()(std::string text) {
  text = homes(uuids(text));
  // A home elsewhere ("/data/alice"), and the bare names of user and host where they stand as words.
  for (const auto& [name, family] : {std::pair(user_, "user-"), std::pair(host_, "host-")}) {
    if (!is_person(name) || name.size() < 3 || name == "localhost") continue;
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      const bool word = (at == 0 || !name_char(text[at - 1])) && (at + name.size() == text.size() || !name_char(text[at + name.size()]));
      if (!word) {
        at += name.size();
        continue;
      }
      const auto other = pseudonym(family, name);
      text.replace(at, name.size(), other);
      at += other.size();
    }
  }
  return text;
}

}  // namespace gpudoctor
