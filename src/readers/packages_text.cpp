// SPDX-License-Identifier: Apache-2.0
// Lists of Python packages: pip list, pip freeze, uv pip list, conda list, and the "[pip3]" and "[conda]" lines of collect_env.
#include <algorithm>
#include <cctype>

#include "reader.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 80 && std::isalnum(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_version(std::string_view text) { return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) && Version(std::string(text), Scheme::pep440).valid(); }

/// "[pip3] torch==2.3.1", "[pip] torch (1.0.0)", "[conda] pytorch   2.0.1   py3.10_cuda11.7_cudnn8.5.0_0   pytorch".
bool labelled(const Paste& paste, std::size_t i, Said& said) {
  const std::string_view line = trim(paste[i].text);
  const auto close = line.find(']');
  if (!line.starts_with('[') || close == std::string_view::npos) return false;
  const auto by = line.substr(1, close - 1), rest = trim(line.substr(close + 1));
  if (by != "pip3" && by != "pip" && by != "pip2" && by != "conda" && by != "uv") return false;
  const Witness seen = paste.witness(i, "collect_env");
  if (const auto sign = rest.find("=="); sign != std::string_view::npos) {
    if (is_name(rest.substr(0, sign))) said.package(rest.substr(0, sign), rest.substr(sign + 2), "pip", seen);
    return true;
  }
  const auto parts = words(rest);
  if (parts.size() >= 2 && is_name(parts[0])) {
    auto version = parts[1];
    if (version.starts_with('(') && version.ends_with(')')) version = version.substr(1, version.size() - 2);
    const bool pypi = parts.size() > 2 && (parts[2] == "pypi_0" || parts.back() == "pypi");
    if (is_version(version)) said.package(parts[0], version, by == "conda" && !pypi ? "conda" : "pip", seen, by == "conda" && !pypi && parts.size() > 2 ? parts[2] : std::string_view());
  }
  return true;
}

/// "torch==2.5.1" alone on a line, as pip freeze writes it.
bool frozen(const Paste& paste, std::size_t i, Said& said) {
  const std::string_view line = trim(paste[i].text);
  const auto sign = line.find("==");
  if (sign == std::string_view::npos || contains(line, " ") || line.find('=', sign + 2) != std::string_view::npos) return false;
  const auto package = line.substr(0, sign), version = line.substr(sign + 2);
  if (!is_name(package) || !is_version(version)) return false;
  said.package(package, version, "pip", paste.witness(i, "pip freeze"));
  return true;
}

/// A table below a header; `columns` tells whose: "Package  Version" of pip and uv, "# Name  Version  Build  Channel" of conda.
std::size_t table(Paste& paste, std::size_t i, Said& said) {
  const auto head = words(paste[i].text);
  const bool pip = head.size() >= 2 && head[0] == "Package" && head[1] == "Version";
  const bool conda = head.size() >= 4 && head[0] == "#" && head[1] == "Name" && head[2] == "Version";
  if (!pip && !conda) return i;
  paste.take(i);
  std::size_t at = i + 1;
  for (; at < paste.size(); ++at) {
    const auto parts = words(paste[at].text);
    if (parts.empty()) break;
    if (parts[0].starts_with("---") || parts[0].starts_with('#')) { paste.take(at); continue; }
    if (parts.size() < 2 || !is_name(parts[0]) || !is_version(parts[1])) break;
    const bool of_conda = conda && parts.size() > 2 && parts[2] != "pypi_0" && parts.back() != "pypi";
    said.package(parts[0], parts[1], of_conda ? "conda" : "pip", paste.witness(at, conda ? "conda list" : "pip list"), of_conda ? parts[2] : std::string_view());
    paste.take(at);
  }
  return at - 1;
}

}  // namespace

void read_packages(Paste& paste, Said& said) {
  for (std::size_t i = 0; i < paste.size(); ++i) {
    if (labelled(paste, i, said) || frozen(paste, i, said)) paste.take(i);
    else i = table(paste, i, said);
  }
}

}  // namespace gpudoctor
