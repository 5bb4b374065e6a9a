// SPDX-License-Identifier: Apache-2.0
#include "rule_files.hpp"

#include <boost/filesystem/operations.hpp>
#include <boost/filesystem/string_file.hpp>
#include <stdexcept>

namespace gpudoctor {

Knowledge::Documents read_rule_folder(const std::string& folder) {
  namespace fs = boost::filesystem;
  constexpr std::uintmax_t most = 8u << 20;
  Knowledge::Documents documents;
  boost::system::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ".toml" || !fs::is_regular_file(at->status())) continue;
    if (fs::file_size(at->path()) > most) throw std::runtime_error(at->path().string() + ": too large for a file of rules");
    std::string text;
    fs::load_string_file(at->path(), text);
    documents.emplace(fs::relative(at->path(), folder).generic_string(), parse_toml(text, at->path().string()));
  }
  if (error) throw std::runtime_error(folder + ": " + error.message());
  if (documents.empty()) throw std::runtime_error(folder + ": holds no .toml file");
  return documents;
}

}  // namespace gpudoctor
