// SPDX-License-Identifier: Apache-2.0
#include "python_files.hpp"

#include <cctype>

#include "text.hpp"

namespace gpudoctor {

namespace {

std::string unquoted(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

}  // namespace

std::string python_version(std::string_view text) {
  std::size_t end = 0;
  for (int parts = 0; parts < 3; ++parts) {
    std::size_t at = parts == 0 ? 0 : end + 1;
    if (parts > 0 && (end >= text.size() || text[end] != '.')) break;
    const auto start = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) ++at;
    if (at == start) break;
    end = at;
  }
  return std::string(text.substr(0, end));
}

std::string python_minor(std::string_view version) {
  const auto dot = version.find('.');
  if (dot == std::string_view::npos) return std::string(version);
  return std::string(version.substr(0, version.find('.', dot + 1)));
}

VenvConfig parse_pyvenv(std::string_view text) {
  VenvConfig config;
  for (const auto line : lines(text)) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = lower(trim(line.substr(0, equals)));
    const auto value = trim(line.substr(equals + 1));
    if (key == "home")
      config.home = value;
    else if (key == "uv")
      config.uv = true;
    else if (key == "include-system-site-packages")
      config.system_site = lower(value) == "true";
    else if (key == "version" || key == "version_info")
      config.python = python_version(value);
  }
  return config;
}

std::vector<User> parse_passwd(std::string_view text) {
  std::vector<User> users;
  for (const auto line : lines(text)) {
    const auto fields = split(line, ':');
    if (fields.size() < 7 || !fields[5].starts_with('/')) continue;
    users.push_back({std::string(fields[0]), std::string(fields[5]), to_number(fields[2])});
  }
  return users;
}

std::vector<std::string> condarc_paths(std::string_view text, std::string_view key) {
  std::vector<std::string> paths;
  bool inside = false;
  for (const auto line : lines(text)) {
    const auto bare = trim(line.substr(0, line.find(" #")));
    if (bare.empty() || bare.starts_with('#')) continue;
    if (inside && bare.starts_with("- ")) {
      paths.push_back(unquoted(bare.substr(2)));
      continue;
    }
    inside = bare.starts_with(key) && bare.substr(key.size()).starts_with(':');
    if (!inside) continue;
    const auto rest = trim(bare.substr(key.size() + 1));
    if (rest.starts_with('[') && rest.ends_with(']'))
      for (const auto item : split(rest.substr(1, rest.size() - 2), ','))
        if (auto path = unquoted(item); !path.empty()) paths.push_back(std::move(path));
  }
  return paths;
}

std::string kernel_program(std::string_view text) {
  const auto argv = text.find("\"argv\"");
  if (argv == std::string_view::npos) return {};
  const auto open = text.find('[', argv);
  if (open == std::string_view::npos) return {};
  const auto start = text.find('"', open);
  if (start == std::string_view::npos) return {};
  const auto end = text.find('"', start + 1);
  if (end == std::string_view::npos) return {};
  return std::string(text.substr(start + 1, end - start - 1));
}

std::vector<std::string> path_lines(std::string_view text) {
  std::vector<std::string> paths;
  for (const auto line : lines(text))
    if (const auto bare = trim(line); bare.starts_with('/')) paths.emplace_back(bare);
  return paths;
}

std::string mapped_folder(std::string_view finder, std::string_view package) {
  for (const char quote : {'\'', '"'}) {
    const auto key = quote + std::string(package) + quote + ": " + quote;
    const auto at = finder.find(key);
    if (at == std::string_view::npos) continue;
    const auto start = at + key.size();
    const auto end = finder.find(quote, start);
    if (end != std::string_view::npos && finder[start] == '/') return std::string(finder.substr(start, end - start));
  }
  return {};
}

}  // namespace gpudoctor
