// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "chooser.hpp"
#include "pipeline.hpp"

namespace gpudoctor {

int run_recommend(const Options& options) {
  Pipeline pipeline(options);
  pipeline.look();
  const Wish wish{options.product, options.wanted_version, options.python, options.installer, options.with};
  const auto result = recommend(pipeline.matrix(), pipeline.facts(), wish, pipeline.machine().world());
  if (options.format == "json") {
    std::cout << json_recommendation(result);
  } else {
    std::string text = text_recommendation(result, style_of(options));
    std::cout << (options.no_redact ? text : Redactor(pipeline.machine())(std::move(text)));
  }
  return result.found() ? 0 : 1;
}

}  // namespace gpudoctor
