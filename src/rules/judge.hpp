// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "knowledge.hpp"

namespace gpudoctor {

/// Which findings are wanted: ids or families ("driver", "torch"); empty means all.
struct Selection {
  std::vector<std::string> only, skip;
  bool wants(const std::string& id) const;
};

/// Holds every rule against every entity of its kind. Of several rules with one finding and subject the gravest stays;
/// what another finding explains is folded under it.
Judgement judge(const Knowledge& knowledge, const Facts& facts, const Selection& selection = {});

/// One rule on one entity, condition by condition (for `explain`).
struct Trial {
  const Rule* rule = nullptr;
  const Entity* subject = nullptr;
  std::vector<Answer> answers;
  Truth truth = Truth::no;
};
std::vector<Trial> trials(const Knowledge& knowledge, const Facts& facts, const std::string& finding);

/// An entity for people: "torch 2.5.1+cu124 in ~/venv", "GPU 0 RTX 5090".
std::string shown(const Facts& facts, const Entity& entity);
/// A sentence with {kind.fact} filled in; a fact that is not known reads "unknown".
std::string filled(const std::string& sentence, const Facts& facts, const Entity& subject);
/// A path with ~ for the caller's home folder (host.home), on one line and safe to print.
std::string short_path(const std::string& path, const Facts& facts);
/// The same for each of several paths that stand between spaces.
std::string short_paths(const std::string& paths, const Facts& facts);

}  // namespace gpudoctor
