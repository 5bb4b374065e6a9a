// SPDX-License-Identifier: Apache-2.0
// GPU frameworks of an environment besides PyTorch: which row of framework.toml describes each, what that build needs,
// and whether it has code for the GPUs. Packages that are extensions of PyTorch follow their torch and are left out here.
#include <algorithm>
#include <set>

#include "arch_reach.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// The name under which framework.toml lists a distribution. "jaxlib" counts only with a label ("0.4.7+cuda11.cudnn86"):
/// without one the CUDA part is a package of its own.
std::string listed_as(const std::set<std::string>& listed, const std::string& name, const Version& version) {
  if (name == "tensorflow-gpu") return "tensorflow";
  if (name == "jaxlib") return version.local().starts_with("cuda") ? "jax" : "";
  if (name == "jax") return {};
  if (listed.contains(name)) return name;
  return name.starts_with("jax-cuda") && name.ends_with("-plugin") ? "jax" : "";
}

/// "12" of jax-cuda12-plugin, cupy-cuda12x and "0.4.7+cuda11.cudnn86"; empty when neither says it.
std::string major_in(const std::string& name, const Version& version) {
  for (const std::string& text : {name, version.local()})
    if (const auto at = text.find("cuda"); at != std::string::npos && text.size() > at + 5) {
      const auto digits = text.substr(at + 4, 2);
      if (to_number(digits) >= 10) return digits;
    }
  return {};
}

/// Majors of "12", "11.2-11.8", "12.0-13.1".
std::set<std::string> majors_of(const std::vector<std::string>& ranges) {
  std::set<std::string> majors;
  for (const auto& range : ranges) {
    const auto dash = range.find('-');
    const Version from(range.substr(0, dash)), to(dash == std::string::npos ? range : range.substr(dash + 1));
    for (auto major = from.major(); from.valid() && major <= std::max(from.major(), to.major()) && majors.size() < 32; ++major) majors.insert(std::to_string(major));
  }
  return majors;
}

/// What the rows of one release say of it; a row of low confidence makes it unsure.
void describe(const Matrix& matrix, Entity& framework, const std::vector<Row>& rows, const std::string& major) {
  const Witness witness = matrix.witness("framework", rows.front());
  std::vector<std::string> cudas;
  for (const auto& row : rows)
    for (const auto& cuda : row.list(row.node->find("cuda") ? "cuda" : "cuda-min")) cudas.push_back(cuda);
  std::set<std::string> majors = major.empty() ? majors_of(cudas) : std::set<std::string>{major};
  const Row& row = rows.back();
  const auto say = [&](const char* fact, const std::string& value) {
    if (value.empty()) return;
    framework.known(fact, value, witness);
    if (!row.sure()) framework.unsure(fact);
  };
  if (!cudas.empty()) framework.known("cuda", cudas, witness);
  if (!majors.empty()) framework.known("cuda_majors", std::vector<std::string>(majors.begin(), majors.end()), witness);
  for (const char* fact : {"cuda", "cuda_majors"})
    if (framework.has(fact) && !row.sure()) framework.unsure(fact);
  say("cuda_exact", row.get("exact") == "true" ? "yes" : "no");
  say("cudnn", row.get("cudnn").empty() ? row.get("cudnn-min") : row.get("cudnn"));
  say("cc_least", row.get("cc-min"));
  if (const auto archs = row.get("archs"); !archs.empty()) {
    framework.known("archs", arch_words(archs), witness);
    if (!row.sure() || contains(row.get("note"), "inferred")) framework.unsure("archs");
  }
}

/// bitsandbytes takes the library of torch's CUDA: whether it has that one, by its files, else by the table.
void serves_torch(const Matrix& matrix, const Facts& facts, const Entity& env, Entity& framework, const std::vector<Row>& rows) {
  const Row* row = nullptr;
  for (const auto& one : rows)
    if (one.node->find("libraries")) row = &one;
  if (env.has("bitsandbytes_cudas")) framework.known("libraries", env.items("bitsandbytes_cudas"), env.find("bitsandbytes_cudas")->witnesses.front());
  else if (row) framework.known("libraries", row->list("libraries"), matrix.witness("framework", *row));
  if (!framework.has("libraries")) return;
  const auto libraries = framework.items("libraries");
  for (const Entity* torch : facts.of("torch")) {
    if (facts.nearest(*torch, "env") != &env || !torch->has("cuda")) continue;
    // BNB_CUDA_VERSION=124 takes the library of CUDA 12.4, whatever torch is of.
    const Entity* named = variable_named(facts, "BNB_CUDA_VERSION");
    const auto digits = named && !env.is("active", "no") ? named->get("value") : std::string();
    const bool forced = digits.size() > 2 && to_number(digits) > 0;
    const Version cuda(forced ? digits.substr(0, digits.size() - 1) + "." + digits.back() : torch->version("cuda").first(2));
    const bool exact = std::find(libraries.begin(), libraries.end(), cuda.text()) != libraries.end();
    const bool near = std::any_of(libraries.begin(), libraries.end(), [&cuda](const auto& one) { return Version(one).major() == cuda.major(); });
    const Witness& witness = framework.find("libraries")->witnesses.front();
    // Whether it takes a near one depends on the release: not known for one without a row.
    if (exact || (near && row && row->get("nearest") == "true")) framework.known("serves_torch", "yes", witness);
    else if (near && !row) framework.unknown("serves_torch", "the matrix does not say whether this release takes the library of a near CUDA");
    else framework.known("serves_torch", "no", witness);
  }
}

