// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/finding.hpp"
#include "gpudoctor/node.hpp"
#include "knowledge.hpp"

namespace gpudoctor::test {

/// The rules and tables of the source tree.
const Knowledge& knowledge();
const Knowledge::Documents& documents();

/// Facts as an example writes them: `torch = { version = "…" }`, `gpu = "NAME"` or a list of names, `driver = "535.183.01"`.
/// "absent" and [] are absent; a kind that is not given was not looked for. Nothing is derived yet.
Facts facts_of(const Node& example);
/// The same after all relations.
Facts derived(const Node& example);

/// Every id that a judgement holds, effects too.
std::vector<std::string> ids(const Judgement& judgement, bool errors_only = false);
bool has(const Judgement& judgement, const std::string& id);

Node toml(const std::string& text);

}  // namespace gpudoctor::test
