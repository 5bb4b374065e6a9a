// SPDX-License-Identifier: Apache-2.0
#include "rule_files.hpp"

#include <boost/filesystem/operations.hpp>
#include <boost/filesystem/string_file.hpp>
#include <stdexcept>

namespace gpudoctor {

Knowledge::Documents read_rule_folder(const std::string& folder) {
  namespace fs = boost::filesystem;
  Knowledge::Documents documents;
  boost::system::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".toml") continue;
    std::string text;
    fs::load_string_file(at->path(), text);
    documents.emplace(fs::relative(at->path(), folder).generic_string(), parse_toml(text, at->path().string()));
  }
  if (error) throw std::runtime_error(folder + ": " + error.message());
  if (documents.empty()) throw std::runtime_error(folder + ": holds no .toml file");
  return documents;
}

}  // namespace gpudoctor
