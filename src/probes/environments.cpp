// SPDX-License-Identifier: Apache-2.0
// Every Python environment in the known places, each once.
#include "environments.hpp"

#include <algorithm>

#include "all.hpp"
#include "python_files.hpp"
#include "text.hpp"

namespace gpudoctor {

namespace {

constexpr std::size_t most_environments = 256;

/// The environments found so far, in the order in which they were met; the first that names a folder owns it.
class Collection {
 public:
  bool add(Environment env) {
    if (find(env.key)) return true;
    if (all_.size() == most_environments) return false;
    all_.push_back(std::move(env));
    return true;
  }
  const Environment* find(const std::string& key) const {
    const auto at = std::find_if(all_.begin(), all_.end(), [&](const Environment& env) { return env.key == key; });
    return at == all_.end() ? nullptr : &*at;
  }
  const std::vector<Environment>& all() const { return all_; }

 private:
  std::vector<Environment> all_;
};

/// --env takes a prefix, the python in it, or a folder of packages.
std::optional<Environment> asked_for(const Machine& machine, std::string path) {
  if (!path.starts_with('/')) path = join(machine.working_folder(), path);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const auto info = machine.info(path);
  if (!info) return std::nullopt;
  if (info->kind == Kind::file && base_name(parent(path)) == "bin") path = parent(parent(path));
  const auto name = base_name(path);
  if (name == "site-packages" || name == "dist-packages") {
    // …/lib/python3.11/site-packages belongs to its prefix when that is an environment.
    if (auto env = recognise(machine, {parent(parent(parent(path))), ""}, false)) return env;
    return lone_folder(machine, path);
  }
  if (auto env = recognise(machine, {path, ""}, true)) return env;
  if (!is_folder(machine, path)) return std::nullopt;
  return lone_folder(machine, path);
}

/// Keys of the folders that the active Python searches, in its order.
std::vector<std::string> search_path(const Machine& machine, const ActivePython& active, Collection& found,
                                     const std::vector<Environment>& users) {
  std::vector<std::string> order;
  const auto python_path = machine.variable("PYTHONPATH").value_or("");
  for (const auto folder : split(python_path, ':')) {
    if (!folder.starts_with('/') || !exists(machine, join(folder, "torch/version.py"))) continue;
    auto env = lone_folder(machine, std::string(folder));
    order.push_back(env.key);
    found.add(std::move(env));
  }
  if (active.prefix.empty()) return order;
  const auto key = machine.real(active.prefix).value_or(active.prefix);
  const Environment* env = found.find(key);
  const bool venv = env && env->venv;
  if (venv) order.push_back(env->key);
  if (venv && !env->system_site) return order;
  const auto minor = python_minor(env ? env->python : active.python);
  if (!machine.variable("PYTHONNOUSERSITE"))
    for (const auto& user : users)
      if (user.python == minor) order.push_back(user.key);
  if (env && !venv) order.push_back(env->key);
  const auto base = venv ? parent(env->home) : active.prefix;
  if (venv && found.find(base)) order.push_back(base);
  for (const auto& system : found.all())
    if (system.kind == "system" && system.prefix == base &&
        (system.python == minor || minor.empty() || system.python.empty()))
      order.push_back(system.key);
  return order;
}

void state(const Environment& env, Facts& facts) {
  auto& entity = facts.at("env", env.key);
  const Witness here{Rank::measured, env.key, 0, {}};
  const Witness config{Rank::measured, env.venv ? join(env.prefix, "pyvenv.cfg") : env.key, 0, {}};
  entity.known("path", env.prefix, here).known("kind", env.kind, config).known("manager", env.manager, config);
  if (env.python.empty())
    entity.unknown("python", "no file of it says its version");
  else
    entity.known("python", env.python, config);
  entity.known("externally_managed", env.externally_managed ? "yes" : "no", here);
  if (env.sites.empty())
    entity.absent("sites", here);
  else
    entity.known("sites", env.sites, here);
}

/// What an environment falls back to: a venv to its base, a user's folder to the system's.
void state_bases(const Collection& found, Facts& facts) {
  for (const auto& env : found.all()) {
    if (env.kind != "user" && !env.system_site) continue;
    const auto base = env.kind == "user" ? "/usr" : parent(env.home);
    for (const auto& other : found.all())
      if (other.key != env.key &&
          (other.key == base || (other.kind == "system" && other.prefix == base &&
                                 (other.python.empty() || python_minor(env.python) == other.python))))
        facts.at("env", env.key).parent({"env", other.key});
  }
}

void run(const Machine& machine, const Scope& scope, Facts& facts) {
  facts.looked("env");
  Collection found;
  bool complete = true;
  std::vector<std::string> asked;
  for (const auto& path : scope.envs) {
    auto env = asked_for(machine, path);
    if (!env) {
      facts.not_looked("env", "--env " + path + ": there is no Python environment");
      continue;
    }
    asked.push_back(env->key);
    found.add(std::move(*env));
  }
  const auto active = active_python(machine);
  const auto home_folders = homes(machine);
  if (home_folders.size() == most_homes)
    facts.not_looked("env", "only the first " + std::to_string(most_homes) + " home folders were looked at");
  const auto system = system_pythons(machine);
  const auto users = user_sites(machine, home_folders, system);
  if (!active.prefix.empty() && active.prefix != "/usr" && active.prefix != "/usr/local")
    if (auto env = recognise(machine, {active.prefix, ""}, true)) found.add(std::move(*env));
  auto places = known_places(machine, home_folders);
  if (scope.deep)
    for (auto& more : deep_places(machine, home_folders, facts, scope.progress)) places.push_back(std::move(more));
  for (const auto& place : places) {
    if (place.prefix == "/usr" || place.prefix == "/usr/local") continue;  // a kernel of the system's Python
    const bool bare =
        place.kind == "pyenv" || place.kind == "uv" || place.kind == "kernel" || place.prefix.starts_with("/opt/");
    if (auto env = recognise(machine, place, bare)) complete &= found.add(std::move(*env));
  }
  for (const auto& env : users) complete &= found.add(env);
  for (const auto& env : system) complete &= found.add(env);
  if (!complete)
    facts.not_looked("env", "only the first " + std::to_string(most_environments) + " environments were looked at");

  auto order = asked.empty() ? search_path(machine, active, found, users) : asked;
  for (const auto& env : found.all()) {
    state(env, facts);
    auto& entity = facts.at("env", env.key);
    const auto at = std::find(order.begin(), order.end(), env.key);
    const Witness witness{Rank::measured, asked.empty() ? active.seen_by : "--env", 0, {}};
    if (at != order.end()) {
      entity.known("active", "yes", witness).known("order", std::to_string(at - order.begin() + 1), witness);
    } else if (active.prefix.empty() && asked.empty()) {
      entity.unknown("active", active.reason).unknown("order", active.reason);
    } else {
      entity.known("active", "no", witness).absent("order", witness);
    }
    // sudo keeps none of the caller's variables: the environment that they meant may be another.
    if (asked.empty() && machine.variable("SUDO_USER") && entity.has("active")) entity.unsure("active");
  }
  state_bases(found, facts);
}

}  // namespace

/// Python environments: the active one, then those in the known places.
/// Reads pyvenv.cfg, conda-meta's listing, and the few files that list environments; starts no Python.
const Probe environments = {
    .name = "environments",
    .need = Need::files,
    .reads = {"/etc/passwd", "/usr/bin/python*", "/usr/local/bin/python*", "~/.conda/environments.txt", "~/.condarc",
              "~/.local/share/jupyter/kernels/*/kernel.json", "~/.pyenv/version", "*/.python-version",
              "$ENV/pyvenv.cfg", "$ENV/conda-meta/python-3*.json", "$ENV/bin/python*",
              "$ENV/lib*/python3*/EXTERNALLY-MANAGED", "/usr/lib*/python3*/EXTERNALLY-MANAGED",
              "/usr/local/lib*/python3*/EXTERNALLY-MANAGED"},
    .run = run,
};

}  // namespace gpudoctor
