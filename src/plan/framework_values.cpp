// SPDX-License-Identifier: Apache-2.0
#include "framework_values.hpp"

#include "text.hpp"

namespace gpudoctor {
namespace {

const Entity* bound(const Facts& facts, const std::vector<Id>& about, const char* kind) {
  for (const auto& id : about)
    if (id.kind == kind) return facts.find(id);
  return nullptr;
}

bool before(const Entity& framework, const char* version) {
  return compare(Version(framework.get("version"), Scheme::pep440), Version(version, Scheme::pep440)) == Order::less;
}

/// All pins of this torch that are not met: they go into one command.
std::string unmet_pins(const Facts& facts, const Entity& need) {
  std::vector<std::string> pins;
  for (const Entity* one : facts.of("need")) {
    if (one->parents() != need.parents() || !one->has("package")) continue;
    const Entity* torch = facts.nearest(*one, "torch");
    const bool other_cuda = torch && one->has("built_for") && !torch->is("cuda_major", one->get("built_for"));
    if (other_cuda || (one->has("fits") && !one->is("fits", "yes"))) pins.push_back(one->get("package"));
  }
  return joined(pins, " ");
}

/// cuDNN and NCCL wheels of another CUDA than torch's: they go before the pinned ones come, as they are the same files.
std::string wheels_of_other_cuda(const Facts& facts, const Entity& need, const Entity& env) {
  const Entity* torch = facts.nearest(need, "torch");
  std::vector<std::string> names;
  for (const char* fact : {"cudnn_wheels", "nccl_wheels"})
    for (const auto& package : env.items(fact))
      if (const auto name = package.substr(0, package.find("==")); torch && !name.ends_with("-cu" + torch->get("cuda_major"))) names.push_back(name);
  return joined(names, " ");
}

/// torch's own pins, else a wheel of the major that the framework was built with.
std::string pinned(const Facts& facts, const Entity& need, const Entity* framework, const Entity* env, Values& values) {
  if (need.has("package")) return values["companions"] = safe(unmet_pins(facts, need)), "";
  if (!framework || !need.is("library", "cudnn")) return "There is no command for this.";
  for (const Entity* torch : facts.of("torch"))
    if (env && facts.nearest(*torch, "env") == env && !torch->get("cudnn").empty())
      return "The PyTorch in this environment brings cuDNN " + torch->get("cudnn") + ": give " + framework->get("name") + " an environment of its own.";
  const auto majors = framework->items("cuda_majors");
  if (majors.size() != 1 || to_number(majors[0]) < 11) return "Install cuDNN " + need.get("wants") + " from NVIDIA's archive: there is no wheel of it for this CUDA.";
  values["companions"] = safe("nvidia-cudnn-cu" + majors[0] + "~=" + Version(need.get("wants")).first(2) + (contains(need.get("wants"), ".") ? "" : ".0"));
  return {};
}

/// The CUDA that CuPy is to follow: of the toolkit or wheels that are here, else of PyTorch.
std::string cupy_cuda(const Facts& facts, const Entity* need) {
  if (need && need->has("found")) return std::to_string(Version(need->items("found").front()).major());
  for (const Entity* torch : facts.of("torch"))
    if (torch->has("cuda_major")) return torch->get("cuda_major");
  for (const Entity* toolkit : facts.of("toolkit"))
    if (toolkit->has("version")) return std::to_string(toolkit->version("version").major());
  return {};
}

std::string cupy(const Facts& facts, const Entity* need, const Entity* framework, const Entity* env, Values& values) {
  std::vector<std::string> names;
  for (const auto& package : env ? env->items("cupys") : std::vector<std::string>()) names.push_back(package.substr(0, package.find("==")));
  if (names.empty() && framework) names.push_back(framework->get("name"));
  const auto cuda = cupy_cuda(facts, need);
  if (cuda != "11" && cuda != "12" && cuda != "13") return "Install a CUDA toolkit or the CUDA wheels first: there is none that CuPy could use.";
  values["packages"] = safe(joined(names, " ")), values["cuda"] = safe(cuda);
  return {};
}

}  // namespace

std::string framework_values(const Facts& facts, const std::string& action, const std::vector<Id>& about, Values& values) {
  const Entity* need = bound(facts, about, "need");
  const Entity* framework = bound(facts, about, "framework");
  const Entity* env = bound(facts, about, "env");
  if (action == "remove-wheels" && need && env)
    values["packages"] = safe(wheels_of_other_cuda(facts, *need, *env)), values["companions"] = safe(unmet_pins(facts, *need));
  if (action == "pinned-wheels" && !need && env)   // about a copy, and not about who needs it
    for (const Entity* one : facts.of("need"))
      if (one->is("library", "cudnn") && one->has("package") && facts.nearest(*one, "env") == env) values["companions"] = safe(one->get("package"));
  if (action == "pinned-wheels") return need ? pinned(facts, *need, framework, env, values) : "";
  if (action == "cupy-for-cuda") return cupy(facts, need, framework, env, values);
  if (!framework || !need) return {};
  if (action == "tensorflow-with-cuda") {
    if (before(*framework, "2.14")) return "This release takes CUDA from the system: install CUDA " + need->get("wants") + " beside what is there, or a newer TensorFlow.";
    values["version"] = safe(framework->get("version"));
  } else if (action == "jax-with-cuda") {
    if (before(*framework, "0.4.31")) return "This release has no such extra: upgrade JAX.";
    values["version"] = safe(Version(framework->get("version"), Scheme::pep440).without_local()), values["cuda"] = safe(framework->get("cuda_majors"));
  } else if (action == "onnxruntime-with-cuda") {
    if (before(*framework, "1.21")) return "This release takes CUDA and cuDNN from the system or from PyTorch: upgrade onnxruntime-gpu to 1.21 or newer.";
    values["version"] = safe(framework->get("version"));
  } else if (action == "ctranslate2-for-cudnn") {
    const bool eight = need->has("found") && Version(need->items("found").front()).major() == 8;
    values["version"] = eight ? "==4.4.0" : "~=4.5";
  }
  return {};
}

}  // namespace gpudoctor
