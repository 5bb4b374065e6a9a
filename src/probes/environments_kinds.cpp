// SPDX-License-Identifier: Apache-2.0
// What a folder is: a venv, a conda environment, a bare Python, a system's or a user's folder of packages.
#include <algorithm>

#include "environments.hpp"
#include "python_files.hpp"

namespace gpudoctor {

namespace {

std::string real_or_same(const Machine& machine, const std::string& path) { return machine.real(path).value_or(path); }

void add_site(const Machine& machine, const std::string& folder, std::vector<std::string>& sites) {
  if (!is_folder(machine, folder)) return;
  const auto real = real_or_same(machine, folder);
  if (std::find(sites.begin(), sites.end(), real) == sites.end()) sites.push_back(real);
}

/// lib64 may be a link to lib, or hold packages of its own.
std::vector<std::string> package_folders(const Machine& machine, const std::string& prefix, const std::string& minor) {
  std::vector<std::string> sites;
  for (const char* lib : {"lib", "lib64"})
    if (!minor.empty()) add_site(machine, prefix + "/" + lib + "/python" + minor + "/site-packages", sites);
  for (const char* lib : {"lib", "lib64"})
    for (const char* name : {"site-packages", "dist-packages"})
      if (sites.empty())
        for (const auto& folder : glob_in(machine, prefix, std::string(lib) + "/python3*/" + name))
          add_site(machine, folder, sites);
  return sites;
}

/// "3.11" of …/lib/python3.11/site-packages; empty for Debian's …/python3/dist-packages.
std::string minor_of_site(const std::string& site) {
  const auto name = base_name(parent(site));
  if (!name.starts_with("python")) return {};
  const auto version = python_version(std::string_view(name).substr(6));
  return version.find('.') == std::string::npos ? std::string() : version;
}

bool marked_managed(const Machine& machine, const std::string& prefix, const std::string& minor) {
  for (const char* lib : {"/lib/python", "/lib64/python"})
    if (exists(machine, prefix + lib + minor + "/EXTERNALLY-MANAGED")) return true;
  return false;
}

/// conda-meta/python-3.11.7-hab00c5b_0.json
std::string conda_python(const std::vector<Entry>& records) {
  for (const auto& entry : records)
    if (entry.name.starts_with("python-3"))
      if (const auto version = python_version(std::string_view(entry.name).substr(7)); version.size() > 2)
        return version;
  return {};
}

/// One environment for each Python below one root; lib64 goes with lib.
std::vector<Environment> pythons_below(const Machine& machine, const std::string& root) {
  std::vector<Environment> found;
  for (const char* name : {"dist-packages", "site-packages"}) {
    const auto first = found.size();
    for (const char* lib : {"/lib", "/lib64"})
      for (const auto& site : glob_in(machine, root, std::string(lib) + "/python3.*/" + name)) {
        const auto minor = minor_of_site(site);
        auto env = std::find_if(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                                [&](const Environment& other) { return other.python == minor; });
        if (env == found.end()) {
          found.emplace_back();
          env = found.end() - 1;
          env->python = minor;
          // The distribution's Python looks into /usr/local too; one that was installed there has its own program.
          const bool own = std::string_view(name) == "site-packages" && exists(machine, root + "/bin/python" + minor);
          env->prefix = own ? root : "/usr";
        }
        add_site(machine, site, env->sites);
      }
  }
  return found;
}

}  // namespace

std::optional<Environment> recognise(const Machine& machine, const Candidate& candidate, bool bare) {
  Environment env;
  env.prefix = candidate.prefix;
  const auto config = machine.read(join(env.prefix, "pyvenv.cfg"), 1 << 16);
  const auto records = config ? Result<std::vector<Entry>>(Miss{}) : machine.list(join(env.prefix, "conda-meta"));
  if (config) {
    const auto said = parse_pyvenv(*config);
    env.venv = true, env.python = said.python, env.home = said.home, env.system_site = said.system_site;
    env.kind = candidate.kind.empty() || candidate.kind == "kernel" ? (said.uv ? "uv" : "venv") : candidate.kind;
    env.manager = said.uv ? "uv" : "pip";
  } else if (records) {
    env.kind = "conda", env.manager = "conda";
    env.python = conda_python(*records);
  } else if (bare &&
             (exists(machine, join(env.prefix, "bin/python3")) || exists(machine, join(env.prefix, "bin/python")))) {
    env.kind = candidate.kind.empty() ? "other" : candidate.kind;
    env.manager = env.kind == "uv" ? "uv" : "pip";
    env.python = python_version(base_name(env.prefix));  // pyenv's folders are named so
  } else {
    return std::nullopt;
  }
  env.key = real_or_same(machine, env.prefix);
  env.sites = package_folders(machine, env.key, python_minor(env.python));
  if (env.python.empty() && !env.sites.empty()) env.python = minor_of_site(env.sites.front());
  // PEP 668 does not speak of virtual environments.
  env.externally_managed = !config && marked_managed(machine, env.key, python_minor(env.python));
  return env;
}

std::vector<Environment> system_pythons(const Machine& machine) {
  auto found = pythons_below(machine, "/usr/local");
  if (is_folder(machine, "/usr/lib/python3/dist-packages")) {
    // Debian keeps one folder for all its Python 3; which Python that is, the name behind /usr/bin/python3 tells.
    Environment debian;
    debian.prefix = "/usr";
    if (const auto name = base_name(machine.real("/usr/bin/python3").value_or("")); name.starts_with("python3."))
      debian.python = python_version(std::string_view(name).substr(6));
    add_site(machine, "/usr/lib/python3/dist-packages", debian.sites);
    found.push_back(std::move(debian));
  }
  for (auto& env : pythons_below(machine, "/usr")) found.push_back(std::move(env));
  std::erase_if(found, [](const Environment& env) { return env.sites.empty(); });
  for (auto& env : found) {
    env.kind = "system", env.manager = "pip", env.key = env.sites.front();
    env.externally_managed = marked_managed(machine, env.prefix, env.python);
  }
  return found;
}

std::vector<Environment> user_sites(const Machine& machine, const std::vector<std::string>& homes,
                                    const std::vector<Environment>& system) {
  std::vector<Environment> found;
  for (const auto& home : homes)
    for (const auto& site : glob_in(machine, home, ".local/lib/python3.*/site-packages")) {
      Environment env;
      env.prefix = join(home, ".local"), env.kind = "user", env.manager = "pip", env.python = minor_of_site(site);
      add_site(machine, site, env.sites);
      if (env.sites.empty()) continue;
      env.key = env.sites.front();
      // pip install --user is refused where the system's Python is managed by somebody else.
      for (const auto& base : system) env.externally_managed |= base.python == env.python && base.externally_managed;
      found.push_back(std::move(env));
    }
  return found;
}

Environment lone_folder(const Machine& machine, const std::string& folder) {
  Environment env;
  env.prefix = env.key = real_or_same(machine, folder);
  env.kind = "other", env.manager = "pip", env.python = minor_of_site(env.key);
  env.sites = {env.key};
  return env;
}

}  // namespace gpudoctor
