// SPDX-License-Identifier: Apache-2.0
// A PyTorch that a project asks for, against the matrix: was it ever published, and for the active Python?
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

const Entity* active_env(const Facts& facts) {
  for (const Entity* env : facts.of("env"))
    if (env->is("active", "yes")) return env;
  return nullptr;
}

void judge_one(const Matrix& matrix, const Facts& facts, Entity& asked) {
  const auto version = asked.get("version"), tag = asked.get("tag");
  const Row row = matrix.torch(version);
  const Witness witness = matrix.witness("torch", row);
  const bool newer = compare(Version(version, Scheme::pep440), Version(matrix.newest_torch(), Scheme::pep440)) == Order::greater;
  asked.known("shown", version + (tag.empty() ? "" : "+" + tag), asked.find("version")->witnesses.front());
  if (!row || !row.verified()) {
    const auto reason = newer ? "torch " + version + " is newer than the matrix of " + matrix.knowledge().date() : "torch " + version + " is not in the matrix";
    asked.unknown("exists", reason).unknown("python_fits", reason);
    return;
  }
  // "cpu" and ROCm tags are in no list of variants with the CUDA ones.
  if (!tag.starts_with("cu")) asked.known("exists", "yes", witness);
  else asked.known("exists", matrix.variant(row, tag) ? "yes" : "no", witness);
  std::string tags;
  if (const Node* variants = row.node->find("variant"))
    for (const auto& variant : variants->items) tags += (tags.empty() ? "" : ", ") + variant.get("tag");
  if (!tags.empty()) asked.known("tags", tags, witness);
  asked.known("python", row.get("python"), witness);
  const Entity* env = active_env(facts);
  if (!env || !env->has("python")) asked.unknown("python_fits", "no active Python was found");
  else asked.known("python_fits", in_range(row.get("python"), env->get("python")) ? "yes" : "no", witness);
  if (env && env->has("python")) asked.known("env_python", env->version("python").first(2), env->find("python")->witnesses.front());
}

}  // namespace

void asked(const Matrix& matrix, Facts& facts) {
  const Entity* env = active_env(facts);
  bool installed = false;
  for (const Entity* torch : std::as_const(facts).of("torch")) installed = installed || (env && facts.nearest(*torch, "env") == env);
  for (Entity* one : facts.of("asked")) {
    judge_one(matrix, facts, *one);
    if (env) one->parent(env->id());
    one->known("installed", installed ? "yes" : "no", {Rank::measured, "the active environment", 0, {}});
  }
}

}  // namespace gpudoctor
