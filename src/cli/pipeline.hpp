// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <stdexcept>
#include <string>

#include "formats.hpp"
#include "gpudoctor/probe.hpp"
#include "knowledge.hpp"
#include "local.hpp"
#include "machines.hpp"
#include "matrix.hpp"
#include "options.hpp"

namespace gpudoctor {

class Signatures;

/// What the user gave cannot be used: exit 2.
class BadInput : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The pipeline of ARCHITECTURE.md: machine → probes → facts → relations → rules → findings → plan → report.
class Pipeline {
 public:
  /// Opens the machine and the knowledge that the options name. Throws BadInput.
  explicit Pipeline(const Options& options);
  ~Pipeline();
  /// Goes on to another pasted report or recording; forgets the one before. Throws BadInput.
  void take(const std::string& from);
  /// Asks the probes, applies assumptions, derives.
  void look();
  /// Holds rules against facts; fills in `report`.
  void judge(bool with_plan = true);

  const Knowledge& knowledge() const { return *knowledge_; }
  const Matrix& matrix() const { return *matrix_; }
  const Machine& machine() const { return *machine_; }
  const Facts& facts() const { return facts_; }
  const Report& report() const { return report_; }

 private:
  void read_text();
  void demote_and_promote();
  int exit_code() const;
  const Options& options_;
  std::unique_ptr<Knowledge> knowledge_;
  std::unique_ptr<Machine> machine_;
  std::string from_;                 ///< where it was read from
  std::unique_ptr<Signatures> signatures_;   ///< compiled when first needed
  std::string pasted_;               ///< a text that somebody pasted, instead of a machine
  std::unique_ptr<Matrix> matrix_;
  LocalCount local_;
  Facts facts_;
  Report report_;
};

/// What the probes are asked; progress goes to stderr where that is a terminal.
Scope scope_of(const Options& options);
/// The built-in knowledge or --rules, with what is laid over it: --rules-add, and on a live machine the user's own
/// rules.d. Throws BadInput, naming the file and the place in it.
Knowledge load_knowledge(const Options& options, LocalCount* local = nullptr);
/// Colour, width and character set of standard output.
Style style_of(const Options& options);

int run_check(const Options& options);
int run_record(const Options& options);
int run_explain(const Options& options);
int run_recommend(const Options& options);
int run_facts(const Options& options);
int run_rules_list(const Options& options);
int run_rules_verify(const Options& options);
int run_rules_info(const Options& options);
int run_rules_draft(const Options& options);
int run_matrix(const Options& options);
int run_triage(const Options& options);

}  // namespace gpudoctor
