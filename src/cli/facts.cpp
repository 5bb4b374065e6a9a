// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "pipeline.hpp"

namespace gpudoctor {

int run_facts(const Options& options) {
  Pipeline pipeline(options);
  pipeline.look();
  if (options.format == "json") {
    std::cout << json_facts(pipeline.facts());
    return 0;
  }
  std::string text = text_facts(pipeline.facts(), style_of(options));
  std::cout << (options.no_redact ? text : Redactor(pipeline.machine())(std::move(text)));
  return 0;
}

}  // namespace gpudoctor
