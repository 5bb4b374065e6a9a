// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "loader_search.hpp"

namespace gpudoctor {

/// What the dynamic loader would load into one process, step by step, as far as PyTorch and GPU libraries go. A name that
/// is loaded serves everybody who asks for it later.
class Process {
 public:
  /// Object 0 is the program. `program` is the executable: its RPATH serves all that it loads; empty where it is not known.
  Process(const Machine& machine, const LoaderSearch& search, const std::string& program);

  struct Library {
    std::string path, via, asker;   ///< asker: who asked for it first
  };
  /// dlopen of a path, with all that it needs. False when it cannot be read.
  bool open(const std::string& path, const std::string& via);
  /// dlopen of a bare name by a library that is loaded. False when it is nowhere.
  bool open_name(const std::string& name, const std::string& caller);

  const std::map<std::string, Library>& loaded() const { return loaded_; }
  /// Names that were needed and found nowhere, with who asked.
  const std::map<std::string, std::string>& missing() const { return missing_; }
  void forget_missing() { missing_.clear(); }
  /// Looks again for what the objects need, after others were loaded.
  void again() { close_over(0); }
  /// The first object that could not be read, with the reason; what it needs is not known.
  const std::string& doubt() const { return doubt_; }

 private:
  struct Object {
    std::string path, rpath, runpath;
    std::vector<std::string> needed;
    int loader = -1;   // index of the object that loaded it
  };
  int map(const std::string& path, const std::string& name, int loader, const std::string& via);
  void close_over(std::size_t first);
  std::optional<Found> find(const std::string& name, int asker) const;

  const Machine& machine_;
  const LoaderSearch& search_;
  std::vector<Object> objects_;
  std::map<std::string, Library> loaded_;
  std::map<std::string, int> index_;   // names, and paths, of what is loaded
  std::map<std::string, std::string> missing_;
  std::string doubt_;
};

}  // namespace gpudoctor
