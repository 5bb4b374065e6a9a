// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

namespace gpudoctor {
namespace {

void add_local(CLI::App& app, Options& options) {
  app.add_option("--rules-add", options.rules_add, "Lay the rows and rules of a file or folder over them (repeatable)")->type_name("PATH");
}

/// How a machine is looked at: the same for every subcommand that looks.
void add_machine(CLI::App& app, Options& options) {
  auto* root = app.add_option("--root", options.root, "Look at an unpacked root or mounted disk; nothing of it is run")->type_name("DIR");
  auto* from = app.add_option("--from", options.from, "Look at a pasted report, or a recording made by `gpudoctor record`; - is standard input")->type_name("FILE")->excludes(root);
  app.add_option("--pid", options.process, "With the variables, folder and user of this process: a service, not the shell")
      ->check(CLI::PositiveNumber)->type_name("N")->excludes(root)->excludes(from);
  app.add_option("--env", options.envs, "A Python environment to look at, besides those that are found (repeatable)")->type_name("PATH");
  app.add_flag("--deep", options.deep, "Walk home folders for environments that lie elsewhere");
  app.add_flag("--all-envs", options.all_envs, "Judge every environment, not only the active one");
  app.add_option("--assume-gpu", options.assume_gpus, "Judge for this GPU instead: a name, sm_89, 10de:2684 (repeatable)")->type_name("GPU");
  app.add_option("--assume-driver", options.assume_driver, "Judge for this NVIDIA driver instead")->type_name("VERSION");
  app.add_option("--rules", options.rules, "Use the rules and tables of this folder instead of the built-in ones")->type_name("DIR");
  add_local(app, options);
}

void add_output(CLI::App& app, Options& options) {
  app.add_option("--format", options.format, "text or json")->check(CLI::IsMember({"text", "json"}))->type_name("FORMAT");
  app.add_option("--color,--colour", options.colour, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}))->type_name("WHEN");
  app.add_flag("--no-redact", options.no_redact, "Show names of users and hosts as they are");
  app.add_flag("-v,--verbose", options.verbose, "Show notes and undecided checks; twice: every witness");
}

void add_judging(CLI::App& app, Options& options) {
  app.add_option("--only", options.only, "Only these findings or families: driver, torch-cpu-only …")->delimiter(',')->type_name("ID");
  app.add_option("--skip", options.skip, "All but these findings or families")->delimiter(',')->type_name("ID");
  app.add_option("--fail-on", options.fail_on, "Exit with 1 from this severity on: error, warning, note, never")
      ->check(CLI::IsMember({"error", "warning", "note", "never"}))->type_name("SEVERITY");
  app.add_flag("--fail-on-unknown", options.fail_on_unknown, "Exit with 3 when something could not be decided");
  app.add_flag("--require-gpu", options.require_gpu, "No GPU is an error");
}

void add_recommend(CLI::App& app, Options& options) {
  app.add_option("product", options.product, "torch, libtorch, tensorflow, jax, vllm, cuda, driver, cudnn or nccl")->required()
      ->check(CLI::IsMember({"torch", "libtorch", "tensorflow", "jax", "vllm", "cuda", "driver", "cudnn", "nccl"}))->type_name("PRODUCT");
  app.add_option("--with", options.with, "Packages that it must go with: vllm, xformers==0.0.30 …")->delimiter(',')->type_name("PACKAGE");
  app.add_option("--version", options.wanted_version, "Only this release: 2.7, 2.7.1, 2.7.1+cu126")->type_name("VERSION");
  app.add_option("--python", options.python, "For this Python instead of the active environment's")->type_name("X.Y");
  app.add_option("--installer", options.installer, "Commands for pip, uv or conda")->check(CLI::IsMember({"pip", "uv", "conda"}))->type_name("NAME");
}

}  // namespace

