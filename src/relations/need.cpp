// SPDX-License-Identifier: Apache-2.0
// What a PyTorch or another framework needs of CUDA's libraries, and whether what it can meet fits: the CUDA runtime of its
// major, a cuDNN of its major that is not older, an NCCL that has its functions. A copy counts wherever it could be met
// (environment, toolkit, loader's folders), so that only what is nowhere, or only there in a wrong version, is a fault.
#include <algorithm>
#include <set>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

struct Found {
  std::string version, source;
  std::string cuda_major;   // that it was built for, where its package says so
};

/// "12.4" of cuda-cudart-12-4, "11.0" of libcudart11.0 (Debian), which serves all of CUDA 11.
std::string release_of_package(const std::string& name) {
  if (name.starts_with("cuda-cudart-") && !name.starts_with("cuda-cudart-dev")) return replaced(name.substr(12), "-", ".");
  if (name.starts_with("libcudart")) return name.substr(9, name.find_first_not_of("0123456789.", 9) - 9);
  return {};
}

std::vector<NamedVersion> packages_of(const Entity& env) {
  auto result = named_versions(env, "packages");
  for (auto& one : named_versions(env, "conda_libraries")) result.push_back(std::move(one));
  return result;
}

/// "12" of nvidia-cudnn-cu12.
std::string suffix_of(const std::string& name) {
  const auto at = name.rfind("-cu");
  return at != std::string::npos && to_number(name.substr(at + 3)) > 0 ? name.substr(at + 3, 2) : "";
}

class Needs {
 public:
  Needs(const Matrix& matrix, Facts& facts) : matrix_(matrix), facts_(facts) {}

  void of_framework(const Entity& framework, const Entity& env) {
    const std::string consumer = framework.get("name") + " " + framework.get("version");
    std::string cuda = "unknown";
    if (framework.has("cuda_majors")) {
      const bool exact = framework.is("cuda_exact", "yes");
      Entity& need = begin(framework, env, "cuda", consumer, joined(framework.items(exact ? "cuda" : "cuda_majors"), " or "), "cuda_majors");
      const auto runtimes = cuda_runtimes(env);
      cuda = fits_cuda(framework.items(exact ? "cuda" : "cuda_majors"), exact, runtimes);
      finish(need, cuda, runtimes, framework.find("cuda_majors")->sure, facts_.was_looked("toolkit") ? "" : "toolkit");
    }
    if (framework.has("cudnn")) {
      Entity& need = begin(framework, env, "cudnn", consumer, framework.get("cudnn"), "cudnn");
      const auto copies = copies_of("cudnn", env, true);
      finish(need, fits_version(Version(framework.get("cudnn")), copies), copies, framework.find("cudnn")->sure, facts_.was_looked("library") ? "" : "library");
      need.known("cuda_fits", cuda, {Rank::measured, "the CUDA runtimes here", 0, {}});
    }
  }

  /// A wheel of torch names what it was built with; a build that carries its libraries names nothing.
  void of_torch(const Entity& torch, const Entity& env) {
    for (const auto& pin : torch.items("pins")) {
      const auto sign = pin.find("==");
      const auto name = pin.substr(0, sign), version = sign == std::string::npos ? "" : pin.substr(sign + 2);
      for (const std::string library : {"cudnn", "nccl"}) {
        if (!name.starts_with("nvidia-" + library + "-cu") || version.empty()) continue;
        Entity& need = begin(torch, env, library.c_str(), "torch " + torch.get("version"), Version(version).first(3), "pins");
        need.known("package", pin, torch.find("pins")->witnesses.front());
        auto copies = copies_of(library, env, false);
        if (copies.empty()) copies = copies_of(library, env, true);
        if (copies.size() == 1 && !copies[0].cuda_major.empty()) need.known("built_for", copies[0].cuda_major, {Rank::measured, copies[0].source, 0, {}});
        if (copies.size() == 1) on_driver(need, copies[0]);
        need.known("cuda_fits", "yes", torch.find("pins")->witnesses.front());
        const auto unlooked = facts_.was_looked("library") ? "" : "library";
        if (library == "nccl") finish(need, fits_nccl(Version(version), copies), copies, false, unlooked);
        else finish(need, fits_version(Version(version), copies), copies, true, unlooked);
      }
    }
  }