/// deepspeed and flashinfer compile kernels on the machine, unless a package brings them.
void compiles(const Matrix& matrix, const Entity& env, Entity& framework, const Row& row) {
  if (row.get("compiles") != "true") return void(framework.known("compiles", "no", matrix.witness("framework", row)));
  const auto packages = env.items("packages");
  bool spared = false;
  for (const auto& name : row.list("prebuilt"))
    for (const auto& package : packages) spared = spared || package.starts_with(name + "==");
  framework.known("compiles", spared ? "no" : "yes", matrix.witness("framework", row));
}

void reach(const Facts& facts, const Entity& framework, const Entity& gpu, Entity& pair) {
  const Version capability = gpu.version("compute_capability");
  const Entity* driver = facts.find("driver");
  const auto source = framework.find(framework.has("archs") ? "archs" : "cc_least");
  if (!capability.valid()) return void(pair.unknown("reach", "the GPU's compute capability is unknown"));
  if (!source || !source->known()) return void(pair.unknown("reach", "the matrix does not say for which GPUs it has code"));
  std::string word;
  if (framework.has("archs")) {
    const auto cudas = framework.items("cuda");
    word = reach_of(framework.items("archs"), capability, cudas.size() == 1 ? Version(cudas.front()) : Version(), driver ? driver->version("cuda") : Version());
  } else {   // only the lowest is known: newer ones may be left out too
    if (compare(capability, framework.version("cc_least")) != Order::less) return void(pair.unknown("reach", "the matrix knows only its lowest GPU"));
    word = "older";
  }
  pair.known("reach", word, {Rank::measured, source->witnesses.front().source, 0, {}});
  if (!source->sure) pair.unsure("reach");
}

}  // namespace

void frameworks(const Matrix& matrix, Facts& facts) {
  std::set<std::string> names;   // the table is expanded only where there is a package to look up
  for (const Entity* env : std::as_const(facts).of("env")) {
    for (const auto& [name, text] : named_versions(*env, "packages")) {
      if (names.empty())
        for (const auto& row : matrix.rows("framework", "release")) names.insert(row.get("framework"));
      const Version version(text, Scheme::pep440);
      const auto listed = listed_as(names, name, version);
      if (listed.empty()) continue;
      auto rows = matrix.framework(listed, version.without_local());
      if (rows.empty() && listed != "jax" && name.starts_with("jax-cuda")) rows = matrix.framework("jax", version.without_local());
      if (!rows.empty() && rows.front().node->find("torch")) continue;   // an extension of PyTorch
      Entity& framework = facts.at("framework", env->id().key + " " + name);
      framework.parent(env->id());
      const Witness& seen = env->find("packages")->witnesses.front();
      framework.known("name", name, seen).known("version", version.text(), seen);
      const bool listed_row = !rows.empty() && rows.back().verified();
      framework.known("listed", listed_row ? "yes" : "no", {Rank::table, "matrix of " + matrix.knowledge().date(), 0, {}});
      if (listed_row) describe(matrix, framework, rows, major_in(name, version)), compiles(matrix, *env, framework, rows.back());
      if (name == "bitsandbytes") serves_torch(matrix, facts, *env, framework, rows);
      else framework.absent("serves_torch", seen);
      const auto reason = listed_row ? "the matrix does not say" : name + " " + version.text() + " is not in the matrix of " + matrix.knowledge().date();
      for (const char* fact : {"cuda", "cuda_majors", "cudnn", "archs", "cc_least", "compiles", "serves_torch"})
        if (!framework.find(fact)) framework.unknown(fact, reason);
      for (const Entity* gpu : std::as_const(facts).of("gpu")) {
        if (!gpu->is("vendor", "nvidia") || gpu->is("bound", "vfio-pci")) continue;
        Entity& pair = facts.at("framework_on_gpu", framework.id().key + " " + gpu->id().key);
        pair.parent(framework.id()), pair.parent(gpu->id());
        reach(facts, framework, *gpu, pair);
      }
    }
  }
  for (const char* kind : {"framework", "framework_on_gpu"})
    if (facts.was_looked("env")) facts.looked(kind);
    else facts.not_looked(kind, facts.why_not("env"));
}

}  // namespace gpudoctor
