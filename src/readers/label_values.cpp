// SPDX-License-Identifier: Apache-2.0
#include "label_values.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "host.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// What os-release calls a system that people name in words; longest first where one holds another.
constexpr std::array<std::pair<std::string_view, std::string_view>, 22> distributions = {{
    {"ubuntu", "ubuntu"}, {"debian", "debian"}, {"fedora", "fedora"}, {"centos", "centos"}, {"rocky", "rocky"}, {"alma", "almalinux"},
    {"red hat", "rhel"}, {"rhel", "rhel"}, {"amazon linux", "amzn"}, {"opensuse", "opensuse"}, {"suse", "sles"}, {"arch linux", "arch"},
    {"manjaro", "manjaro"}, {"linux mint", "linuxmint"}, {"pop!_os", "pop"}, {"nixos", "nixos"}, {"gentoo", "gentoo"}, {"elementary", "elementary"},
    {"truenas", "truenas"}, {"proxmox", "proxmox"}, {"solus", "solus"}, {"alpine", "alpine"},
}};

void say_arch(std::string_view text, Said& said, const Witness& witness) {
  for (const auto& [word, arch] : {std::pair("x86_64", "x86_64"), std::pair("amd64", "x86_64"), std::pair("aarch64", "aarch64"), std::pair("arm64", "aarch64")})
    if (contains(text, word)) return void(said.host().known("arch", arch, witness));
}

}  // namespace

std::string leading_version(std::string_view value) {
  value = trim(value);
  if (value.starts_with('v') || value.starts_with('V')) value.remove_prefix(1);
  if (value.empty() || !std::isdigit(static_cast<unsigned char>(value.front()))) return {};
  const auto end = std::min(value.find_first_not_of("0123456789."), value.size());
  auto text = std::string(value.substr(0, end));
  while (text.ends_with('.')) text.pop_back();
  return text;
}

std::string gcc_version(std::string_view value) {
  if (const auto first = leading_version(value); !first.empty()) return first;
  const auto close = value.rfind(')');
  const auto parts = words(close == std::string_view::npos ? value : value.substr(close + 1));
  for (const auto part : parts)
    if (const auto version = leading_version(part); !version.empty()) return version;
  return {};
}

void say_system(std::string_view value, Said& said, const Witness& witness) {
  const auto text = lower(value);
  Entity& host = said.host();
  const auto wsl = text.find("wsl");
  if (contains(text, "windows subsystem")) host.known("wsl", contains(text, "linux 1") ? "1" : "2", witness);
  else if (wsl != std::string::npos) host.known("wsl", text.substr(wsl + 3).find_first_of('1') < 2 ? "1" : "2", witness);
  if (contains(text, "windows") && !host.has("wsl")) return void(host.known("system", "windows", witness).known("distribution_name", std::string(trim(value)), witness));
  if (contains(text, "macos") || contains(text, "mac os") || contains(text, "darwin")) {
    say_arch(text, said, witness);
    return void(host.known("system", "macos", witness).known("distribution_name", std::string(trim(value)), witness));
  }
  host.known("system", "linux", witness);
  say_arch(text, said, witness);
  if (const auto l4t = text.find("l4t "); l4t != std::string::npos) {
    auto release = std::string(value.substr(l4t + 4, value.find_first_of(" ),", l4t + 4) - l4t - 4));
    if (!release.starts_with('R')) release = "R" + release;
    host.known("jetson", release, witness).known("arch", "aarch64", witness);
  }
  for (const auto& [word, id] : distributions) {
    const auto at = text.find(word);
    if (at == std::string::npos) continue;
    host.known("distribution", std::string(id), witness).known("distribution_name", std::string(trim(value.substr(0, value.find(" (x86_64)")))), witness);
    auto rest = text.substr(at + word.size());
    rest = rest.substr(std::min(rest.find_first_of("0123456789"), rest.size()));
    auto version = leading_version(rest);
    if (id == "ubuntu" && version.size() > 5) version = version.substr(0, 5);   // 22.04 of 22.04.3, as os-release says it
    else if (id == "debian" && !version.empty()) version = version.substr(0, version.find('.'));
    if (!version.empty()) host.known("distribution_version", version, witness);
    break;
  }
}

void say_platform(std::string_view value, Said& said, const Witness& witness) {
  Entity& host = said.host();
  if (value.starts_with("Windows")) return void(host.known("system", "windows", witness));
  if (value.starts_with("macOS") || value.starts_with("Darwin")) return void(host.known("system", "macos", witness));
  if (!value.starts_with("Linux-")) return;
  host.known("system", "linux", witness);
  const auto with = value.find("-with-");
  auto kernel = std::string(value.substr(6, with == std::string_view::npos ? std::string_view::npos : with - 6));
  for (const std::string_view arch : {"-x86_64", "-aarch64"})
    if (const auto at = kernel.rfind(arch); at != std::string::npos) host.known("arch", std::string(arch.substr(1)), witness), kernel = kernel.substr(0, at);
  host.known("kernel", kernel, witness);
  if (const auto numbers = find_version(kernel); !numbers.empty()) host.known("kernel_version", numbers, witness);
  if (contains(lower(kernel), "microsoft")) host.known("wsl", wsl_of_kernel(kernel, contains(kernel, "WSL2")), witness);
  if (const auto glibc = value.find("glibc"); glibc != std::string_view::npos)
    if (const auto version = leading_version(value.substr(glibc + 5)); !version.empty()) host.known("glibc", version, witness);
}

std::vector<std::string> gpu_names(std::string_view value) {
  std::vector<std::string> names;
  std::string text = replaced(replaced(std::string(value), " and ", ","), " + ", ",");
  text = replaced(std::move(text), ";", ",");
  for (auto part : split(text, ',')) {
    part = trim(part);
    long count = 1;
    const auto number = leading_version(part);
    const auto rest = trim(part.substr(std::min(number.size(), part.size())));
    if (!number.empty() && number.size() < 4 && (rest.starts_with("x ") || rest.starts_with("X ") || rest.starts_with("* "))) {
      count = to_number(number), part = trim(rest.substr(2));
    } else if (!number.empty() && number.size() < 3 && (rest.starts_with("x") || rest.starts_with("X")) && rest.size() > 2) {
      count = to_number(number), part = trim(rest.substr(1));
    }
    for (const std::string_view tail : {" x", " X", " *"})   // "RTX 4090 x2"
      if (const auto at = part.rfind(tail); at != std::string_view::npos && to_number(trim(part.substr(at + 2))) > 0 && to_number(trim(part.substr(at + 2))) < 17) {
        count = to_number(trim(part.substr(at + 2))), part = trim(part.substr(0, at));
        break;
      }
    if (const auto paren = part.find(" ("); paren != std::string_view::npos) part = trim(part.substr(0, paren));
    if (part.size() < 3 || is_nothing(part)) continue;
    for (long i = 0; i < std::min(count, 64L); ++i) names.emplace_back(part);
  }
  return names;
}

}  // namespace gpudoctor
