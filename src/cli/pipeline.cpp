// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <langinfo.h>

#include "judge.hpp"
#include "plan.hpp"
#include "reader.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::size_t max_input = 64u << 20;

std::string read_input(const std::string& path) {
  if (path == "-") {
    std::string text;
    for (std::array<char, 65536> part; std::cin.read(part.data(), part.size()) || std::cin.gcount() > 0;) {
      text.append(part.data(), static_cast<std::size_t>(std::cin.gcount()));
      if (text.size() > max_input) throw BadInput("standard input: larger than " + std::to_string(max_input) + " bytes");
    }
    return text;
  }
  // Through the machine layer: a FIFO or a device as input is an error, not a wait.
  auto content = open_live()->read(path.starts_with('/') ? path : join(open_live()->working_folder(), path), max_input);
  if (!content) throw BadInput(path + ": " + content.miss().says);
  return *content;
}

/// A recording has a line "[recording]" before anything else that stands alone in brackets; all other texts are read as pasted.
bool looks_recorded(std::string_view text) {
  for (const auto line : lines(text.substr(0, 65536)))
    if (const auto bare = trim(line); bare.starts_with('[') && bare.ends_with(']')) return bare == "[recording]";
  return false;
}

/// A recording as it was written, or the text of a ticket into `pasted`.
std::unique_ptr<Machine> open_report(const std::string& from, std::string& pasted) {
  std::string text = read_input(from);
  const std::string name = from == "-" ? "standard input" : from;
  if (looks_recorded(text)) return open_recording(parse_toml(text, name), name);
  if (trim(text).empty()) throw BadInput(name + ": empty");
  pasted = std::move(text);
  return open_pasted();
}

std::unique_ptr<Machine> open_machine(const Options& options, std::string& pasted) {
  if (options.command == Options::Command::triage && options.from.empty()) return open_pasted();   // each report follows
  if (!options.root.empty()) return open_root(options.root);
  if (options.process > 0) return open_process(options.process);
  if (options.from.empty()) return open_live();
  return open_report(options.from, pasted);
}

}  // namespace

Scope scope_of(const Options& options) {
  Scope scope{options.envs, options.deep, {}};
  if (::isatty(STDERR_FILENO) == 1)
    scope.progress = [](const std::string& text) { std::cerr << "\r\033[K" << printable(text).substr(0, 79) << std::flush; };
  return scope;
}

Pipeline::~Pipeline() = default;

void Pipeline::take(const std::string& from) {
  try {
    machine_ = open_report(from, pasted_);
  } catch (const BadInput&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw BadInput(error.what());
  }
  from_ = from;
  facts_ = Facts(), report_ = Report();
}

Pipeline::Pipeline(const Options& options) : options_(options), from_(options.from) {
  try {
    knowledge_ = std::make_unique<Knowledge>(load_knowledge(options, &local_));
    machine_ = open_machine(options, pasted_);
  } catch (const BadInput&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw BadInput(error.what());
  }
  matrix_ = std::make_unique<Matrix>(*knowledge_);
  for (const auto* list : {&options.only, &options.skip})
    for (const auto& name : *list) {
      const auto hit = [&name](const FindingRow& row) { return Selection{{name}, {}}.wants(row.id); };
      if (std::none_of(knowledge_->findings().begin(), knowledge_->findings().end(), hit))
        throw BadInput("'" + name + "' is no finding and no family of findings (see `gpudoctor rules list`)");
    }
}

void Pipeline::read_text() {
  if (!signatures_) signatures_ = std::make_unique<Signatures>(knowledge_->table("signatures"));
  read_paste(pasted_, from_ == "-" ? "standard input" : base_name(from_), *signatures_, facts_);
}

