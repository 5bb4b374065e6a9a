// SPDX-License-Identifier: Apache-2.0
// Many pasted reports in one run: a line each, the knowledge loaded once.
#include <fmt/core.h>

#include <boost/filesystem.hpp>
#include <iostream>

#include "judge.hpp"
#include "pipeline.hpp"
#include "reader.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

namespace fs = boost::filesystem;
constexpr std::size_t max_files = 1'000'000;

/// The files that a command line names: a folder stands for the regular files below it, in natural order.
std::vector<std::string> files_of(const std::vector<std::string>& named) {
  std::vector<std::string> files;
  for (const auto& name : named) {
    boost::system::error_code error;
    if (name == "-" || !fs::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> below;
    fs::recursive_directory_iterator at(name, fs::directory_options::skip_permission_denied, error), end;
    for (; !error && at != end && below.size() < max_files; at.increment(error))
      if (boost::system::error_code one; fs::is_regular_file(at->symlink_status(one))) below.push_back(at->path().string());
    if (error) throw BadInput(name + ": " + error.message());
    std::sort(below.begin(), below.end(), natural_less);
    files.insert(files.end(), below.begin(), below.end());
  }
  return files;
}

}  // namespace

int run_triage(const Options& options) {
  const auto files = files_of(options.reports);
  if (files.size() == 1) {   // one report: the whole answer
    Options one = options;
    one.from = files.front();
    return run_check(one);
  }
  if (options.format != "text" && options.format != "json") throw BadInput("several reports are listed as text or json");
  Pipeline pipeline(options);
  int worst = 0;
  for (const auto& file : files) {
    try {
      pipeline.take(file);
    } catch (const BadInput& error) {
      std::cerr << "gpudoctor: " << printable(error.what()) << "\n";
      worst = 2;
      continue;
    }
    pipeline.look();
    pipeline.judge(false);
    const Report& report = pipeline.report();
    if (worst != 2 && report.exit_code > 0) worst = worst == 0 ? report.exit_code : std::min(worst, report.exit_code);
    std::cout << (options.format == "json" ? json_triage(file, report) : text_triage(printable(file), report));
  }
  return worst;
}

}  // namespace gpudoctor
