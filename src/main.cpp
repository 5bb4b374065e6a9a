// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>

#include "cli/pipeline.hpp"
#include "core/text.hpp"

namespace {

int run(const gpudoctor::Options& options) {
  using namespace gpudoctor;
  switch (options.command) {
    case Options::Command::check: return run_check(options);
    case Options::Command::record: return run_record(options);
    case Options::Command::explain: return run_explain(options);
    case Options::Command::recommend: return run_recommend(options);
    case Options::Command::facts: return run_facts(options);
    case Options::Command::rules_list: return run_rules_list(options);
    case Options::Command::rules_verify: return run_rules_verify(options);
    case Options::Command::rules_info: return run_rules_info(options);
    case Options::Command::rules_draft: return run_rules_draft(options);
    case Options::Command::matrix: return run_matrix(options);
    case Options::Command::triage: return run_triage(options);
    case Options::Command::none: return options.exit_code;
  }
  return 4;
}

}  // namespace

int main(int count, char** words) {
  std::ios::sync_with_stdio(false);
  try {
    const auto options = gpudoctor::parse_options(count, words);
    const int code = run(options);
    std::cout.flush();
    if (std::cout.good()) return code;
    std::cerr << "gpudoctor: the report cannot be written to standard output\n";
    return 4;
  } catch (const gpudoctor::BadInput& error) {
    std::cerr << "gpudoctor: " << gpudoctor::printable(error.what()) << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "gpudoctor: internal error: " << gpudoctor::printable(error.what()) << "\n";
    return 4;
  }
}
