// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gpudoctor {

/// What the user said. One struct for all subcommands: most of them look at a machine in the same way.
struct Options {
  enum class Command {
    check, record, explain, facts, recommend, matrix, triage, rules_list, rules_info, rules_verify, rules_draft, none
  } command = Command::check;
  int exit_code = 0;                ///< for Command::none: --help and --version 0, a wrong word 2

  std::string root, from;           ///< --root DIR, --from FILE
  std::vector<std::string> reports; ///< triage FILE|DIR …
  long process = 0;                 ///< --pid N; 0: the caller
  std::vector<std::string> envs;    ///< --env
  bool all_envs = false, deep = false;
  std::vector<std::string> assume_gpus;
  std::string assume_driver;

  std::vector<std::string> only, skip;
  std::string fail_on = "error";    ///< error, warning, note, never
  bool fail_on_unknown = false, require_gpu = false;

  std::string format = "text";      ///< text or json
  std::string colour = "auto";      ///< auto, always, never
  bool no_redact = false;
  int verbose = 0;

  std::string rules;                ///< --rules DIR instead of the embedded ones
  std::vector<std::string> rules_add;   ///< --rules-add: laid over them
  std::string table;                ///< matrix TABLE, rules draft TABLE
  std::vector<std::string> filters; ///< matrix: words that a row must hold
  std::string cuda;                 ///< matrix --cuda
  std::string list;                 ///< matrix --list
  std::string output;               ///< record -o
  std::string id;                   ///< explain ID
  std::string path;                 ///< rules verify DIR or FILE
  std::string product, wanted_version, python, installer;   ///< recommend
  std::vector<std::string> with;    ///< recommend --with
};

/// Parses; prints help, version or the complaint itself.
Options parse_options(int count, char** words);

}  // namespace gpudoctor
