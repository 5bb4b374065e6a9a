// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bytes.hpp"
#include "file_tree.hpp"
#include "symbols.hpp"

namespace gpudoctor {

/// Libraries whose names are looked up again and again: each is opened once. A bounded number of them stays open.
class Libraries {
 public:
  using Open = std::function<Result<Descriptor>(const std::string& path)>;
  /// See Machine::unresolved; takes the descriptor over.
  Result<std::vector<std::string>> unresolved(int descriptor, const std::vector<std::string>& paths, const Open& open);

 private:
  struct Library {
    std::unique_ptr<FileBytes> bytes;
    Result<Symbols> symbols = Miss{};
  };
  const Result<Symbols>& at(const std::string& path, const Open& open);
  std::map<std::string, Library> libraries_;
  std::size_t budget_ = 50'000;   // names, over all extensions: a few reads each in up to a dozen libraries
};

}  // namespace gpudoctor
