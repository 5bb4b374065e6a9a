// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "pipeline.hpp"

#include <chrono>

namespace gpudoctor {

int run_check(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Pipeline pipeline(options);
  pipeline.look();
  pipeline.judge();
  Report report = pipeline.report();
  report.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (options.format == "json") {
    std::cout << json_report(report);
  } else {
    std::string text = text_report(report, style_of(options));
    if (!options.no_redact) text = Redactor(pipeline.machine())(std::move(text));
    std::cout << text;
  }
  return report.exit_code;
}

}  // namespace gpudoctor
