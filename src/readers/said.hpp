// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/facts.hpp"

namespace gpudoctor {

/// What a pasted text says of one machine, as its readers gather it: which entity a statement belongs to is decided here.
class Said {
 public:
  explicit Said(Facts& all) : facts(all) {}
  Facts& facts;

  Entity& host() { return facts.at("host"); }
  Entity& driver() { return facts.at("driver"); }
  Entity& container() { return facts.at("container"); }
  /// The Python environment that the report is about; reports name one.
  Entity& env();
  Entity& torch();

  /// A GPU by its name, or only its place in a list ("NVIDIA GeForce ..." is a name that was cut). `list` names the tool whose list
  /// it is: the same card in two lists is one GPU. Returns the entity, to add what else the line says.
  Entity& gpu(std::string_view name, const std::string& list, const Witness& witness);
  /// A CUDA toolkit by release or build ("12.4", "12.4.131"); `found_by` as of toolkit.found_by, or empty.
  Entity& toolkit(std::string_view version, const std::string& found_by, const Witness& witness);
  /// A cuDNN or NCCL outside any environment.
  Entity& library(const std::string& name, std::string_view version, const Witness& witness);
  /// A Python package of the environment; `by` is pip, conda or uv. A conda package keeps its build string.
  void package(std::string_view name, std::string_view version, const std::string& by, const Witness& witness, std::string_view build = {});
  /// An environment variable, by its name.
  void variable(std::string_view name, std::string_view value, const Witness& witness);
  /// That the list of packages was whole: what is not in it is not there.
  void packages_whole() { packages_whole_ = true; }

  /// After all readers: packages become facts of the environment, a PyTorch among them an entity of its own.
  void finish();

 private:
  struct Package {
    std::string version, by, build;
    Witness witness;
  };
  std::map<std::string, Package> packages_;
  std::map<std::string, std::map<std::string, int>> seen_;   ///< list → name → how many of it
  bool packages_whole_ = false;
};

/// "N/A", "Could not collect", "Not Set", "None" … : a tool that says that it does not know.
bool is_nothing(std::string_view value);

}  // namespace gpudoctor
