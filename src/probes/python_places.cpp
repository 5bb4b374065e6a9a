// SPDX-License-Identifier: Apache-2.0
#include "python_places.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "python_files.hpp"
#include "text.hpp"

namespace gpudoctor {

namespace {

struct Place {
  const char* pattern;  ///< below a home folder
  const char* kind;     ///< "" when the files in it tell
};

constexpr Place in_home[] = {
    {".local/share/uv/tools/*", "uv"},
    {".local/share/uv/python/*", "uv"},
    {".cache/pypoetry/virtualenvs/*", "poetry"},
    {".local/share/virtualenvs/*", "virtualenv"},  // pipenv
    {".virtualenvs/*", "virtualenv"},              // virtualenvwrapper
    {".local/share/hatch/env/virtual/*/*/*", "virtualenv"},
    {".local/share/pipx/venvs/*", "pipx"},
    {".local/pipx/venvs/*", "pipx"},
    {".pyenv/versions/*/envs/*", "pyenv"},
    {".pyenv/versions/*", "pyenv"},
    {".conda/envs/*", ""},
    {"miniconda3", ""},
    {"miniconda3/envs/*", ""},
    {"anaconda3", ""},
    {"anaconda3/envs/*", ""},
    {"miniforge3", ""},
    {"miniforge3/envs/*", ""},
    {"mambaforge", ""},
    {"mambaforge/envs/*", ""},
    {"micromamba/envs/*", ""},
    {".venvs/*", ""},
    {".venv", ""},
    {"*", ""},
};

constexpr const char* for_all_users[] = {
    "/opt/*", "/opt/conda/envs/*", "/opt/miniconda3/envs/*", "/opt/anaconda3/envs/*", "/opt/miniforge3/envs/*",
    "/venv",  "/app/.venv",        "/workspace/.venv",       "/workspace/venv"};

/// Variables that move one of the places above.
constexpr struct {
  const char* variable;
  const char* below;
  const char* kind;
} moved[] = {
    {"UV_TOOL_DIR", "*", "uv"},       {"UV_PYTHON_INSTALL_DIR", "*", "uv"},  {"WORKON_HOME", "*", "virtualenv"},
    {"PIPX_HOME", "venvs/*", "pipx"}, {"PYENV_ROOT", "versions/*", "pyenv"}, {"MAMBA_ROOT_PREFIX", "envs/*", ""}};

std::string expanded(std::string_view path, const std::string& home) {
  if (path.starts_with("~/")) return join(home, path.substr(2));
  return path.starts_with('/') ? std::string(path) : std::string();
}

void conda_lists(const Machine& machine, const std::string& home, std::vector<Candidate>& found) {
  if (const auto text = machine.read(join(home, ".conda/environments.txt")))
    for (const auto line : lines(*text))
      if (trim(line).starts_with('/')) found.push_back({std::string(trim(line)), ""});
  if (const auto text = machine.read(join(home, ".condarc")))
    for (const char* key : {"envs_dirs", "envs_path"})
      for (const auto& folder : condarc_paths(*text, key))
        if (const auto path = expanded(folder, home); !path.empty())
          for (auto& prefix : glob_in(machine, path, "*")) found.push_back({std::move(prefix), ""});
}

/// Kernels start a Python by its path: <prefix>/bin/python.
void kernels(const Machine& machine, const std::string& home, std::vector<Candidate>& found) {
  for (const auto& folder : glob_in(machine, home, ".local/share/jupyter/kernels/*"))
    if (const auto text = machine.read(join(folder, "kernel.json")))
      if (const auto program = kernel_program(*text); program.starts_with('/') && base_name(parent(program)) == "bin")
        found.push_back({parent(parent(program)), "kernel"});
}

}  // namespace

std::vector<std::string> homes(const Machine& machine) {
  std::vector<std::string> found;
  std::set<std::string> seen;
  const auto add = [&](const std::string& home) {
    if (home.size() > 1 && found.size() < most_homes && seen.insert(home).second) found.push_back(home);
  };
  const auto passwd = parse_passwd(machine.read("/etc/passwd").value_or(""));
  if (!machine.running()) {
    for (const auto& user : passwd)
      if (user.home.starts_with("/home/") || user.home == "/root") add(user.home);
    for (const auto& home : glob(machine, "/home/*")) add(home);  // users that a directory service knows
    add("/root");
    return found;
  }
  if (const auto home = machine.variable("HOME"); home && home->starts_with('/'))
    add(*home);
  else
    for (const auto& user : passwd)
      if (user.id == static_cast<long>(machine.user_id())) add(user.home);
  if (const auto caller = machine.variable("SUDO_USER"))
    for (const auto& user : passwd)
      if (user.name == *caller) add(user.home);
  return found;
}

std::vector<std::string> upward(const Machine& machine) {
  std::vector<std::string> folders;
  const auto home = machine.variable("HOME").value_or("/");
  for (std::string folder = machine.working_folder(); folder.size() > 1 && folders.size() < 32;
       folder = parent(folder)) {
    folders.push_back(folder);
    if (folder == home) break;
  }
  return folders;
}

std::vector<Candidate> known_places(const Machine& machine, const std::vector<std::string>& homes) {
  std::vector<Candidate> found;
  const auto add_all = [&](const std::string& folder, const std::string& pattern, const char* kind) {
    for (auto& prefix : glob_in(machine, folder, pattern)) found.push_back({std::move(prefix), kind});
  };
  if (machine.running())
    for (const auto& folder : upward(machine)) {
      for (const char* name : {".venv", "venv", "env"}) found.push_back({join(folder, name), ""});
      add_all(folder, ".pixi/envs/*", "");
    }
  for (const auto& [variable, below, kind] : moved)
    if (const auto root = machine.variable(variable); root && root->starts_with('/')) add_all(*root, below, kind);
  for (const auto& home : homes) {
    if (!is_folder(machine, home)) continue;
    for (const auto& [pattern, kind] : in_home) add_all(home, pattern, kind);
    conda_lists(machine, home, found);
    kernels(machine, home, found);
  }
  for (const char* pattern : for_all_users) add_all("/", pattern, "");
  return found;
}

std::vector<Candidate> deep_places(const Machine& machine, const std::vector<std::string>& homes, Facts& facts,
                                   const std::function<void(const std::string&)>& progress) {
  constexpr std::size_t most_folders = 20000;
  constexpr int deepest = 6;
  std::vector<Candidate> found;
  std::deque<std::pair<std::string, int>> queue;
  for (const auto& home : homes) queue.emplace_back(home, 0);
  for (std::size_t seen = 0; !queue.empty(); ++seen) {
    if (seen == most_folders) {
      facts.not_looked("env", "--deep stopped after " + std::to_string(most_folders) + " folders");
      break;
    }
    const auto [folder, depth] = std::move(queue.front());
    if (progress && seen % 200 == 0) progress("looking for environments: " + std::to_string(seen) + " folders, " + folder);
    queue.pop_front();
    const auto entries = machine.list(folder);
    if (!entries) continue;
    const bool env = std::any_of(entries->begin(), entries->end(),
                                 [](const Entry& e) { return e.name == "pyvenv.cfg" || e.name == "conda-meta"; });
    if (env) found.push_back({folder, ""});
    for (const auto& entry : *entries) {
      const bool inside_env = env && entry.name != "envs";  // a conda base holds others in envs/
      const bool barren = entry.name == "node_modules" || entry.name == ".git" || entry.name == "__pycache__";
      if (entry.kind == Kind::folder && !inside_env && !barren && depth < deepest)
        queue.emplace_back(join(folder, entry.name), depth + 1);
    }
  }
  return found;
}

}  // namespace gpudoctor
