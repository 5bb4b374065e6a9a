// SPDX-License-Identifier: Apache-2.0
#include "toolkit_files.hpp"

#include "gpudoctor/version.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// The text that follows `"key"` and the white space and punctuation of JSON before its value.
std::string_view after_key(std::string_view text, std::string_view key) {
  const auto quoted = '"' + std::string(key) + '"';
  const auto at = text.find(quoted);
  if (at == std::string_view::npos) return {};
  text = text.substr(at + quoted.size());
  const auto start = text.find_first_not_of(" \t\r\n:");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

bool is_version(std::string_view text, std::size_t least) {
  const Version version{std::string(text)};
  return version.valid() && version.parts().size() >= least && find_version(text, least) == text;
}

}  // namespace

std::optional<std::string> parse_version_json(std::string_view text) {
  const auto cuda = after_key(text, "cuda");
  if (!cuda.starts_with('{')) return std::nullopt;
  const auto value = after_key(cuda.substr(0, cuda.find('}')), "version");
  if (!value.starts_with('"')) return std::nullopt;
  const auto number = value.substr(1, value.find('"', 1) - 1);
  if (value.find('"', 1) == std::string_view::npos || !is_version(number, 2)) return std::nullopt;
  const Version version{std::string(number)};
  const bool dated = version.parts().size() > 2 && version.parts()[2] > 999;
  return version.first(dated ? 2 : 3);
}

std::optional<std::string> parse_version_txt(std::string_view text) {
  constexpr std::string_view label = "CUDA Version ";
  const auto at = text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const auto number = find_version(text.substr(at + label.size(), 40));
  if (number.empty()) return std::nullopt;
  return Version(number).first(2);
}

std::string cuda_of_macro(long number) {
  if (number < 1000 || number > 99'999) return {};
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string version_of_file_name(std::string_view name) {
  constexpr std::string_view mark = ".so.";
  const auto at = name.find(mark);
  if (at == std::string_view::npos) return {};
  const auto number = name.substr(at + mark.size());
  return Version(std::string(number)).valid() ? std::string(number) : std::string();
}

std::optional<Wheel> parse_wheel(std::string_view text) {
  constexpr std::string_view ending = ".dist-info";
  const bool folder = text.ends_with(ending);
  if (folder) text.remove_suffix(ending.size());
  const auto at = text.find(folder ? "-" : "==");
  if (at == std::string_view::npos) return std::nullopt;
  return Wheel{normalized_package(text.substr(0, at)), std::string(text.substr(at + (folder ? 1 : 2)))};
}

std::string cuda_of_package(std::string_view text) {
  for (const std::string_view mark : {"+cuda", "-cuda-", "-cu"}) {
    const auto at = text.rfind(mark);
    if (at == std::string_view::npos) continue;
    auto rest = std::string(text.substr(at + mark.size()));
    rest = replaced(rest.substr(0, rest.find_first_not_of("0123456789.-")), "-", ".");  // libcudnn9-dev-cuda-12-4
    if (mark == "-cu" && rest.size() == 3) rest.insert(2, ".");                         // cu110 is CUDA 11.0
    if (Version(rest).valid()) return rest;
  }
  return {};
}

std::optional<std::string> nvcc_behind_script(std::string_view text) {
  for (const auto line : lines(text)) {
    const auto parts = words(line);
    if (parts.size() < 2 || parts[0] != "exec") continue;
    auto path = parts[1];
    if (path.size() > 2 && path.front() == '"' && path.back() == '"') path = path.substr(1, path.size() - 2);
    if (path.starts_with('/') && path.ends_with("/nvcc") && path.find_first_of("$`*?\\") == std::string_view::npos)
      return std::string(path);
  }
  return std::nullopt;
}

Result<std::vector<std::string>> header_macros(const Machine& machine, const std::string& path) {
  return machine.inspect(path, Inspect::version_macros);
}

long macro(const std::vector<std::string>& macros, std::string_view name) {
  for (const auto& line : macros)
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=')
      return to_number(line.substr(name.size() + 1));
  return -1;
}

std::string version_of_macros(const std::vector<std::string>& macros, const std::string& prefix) {
  const long major = macro(macros, prefix + "_MAJOR"), minor = macro(macros, prefix + "_MINOR");
  long patch = macro(macros, prefix + "_PATCHLEVEL");
  if (patch < 0) patch = macro(macros, prefix + "_PATCH");
  if (major < 0 || minor < 0 || patch < 0) return {};
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string answer(const Result<std::vector<std::string>>& answers, std::string_view key) {
  if (answers)
    for (const auto& line : *answers)
      if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=')
        return line.substr(key.size() + 1);
  return {};
}

}  // namespace gpudoctor