void Pipeline::look() {
  if (machine_->world() == Machine::World::pasted)
    read_text();
  else
    gpudoctor::look(*machine_, scope_of(options_), facts_);
  if (options_.deep && ::isatty(STDERR_FILENO) == 1) std::cerr << "\r\033[K" << std::flush;
  try {
    assume({options_.assume_gpus, options_.assume_driver}, *matrix_, facts_);
  } catch (const std::invalid_argument& error) {
    throw BadInput(error.what());
  }
  derive(*matrix_, facts_);
}

void Pipeline::demote_and_promote() {
  const bool judge_all = options_.all_envs || machine_->world() == Machine::World::root || !machine_->running();
  for (auto& finding : report_.judgement.findings) {
    if (judge_all) finding.elsewhere = false;
    const bool no_gpu = finding.id == "gpu-not-found" || finding.id == "container-no-gpu";
    if (options_.require_gpu && no_gpu && finding.severity != Severity::error) {
      finding.severity = Severity::error;
      finding.because = "--require-gpu";
    }
  }
  // A GPU that could not be looked for is none that was seen: with --require-gpu that must not pass.
  const auto about_gpu = [](const Finding& finding) { return finding.id == "gpu-not-found" || finding.id == "container-no-gpu"; };
  const auto& found = report_.judgement.findings;
  if (const auto* row = knowledge_->finding("gpu-not-found");
      options_.require_gpu && row && facts_.of("gpu").empty() && std::none_of(found.begin(), found.end(), about_gpu)) {
    Finding finding;
    finding.id = row->id, finding.title = row->title, finding.order = row->order;
    finding.message = "No GPU was seen, and whether there is one is not known: " + printable(facts_.why_not("gpu")) + ".";
    finding.subject = "this machine", finding.because = "--require-gpu", finding.certain = false;
    report_.judgement.findings.push_back(std::move(finding));
  }
  std::stable_sort(report_.judgement.findings.begin(), report_.judgement.findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(a.elsewhere, a.severity) < std::pair(b.elsewhere, b.severity);
  });
}

int Pipeline::exit_code() const {
  const int level = options_.fail_on == "error" ? 0 : options_.fail_on == "warning" ? 1 : options_.fail_on == "note" ? 2 : -1;
  for (const auto& finding : report_.judgement.findings)
    if (!finding.elsewhere && static_cast<int>(finding.severity) <= level) return 1;
  return options_.fail_on_unknown && !report_.judgement.undecided.empty() ? 3 : 0;
}

void Pipeline::judge(bool with_plan) {
  report_.tool_version = GPUDOCTOR_VERSION;
  report_.matrix_date = knowledge_->date();
  report_.local_rows = local_.rows, report_.local_rules = local_.rules;
  report_.world = machine_->world();
  report_.where = !options_.root.empty() ? "root " + options_.root : from_;
  report_.facts = &facts_;
  report_.judgement = gpudoctor::judge(*knowledge_, facts_, Selection{options_.only, options_.skip});
  demote_and_promote();
  if (with_plan) report_.plan = plan(*matrix_, facts_, report_.judgement, report_.world);
  report_.verdicts = verdicts(facts_, report_.judgement);
  report_.verdict = overall(facts_, report_.judgement, report_.verdicts);
  if (report_.world == Machine::World::pasted) {
    const Ticket ticket = ticket_of(report_);
    report_.verdict = ticket.verdict, report_.ask = ticket.ask;
  }
  report_.exit_code = exit_code();
}

Style style_of(const Options& options) {
  std::setlocale(LC_CTYPE, "");
  Style style;
  style.verbose = options.verbose;
  style.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  const char* no_color = std::getenv("NO_COLOR");
  const char* forced = std::getenv("CLICOLOR_FORCE");
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  style.colour = options.colour == "always" || (options.colour == "auto" && (!no_color || !*no_color) &&
                                                ((forced && *forced && std::strcmp(forced, "0") != 0) || (terminal && std::getenv("TERM") && std::strcmp(std::getenv("TERM"), "dumb") != 0)));
  return style;
}

}  // namespace gpudoctor