Options parse_options(int count, char** words) {
  Options options;
  CLI::App app("gpudoctor says why PyTorch or CUDA does not see the GPU, and what mends it.");
  app.name("gpudoctor");
  app.set_version_flag("--version", std::string("gpudoctor " GPUDOCTOR_VERSION));
  app.footer("Without a subcommand it checks this machine.\n"
             "Exit status: 0 nothing at or above --fail-on, 1 findings, 2 usage or unreadable input,\n"
             "             3 undecided with --fail-on-unknown, 4 internal error");
  app.require_subcommand(0, 1);

  auto* check = app.add_subcommand("check", "Say what is wrong with the GPU stack, and what mends it");
  auto* record = app.add_subcommand("record", "Write this machine as one file, for a bug report: `check --from` judges it again");
  auto* explain = app.add_subcommand("explain", "Tell what a finding means, and why it was or was not raised here");
  auto* recommend = app.add_subcommand("recommend", "Choose the newest release that fits this machine, and say why not a newer one");
  auto* facts = app.add_subcommand("facts", "Print all that was seen, with its source");
  auto* rules = app.add_subcommand("rules", "The rules and tables");
  auto* list = rules->add_subcommand("list", "List every finding");
  auto* verify = rules->add_subcommand("verify", "Check a folder like rules/, or a file of one's own rows and rules");
  auto* info = rules->add_subcommand("info", "Date, counts and sources of the rules and tables");
  auto* draft = rules->add_subcommand("draft", "Write a row from what is installed, for --rules-add");
  auto* matrix = app.add_subcommand("matrix", "Show a table, with what of it fits this machine");
  auto* triage = app.add_subcommand("triage", "Say of pasted reports whether the environment is at fault; a line each for several");
  rules->require_subcommand(1);

  for (auto* one : {static_cast<CLI::App*>(&app), check, explain}) add_machine(*one, options), add_output(*one, options), add_judging(*one, options);
  triage->add_option("report", options.reports, "Pasted reports, or folders of them; - is standard input")->required()->type_name("FILE|DIR");
  add_output(*triage, options), add_judging(*triage, options);
  triage->add_option("--rules", options.rules, "Use the rules and tables of this folder instead of the built-in ones")->type_name("DIR");
  add_local(*triage, options);
  add_machine(*record, options);
  record->add_option("-o,--output", options.output, "Where to; standard output otherwise")->type_name("FILE");
  record->add_flag("--no-redact", options.no_redact, "Keep names of users and hosts");
  add_machine(*facts, options), add_output(*facts, options);
  add_machine(*recommend, options), add_output(*recommend, options), add_recommend(*recommend, options);
  add_output(*list, options);
  list->add_option("--rules", options.rules, "Of this folder instead of the built-in ones")->type_name("DIR");
  add_local(*list, options);
  verify->add_option("path", options.path, "A folder like rules/, or one file")->required()->type_name("DIR|FILE");
  add_output(*info, options), add_local(*info, options);
  info->add_option("--rules", options.rules, "Of this folder instead of the built-in ones")->type_name("DIR");
  draft->add_option("table", options.table, "torch")->required()->check(CLI::IsMember({"torch"}))->type_name("TABLE");
  draft->add_option("--env", options.path, "The Python environment that holds it")->required()->type_name("PATH");
  add_machine(*matrix, options), add_output(*matrix, options);
  matrix->add_option("table", options.table, "torch, cuda, driver, gpu, cudnn, nccl … (without one: their names)")->type_name("TABLE");
  matrix->add_option("words", options.filters, "Only rows that hold all of these words")->type_name("WORD");
  matrix->add_option("--cuda", options.cuda, "Only rows of this CUDA")->type_name("VERSION");
  matrix->add_option("--list", options.list, "Another list of the table, or all of them")->type_name("NAME");
  explain->add_option("id", options.id, "A finding's id, such as driver-reboot-pending")->required()->type_name("ID");

  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    options.command = Options::Command::none;
    options.exit_code = app.exit(error, std::cout, std::cerr) == 0 ? 0 : 2;
    return options;
  }
  options.command = *record  ? Options::Command::record
                    : *recommend ? Options::Command::recommend
                    : *explain ? Options::Command::explain
                    : *facts   ? Options::Command::facts
                    : *list    ? Options::Command::rules_list
                    : *verify  ? Options::Command::rules_verify
                    : *info    ? Options::Command::rules_info
                    : *draft   ? Options::Command::rules_draft
                    : *matrix  ? Options::Command::matrix
                    : *triage  ? Options::Command::triage
                               : Options::Command::check;
  return options;
}

}  // namespace gpudoctor
