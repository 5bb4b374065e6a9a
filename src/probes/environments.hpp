// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"
#include "python_places.hpp"

namespace gpudoctor {

/// One Python environment, as its files describe it.
struct Environment {
  std::string key;     ///< real path of the prefix; for a system Python or a user site the folder of its packages
  std::string prefix;  ///< as it was reached
  std::string kind, manager, python;
  std::vector<std::string> sites;  ///< folders of its packages, links resolved
  bool externally_managed = false;
  bool venv = false;
  bool system_site = false;  ///< a venv that also sees the packages of its base
  std::string home;          ///< of a venv: folder of the interpreter it was made from
};

/// What a prefix is: a venv, a conda environment, or with `bare` also any folder with bin/python3.
std::optional<Environment> recognise(const Machine& machine, const Candidate& candidate, bool bare);
/// The Pythons of the system: one for each folder of packages under /usr and /usr/local.
std::vector<Environment> system_pythons(const Machine& machine);
/// ~/.local/lib/python3.X/site-packages of the homes.
std::vector<Environment> user_sites(const Machine& machine, const std::vector<std::string>& homes,
                                    const std::vector<Environment>& system);
/// A folder of packages that stands alone (PYTHONPATH, --env …/site-packages).
Environment lone_folder(const Machine& machine, const std::string& folder);

/// What `python3` would start, as a prefix; "/usr" and "/usr/local" are the system's.
struct ActivePython {
  std::string prefix;   ///< empty when it could not be told
  std::string python;   ///< 3.11, when the name of the program says it
  std::string seen_by;  ///< the witness: VIRTUAL_ENV, CONDA_PREFIX or the path of python3
  std::string reason;   ///< why it could not be told
};
ActivePython active_python(const Machine& machine);

}  // namespace gpudoctor