  /// A torch that was compiled against NumPy 1 cannot share arrays with NumPy 2 (torch.toml, numpy).
  void of_numpy(const Entity& torch, const Entity& env) {
    const auto origin = torch.get("origin");
    if (origin != "wheel" && origin != "conda") return;
    for (const auto& [name, version] : packages_of(env)) {
      if (name != "numpy") continue;
      for (const auto& row : matrix_.rows("torch", "numpy")) {
        if (!in_range(row.get("torch"), torch.get("release"))) continue;
        Entity& need = begin(torch, env, "numpy", "torch " + torch.get("version"), row.get("major"), "release");
        const auto source = env.find("packages")->witnesses.front().source;
        const bool fits = Version(version).major() <= Version(row.get("major")).major();
        finish(need, fits ? "yes" : "major", {{version, source, {}}}, row.sure(), "");
      }
    }
  }

 private:
  /// NCCL and cuDNN carry a CUDA runtime of their own, which needs a driver of its major.
  void on_driver(Entity& need, const Found& copy) {
    const Entity* driver = facts_.find("driver");
    const auto floor = copy.cuda_major.empty() ? "" : matrix_.floor(Version(copy.cuda_major + ".0"), system_of(facts_));
    if (!driver || !driver->has("version") || floor.empty()) return void(need.unknown("driver_fits", "the driver or its CUDA is unknown"));
    const Order order = compare(driver->version("version"), Version(floor));
    if (order == Order::unknown) return void(need.unknown("driver_fits", "the driver's version is not precise enough"));
    need.known("driver_fits", order == Order::less ? "no" : "yes", {Rank::measured, copy.source, 0, {}});
  }

  Entity& begin(const Entity& consumer, const Entity& env, const char* library, const std::string& name, const std::string& wants, const char* says) {
    Entity& need = facts_.at("need", consumer.id().key + " " + library);
    need.parent(consumer.id()), need.parent(env.id());
    const Witness& said = consumer.find(says)->witnesses.front();
    const Witness witness{said.rank, said.source, said.line, {}};
    need.known("library", library, witness).known("consumer", name, witness).known("wants", wants, witness);
    const std::string_view word = library;
    need.known("what", word == "cuda" ? "CUDA" : word == "cudnn" ? "cuDNN" : word == "nccl" ? "NCCL" : "NumPy", witness);
    need.known("kind", consumer.id().kind == "torch" ? "torch" : consumer.get("name"), witness);
    return need;
  }

  /// `unlooked`: the kind that was not looked for, which makes a missing one unknown.
  void finish(Entity& need, const std::string& fits, const std::vector<Found>& found, bool sure, const std::string& unlooked) {
    std::vector<std::string> versions;
    for (const auto& one : found)
      if (!one.version.empty() && std::find(versions.begin(), versions.end(), one.version) == versions.end()) versions.push_back(one.version);
    const std::string source = found.empty() ? need.parents().back().key : found.front().source;
    if (versions.empty()) need.absent("found", {Rank::measured, source, 0, {}});
    else need.known("found", versions, {Rank::measured, source, 0, {}});
    if (fits == "unknown") return void(need.unknown("fits", "a copy does not say its version"));
    if (fits != "yes" && !unlooked.empty()) return void(need.unknown("fits", facts_.why_not(unlooked)));
    need.known("fits", fits, {Rank::measured, source, 0, {}});
    if (!sure) need.unsure("fits");
  }

  /// The CUDA runtimes that a framework of this environment can meet, as releases.
  std::vector<Found> cuda_runtimes(const Entity& env) const {
    std::vector<Found> result;
    const auto source = env.find("packages") && !env.find("packages")->witnesses.empty() ? env.find("packages")->witnesses.front().source : env.id().key;
    for (const auto& [name, version] : packages_of(env))
      if (name.starts_with("nvidia-cuda-runtime") || name == "cudatoolkit" || name == "cuda-cudart")
        if (!version.starts_with("0.0.")) result.push_back({Version(version).first(2), source, {}});   // 0.0.1: empty placeholders
    for (const Entity* torch : std::as_const(facts_).of("torch"))   // what it brings can be loaded already
      if (torch->has("cuda") && facts_.nearest(*torch, "env") == &env) result.push_back({torch->version("cuda").first(2), torch->id().key, {}});
    for (const Entity* toolkit : std::as_const(facts_).of("toolkit"))
      if (toolkit->has("version")) result.push_back({toolkit->version("version").first(2), toolkit->id().key, {}});
    for (const Entity* package : std::as_const(facts_).of("package"))
      if (const auto release = release_of_package(package->id().key); !release.empty() && package->is("state", "installed"))
        result.push_back({release, package->id().key, {}});
    return result;
  }

