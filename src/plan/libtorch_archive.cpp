// SPDX-License-Identifier: Apache-2.0
// The archive of LibTorch that mends a mismatch: the same release with the other ABI, or for the toolkit's CUDA.
#include <algorithm>

#include "actions.hpp"
#include "environment.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// Whether a release lies in the bounds of an archive's row; an open end has no bound.
bool in_bounds(const Node& archive, const Version& release) {
  const auto from = archive.get("from"), to = archive.get("to");
  return (from.empty() || compare(Version(from), release) != Order::greater) && (to.empty() || compare(Version(to), release) != Order::less);
}

const Node* archive_of(const Matrix& matrix, const std::string& release, const std::string& abi, const std::string& platform) {
  const Node* all = matrix.knowledge().table("libtorch").find("archive");
  for (std::size_t i = 0; all && i < all->items.size(); ++i) {
    const Node& one = all->items[i];
    if (one.get("on") == platform && one.get("abi") == abi && one.get("build").empty() && in_bounds(one, Version(release))) return &one;
  }
  return nullptr;
}

/// The newest variant of the release for a CUDA major: cu118 of 11.
std::string tag_for(const Matrix& matrix, const std::string& release, const std::string& major, const std::string& platform) {
  const Row row = matrix.torch(release);
  const Node* variants = row ? row.node->find("variant") : nullptr;
  std::string tag, cuda;
  for (std::size_t i = 0; variants && i < variants->items.size(); ++i) {
    const Node& one = variants->items[i];
    const Version version(one.get("cuda"));
    const auto on = one.list("on");
    if (!version.valid() || std::to_string(version.major()) != major || std::find(on.begin(), on.end(), platform) == on.end()) continue;
    if (cuda.empty() || compare(Version(cuda), version) == Order::less) tag = one.get("tag"), cuda = one.get("cuda");
  }
  return tag;
}

}  // namespace

std::string libtorch_values(const Matrix& matrix, const Facts& facts, const Entity& libtorch, const Entity* program, Values& values) {
  const Version version = libtorch.version("version");
  const auto release = version.without_local(), platform = platform_of(facts);
  const Entity* host = facts.find("host");
  auto tag = version.local();
  if (!program && host) tag = tag_for(matrix, release, host->get("nvcc_major"), platform);
  if (tag.empty()) return "LibTorch " + release + " was not published for that CUDA: take the toolkit of CUDA " + libtorch.get("cuda_major") + " instead.";
  const auto abi = program ? program->get("abi") : libtorch.get("abi");
  const Node* archive = archive_of(matrix, release, abi.empty() ? "cxx11" : abi, platform);
  const Node* url = matrix.knowledge().table("libtorch").find("url");
  if (!archive || !url) return "There is no archive of LibTorch " + release + " with the " + abi + " ABI: compile the program with the other one.";
  values["release"] = safe(release), values["tag"] = safe(tag), values["abi"] = safe(abi);
  values["address"] = replaced(replaced(url->get("base") + archive->get("name"), "{tag}", safe(tag)), "{torch}", safe(release));
  values["file"] = values["address"].substr(values["address"].rfind('/') + 1);
  return {};
}

}  // namespace gpudoctor
