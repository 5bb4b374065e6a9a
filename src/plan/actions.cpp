// SPDX-License-Identifier: Apache-2.0
#include "actions.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {

std::string safe(std::string text) {
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain && std::string_view("._+-~:=<>, ").find(c) == std::string_view::npos) return {};
    if (c == '<' || c == '>') return {};
  }
  // An option is no package: no word may begin with a dash.
  for (const auto word : words(text))
    if (word.front() == '-') return {};
  return text;
}

std::string shell_path(const std::string& path, const Facts& facts, Machine::World world) {
  if (world != Machine::World::live) return "<your environment>";
  const Entity* host = facts.find("host");
  const std::string home = host ? host->get("home") : std::string();
  const auto plain = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view("/._+-").find(c) != std::string_view::npos;
    });
  };
  if (home.size() > 1 && path.starts_with(home + "/") && plain(path.substr(home.size()))) return "~" + path.substr(home.size());
  if (plain(path)) return path;
  return "'" + replaced(path, "'", "'\\''") + "'";
}

const Node* section_for(const Node& action, const Facts& facts) {
  const Node* on = action.find("on");
  const Entity* host = facts.find("host");
  if (!on) return nullptr;
  if (host && host->is("system", "windows")) return on->find("windows");   // never a command of Linux
  if (host) {
    std::vector<std::string> names;
    const auto id = host->get("distribution");
    const auto major = std::to_string(host->version("distribution_version").major());
    const auto like = host->items("distribution_like");
    // Rocky, Alma and CentOS count their releases as RHEL does; Mint and Pop do not as Ubuntu does.
    const bool as_rhel = std::find(like.begin(), like.end(), "rhel") != like.end();
    names = {id + "-" + major, id};
    if (as_rhel) names.insert(names.end(), {"rhel-" + major, "rhel"});
    names.insert(names.end(), like.begin(), like.end());
    for (const auto& name : names)
      if (const Node* found = on->find(name)) return found;
  }
  return on->find("any");
}

namespace {

/// Replaces {name}; false when a value is missing.
bool fill(std::string& text, const Values& values, std::string& missing) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto close = text[at] == '{' ? text.find('}', at) : std::string::npos;
    const auto key = close == std::string::npos ? std::string() : text.substr(at + 1, close - at - 1);
    const bool placeholder = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
    if (!placeholder || (at > 0 && text[at - 1] == '%')) {   // %{fedora} belongs to rpm
      result += text[at++];
      continue;
    }
    const auto value = values.find(key);
    if (value == values.end() || value->second.empty()) return missing = key, false;
    result += value->second;
    at = close + 1;
  }
  text = result;
  return true;
}

std::string excluded(const Action& action, const Facts& facts) {
  const auto not_in = action.node.list("not-in");
  const auto names = [&not_in](const char* place) { return std::find(not_in.begin(), not_in.end(), place) != not_in.end(); };
  const Entity* host = facts.find("host");
  const Entity* container = facts.find("container");
  if (names("container") && container && container->is("inside", "yes")) return "This belongs to the container's host: run gpudoctor there.";
  if (host && names("wsl") && (host->is("wsl", "2") || host->is("wsl", "1"))) return "In WSL the driver is the one of Windows: update it there.";
  if (host && names("jetson") && host->has("jetson")) return "On a Jetson the driver comes with JetPack.";
  if (names("vgpu"))
    for (const Entity* gpu : facts.of("gpu"))
      if (gpu->is("virtualization", "vgpu")) return "A virtual GPU needs the guest driver that belongs to its host: ask whoever runs the host.";
  if (host && names("immutable") && host->is("immutable", "yes")) return "This is an image-based system: layer the packages with its own tool.";
  return {};
}

}  // namespace

Fix instantiate(const Action& action, const Facts& facts, const Values& values, const std::vector<std::string>& managers) {
  Fix fix;
  fix.action = action.name;
  fix.risk = action.node.get("risk");
  fix.needs = action.node.list("needs");
  fix.verify = action.node.get("verify");
  fix.title = action.node.get("does");
  std::string missing;
  if (!fill(fix.title, values, missing)) fix.title = replaced(fix.title, "{" + missing + "}", "…");
  if (fix.said = excluded(action, facts); !fix.said.empty()) return fix;
  const Node* section = nullptr;
  if (const Node* with = action.node.find("with"))
    for (const auto& manager : managers)
      if (!section) section = with->find(manager);
  if (!section) section = section_for(action.node, facts);
  const Entity* host = facts.find("host");
  if (!section && host && host->is("system", "windows"))
    return fix.said = contains(action.name, "driver") ? "On Windows the driver comes from https://www.nvidia.com/drivers." : "There is no command for this on Windows here.", fix;
  if (!section) return fix.said = "How to do this on this system is not known to this version.", fix;
  Values here = values;
  if (const auto package = section->get(values.contains("flavour") ? values.at("flavour") : "open"); !package.empty()) {
    std::string filled = package;
    if (fill(filled, values, missing)) here["package"] = filled;
  }
  for (std::string command : section->list("run")) {
    if (!fill(command, here, missing)) return fix.commands.clear(), fix.said = fix.title + ": what to put for " + missing + " is not known here.", fix;
    fix.commands.push_back(command);
  }
  if (const Node* undo = action.node.find("undo"))
    for (const auto& name : {facts.find("host") ? facts.find("host")->get("distribution") : std::string(), std::string("any")})
      if (fix.undo.empty())
        for (std::string command : undo->list(name))
          if (fill(command, here, missing)) fix.undo.push_back(command);
  return fix;
}

}  // namespace gpudoctor
