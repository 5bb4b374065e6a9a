// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The small files that say where Python environments are and what they are. Pure functions of text.
namespace gpudoctor {

/// What pyvenv.cfg says.
struct VenvConfig {
  std::string home;          ///< folder of the interpreter it was made from
  std::string python;        ///< 3.11.7, or 3.11
  bool uv = false;           ///< made by uv: there may be no pip in it
  bool system_site = false;  ///< packages of the base are seen too
};
VenvConfig parse_pyvenv(std::string_view text);

/// The numbers at the start of a text, three parts at most: "3.11.7.final.0" gives 3.11.7, "3.13t" gives 3.13.
std::string python_version(std::string_view text);
/// "3.11" of "3.11.7".
std::string python_minor(std::string_view version);

struct User {
  std::string name, home;
  long id = -1;
};
std::vector<User> parse_passwd(std::string_view text);

/// The paths under a key (envs_dirs) of a .condarc, as a block or in brackets; nothing of YAML beyond that.
std::vector<std::string> condarc_paths(std::string_view text, std::string_view key);
/// The program that a Jupyter kernel.json starts: the first text of "argv".
std::string kernel_program(std::string_view text);
/// The lines of a .pth or .egg-link file that are absolute paths.
std::vector<std::string> path_lines(std::string_view text);
/// Where setuptools' finder of an editable install maps a package: MAPPING = {'torch': '/src/torch', …}.
std::string mapped_folder(std::string_view finder, std::string_view package);

}  // namespace gpudoctor
