// SPDX-License-Identifier: Apache-2.0
// Which Python answers: VIRTUAL_ENV, CONDA_PREFIX, else the python3 on PATH.
#include "environments.hpp"
#include "python_files.hpp"
#include "text.hpp"

namespace gpudoctor {

namespace {

bool is_program(const Machine& machine, const std::string& path) {
  const auto info = machine.info(path);
  return info && info->kind == Kind::file;
}

/// The version that pyenv's shim would choose: PYENV_VERSION, .python-version upward, then the global one.
std::string pyenv_version(const Machine& machine, const std::string& root) {
  const auto first_word = [](const std::string& text) {
    const auto spaced = replaced(text, ":", " ");
    const auto all = words(spaced);
    return all.empty() ? std::string() : std::string(all[0]);
  };
  if (const auto version = machine.variable("PYENV_VERSION")) return first_word(*version);
  for (const auto& folder : upward(machine))
    if (const auto text = machine.read(join(folder, ".python-version"), 4096)) return first_word(*text);
  if (const auto text = machine.read(join(root, "version"), 4096)) return first_word(*text);
  return "system";
}

ActivePython from_program(const Machine& machine, const std::string& path) {
  ActivePython active;
  active.seen_by = path;
  // A venv's python is a link to its base: the folder it is reached through decides, as in Python itself.
  const auto prefix = parent(parent(path));
  if (exists(machine, join(prefix, "pyvenv.cfg")) || exists(machine, join(prefix, "conda-meta"))) {
    active.prefix = prefix;
    return active;
  }
  const auto real = machine.real(path);
  if (!real) {
    active.reason = path + ": " + real.miss().says;
    return active;
  }
  const auto name = base_name(*real);
  if (name.starts_with("python")) active.python = python_version(std::string_view(name).substr(6));
  if (active.python == "3") active.python.clear();
  active.prefix = base_name(parent(*real)) == "bin" ? parent(parent(*real)) : std::string();
  if (active.prefix == "/" || active.prefix.empty()) active.prefix = "/usr";  // /bin that is no link to /usr/bin
  return active;
}

}  // namespace

ActivePython active_python(const Machine& machine) {
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto prefix = machine.variable(variable);
    if (!prefix && prefix.miss().why == Why::not_running) return {{}, {}, {}, "not a running system"};
    // A variable can outlive its environment; then Python does not find it either.
    if (prefix && prefix->starts_with('/') && is_folder(machine, *prefix)) return {*prefix, {}, variable, {}};
  }
  const auto path = machine.variable("PATH");
  if (!path && path.miss().why != Why::absent) return {{}, {}, {}, "PATH: " + path.miss().says};
  const std::string folders = path.value_or("/usr/local/bin:/usr/bin:/bin");
  for (const auto folder : split(folders, ':')) {
    if (!folder.starts_with('/')) continue;
    for (const char* name : {"python3", "python"}) {
      const auto program = join(folder, name);
      if (!is_program(machine, program)) continue;
      if (base_name(folder) != "shims") return from_program(machine, program);
      const auto root = parent(folder);
      if (!exists(machine, join(root, "versions")))
        return {{}, {}, {}, program + " is a shim, and what it starts was not asked"};
      const auto version = pyenv_version(machine, root);
      if (version == "system") break;
      auto prefix = join(join(root, "versions"), version);
      if (is_folder(machine, prefix)) return {std::move(prefix), {}, program, {}};
      return {{}, {}, {}, program + " is a shim for " + printable(version) + ", which is not installed"};
    }
  }
  return {{}, {}, {}, "no python3 on PATH"};
}

}  // namespace gpudoctor