  static std::string fits_cuda(const std::vector<std::string>& wants, bool exact, const std::vector<Found>& found) {
    for (const auto& one : found)
      for (const auto& want : wants)
        if (exact ? one.version == want : std::to_string(Version(one.version).major()) == want) return "yes";
    return found.empty() ? "missing" : "major";
  }

  /// Copies in the environment; with `outside` also those of toolkits and of the loader's folders.
  std::vector<Found> copies_of(const std::string& library, const Entity& env, bool outside) const {
    std::vector<Found> result;
    bool in_env = false;
    for (const Entity* copy : std::as_const(facts_).of("library")) {
      if (!copy->is("name", library) || copy->is("empty", "yes")) continue;
      const bool own = std::find(copy->parents().begin(), copy->parents().end(), env.id()) != copy->parents().end();
      const bool of_other = !own && (copy->is("place", "env") || copy->is("place", "torch"));
      if (of_other || (!own && !outside)) continue;
      in_env = in_env || own;
      result.push_back({copy->get("version"), copy->id().key, copy->version("cuda").valid() ? std::to_string(copy->version("cuda").major()) : ""});
    }
    if (in_env) return result;   // else by the names of its packages, as a list of them tells
    for (const auto& [name, version] : packages_of(env))
      if (name.starts_with("nvidia-" + library + "-cu") || name == library)
        if (!version.starts_with("0.0.")) result.push_back({Version(version).first(3), env.find("packages")->witnesses.front().source, suffix_of(name)});
    return result;
  }

  /// Same major and not older by its minor: the check of cuDNN's users (torch.backends.cudnn, TensorFlow's "Loaded runtime CuDNN").
  static std::string fits_version(const Version& want, const std::vector<Found>& found) {
    bool old = false, other = false, unknown = false;
    for (const auto& one : found) {
      const Version have(one.version);
      if (!have.valid()) unknown = true;
      else if (have.major() != want.major()) other = true;
      else if (want.parts().size() > 1 && have.minor() < want.minor()) old = true;
      else return "yes";
    }
    return unknown ? "unknown" : old ? "old" : other ? "major" : "missing";
  }

  /// Older and without a function that came in between: "undefined symbol: ncclX" (nccl.toml, symbol).
  std::string fits_nccl(const Version& want, const std::vector<Found>& found) const {
    bool unknown = false, lacks = false;
    for (const auto& one : found) {
      const Version have(one.version);
      if (!have.valid()) { unknown = true; continue; }
      bool all = true;
      const Node* symbols = matrix_.knowledge().table("nccl").find("symbol");
      const Node* firsts = symbols ? symbols->find("first") : nullptr;
      for (std::size_t i = 0; firsts && i < firsts->fields.size(); ++i) {
        const Version since(firsts->fields[i].second.text);
        if (compare(have, since) == Order::less && compare(since, Version(want.first(3))) != Order::greater) all = false;
      }
      if (all) return "yes";
      lacks = true;
    }
    return unknown ? "unknown" : lacks ? "old" : "missing";
  }

  const Matrix& matrix_;
  Facts& facts_;
};

}  // namespace

void needs(const Matrix& matrix, Facts& facts) {
  Needs needs(matrix, facts);
  for (const Entity* framework : std::as_const(facts).of("framework"))
    if (const Entity* env = facts.nearest(*framework, "env")) needs.of_framework(*framework, *env);
  for (const Entity* torch : std::as_const(facts).of("torch"))
    if (const Entity* env = facts.nearest(*torch, "env")) needs.of_torch(*torch, *env), needs.of_numpy(*torch, *env);
  if (facts.was_looked("env")) facts.looked("need");
  else facts.not_looked("need", facts.why_not("env"));
}

}  // namespace gpudoctor
