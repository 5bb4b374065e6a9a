// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "knowledge.hpp"

namespace gpudoctor {

/// A file of one's own: rows of one table, findings, rules, actions, in any mixture.
///   table = "torch"            the table that its lists are rows of; a file in a folder `tables` needs no such line
///   [source]                   names the sources of its rows
///   [[release]] …              rows, as in rules/tables/torch.toml
///   [finding.ID]  [[rule]]  [action.NAME]      as in rules/; `fires` and `quiet` may be left out
/// Returns the table's name, empty when it holds no rows.
std::string local_table(const std::string& path, const Node& document);

/// Every fault of such a file, as "path:line:column: …". `base` is what it is to be laid over.
std::vector<std::string> verify_local(const Knowledge::Documents& base, const std::string& path, const Node& document);

struct LocalCount {
  int rows = 0, rules = 0;
};
/// Lays it over: a row with the key of a listed one replaces it (variants of a release each for itself), every other
/// row and all rules are added. The file must be free of faults.
LocalCount lay_over(Knowledge::Documents& base, const std::string& path, const Node& document);

}  // namespace gpudoctor
