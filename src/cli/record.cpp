// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>

#include "pipeline.hpp"

namespace gpudoctor {

int run_record(const Options& options) {
  Pipeline pipeline(options);
  const Recorder recorder(pipeline.machine());
  Facts facts;
  look(recorder, scope_of(options), facts);
  Redactor redactor(pipeline.machine());
  const std::string text = recorder.toml(options.no_redact ? nullptr : &redactor);
  if (options.output.empty() || options.output == "-") {
    std::cout << text;
  } else {
    std::ofstream file(options.output, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw BadInput(options.output + ": cannot be written");
    std::cerr << "Recorded to " << options.output << (options.no_redact ? "" : " (names of users and hosts replaced)")
              << ". Read it before you post it.\n";
  }
  return 0;
}

}  // namespace gpudoctor
