// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "actions.hpp"
#include "chooser.hpp"
#include "environment.hpp"
#include "framework_values.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

bool replaces_torch(const std::string& action) {
  return action == "torch-build-for-these-gpus" || action == "torch-gpu-build" || action == "remove-duplicate-torch" || action == "torch-again";
}

class Planner {
 public:
  Planner(const Matrix& matrix, const Facts& facts, Machine::World world) : matrix_(matrix), facts_(facts), world_(world) {}

  /// The fixes of one finding, as its rule names them.
  std::vector<Fix> fixes(const Finding& finding) {
    std::vector<Fix> result;
    for (const auto& name : finding.actions)
      if (const auto action = matrix_.knowledge().actions().find(name); action != matrix_.knowledge().actions().end())
        result.push_back(fix(action->second, finding.about));
    return result;
  }

  /// A GPU without any PyTorch: the line of the selector for this machine, for the active environment.
  std::optional<Fix> first_torch() {
    const auto action = matrix_.knowledge().actions().find("torch-build-for-these-gpus");
    if (action == matrix_.knowledge().actions().end() || !facts_.was_looked("torch") || !facts_.of("torch").empty()) return std::nullopt;
    if (!facts_.of("framework").empty()) return std::nullopt;   // it serves another framework
    const Entity* host = facts_.find("host");
    if (!host || to_number(host->get("usable_gpus")) <= 0) return std::nullopt;
    for (const Entity* env : facts_.of("env"))
      if (env->is("active", "yes")) {
        Fix one = fix(action->second, {env->id()});
        if (!one.commands.empty()) return one;
      }
    return std::nullopt;
  }

 private:
  const Entity* bound(const std::vector<Id>& about, const char* kind) const {
    for (const auto& id : about)
      if (id.kind == kind) return facts_.find(id);
    return nullptr;
  }

  Fix fix(const Action& action, const std::vector<Id>& about) {
    Values values;
    std::vector<std::string> managers;
    const Entity* env = bound(about, "env");
    const Entity* torch = bound(about, "torch");
    if (env) environment_values(*env, facts_, world_, values, managers);
    if (const Entity* container = facts_.find("container"); managers.empty() && container && container->has("engine"))
      managers = {container->get("engine"), "docker"};   // how a container is started; docker's words are known to most
    if (const auto refusal = forbidden(action, env, torch); !refusal.empty()) return refused(action, refusal);
    const std::string& name = action.name;
    if (replaces_torch(name)) {
      const auto why = torch_values(env, name == "torch-build-for-these-gpus" ? nullptr : torch, values, managers);
      if (!why.empty()) return refused(action, why);
    } else if (name == "install-companions") {
      companion_values(torch, bound(about, "companion"), values, managers);
    } else if (const Entity* extension = bound(about, "extension"); extension && name.find("extension") != std::string::npos) {
      extension_values(*extension, bound(about, "gpu"), values, managers);
    } else if (const Entity* libtorch = bound(about, "libtorch"); libtorch && name == "other-libtorch") {
      if (const auto why = libtorch_values(matrix_, facts_, *libtorch, bound(about, "program"), values); !why.empty()) return refused(action, why);
    } else if (const Entity* shadow = bound(about, "shadow")) {
      shadow_values(*shadow, facts_, world_, values);
    } else if (torch && name == "install-cuda-wheels") {
      wheels_of_missing(*torch, values);
    } else if (torch && name == "complete-torch" && torch->has("tag")) {
      index_values(matrix_, torch->get("release"), torch->get("tag"), values);
    } else if (name == "install-driver") {
      if (const auto why = driver_values(action, values); !why.empty()) return refused(action, why);
    } else if (name == "remove-wheels") {
      wheel_values(env, values);
    } else if (name == "keep-one-onnxruntime") {
      onnx_values(env, values);
    }
    if (const auto why = framework_values(facts_, name, about, values); !why.empty()) return refused(action, why);
    system_values(name, about, values);
    Fix result = instantiate(action, facts_, values, managers);
    suit_environment(env, values, result);
    return result;
  }

  static Fix refused(const Action& action, std::string why) {
    Fix fix;
    fix.action = action.name, fix.risk = action.node.get("risk"), fix.title = action.node.get("does"), fix.said = std::move(why);
    return fix;
  }

  std::string forbidden(const Action& action, const Entity* env, const Entity* torch) const {
    if (!env || action.node.find("with") == nullptr || action.name == "run-container-with-gpu") return {};
    const Entity* container = facts_.find("container");
    const Entity* host = facts_.find("host");
    if ((torch && torch->is("origin", "ngc")) || (container && container->is("image", "ngc")))
      return "This is NVIDIA's own image: take another tag of it instead of changing PyTorch inside.";
    if (host && host->has("jetson")) return "On a Jetson take the wheel that NVIDIA publishes for this JetPack.";
    if (torch && (torch->is("origin", "debian"))) return "This PyTorch is the distribution's package: use an environment of its own instead.";
    return {};
  }

  /// Release, tag and companions of a build that suits this machine; why not, else empty.
  std::string torch_values(const Entity* env, const Entity* keep, Values& values, std::vector<std::string>& managers) const {
    const std::string python = env && !env->is("externally_managed", "yes") ? env->get("python") : env ? env->get("python") : "";
    const TorchChoice choice = choose_torch(matrix_, facts_, python, keep ? keep->get("release") : "");
    if (!choice.found()) return "There is no command for this: " + choice.refused + ".";
    if (!torch_values_of(matrix_, choice, values, managers)) return "conda has no ROCm build of PyTorch: use an environment with pip.";
    return {};
  }

  void companion_values(const Entity* torch, const Entity* companion, Values& values, std::vector<std::string>& managers) const {
    if (!torch || !companion || !companion->has("wanted")) return;
    const auto tag = torch->get("tag");
    index_values(matrix_, torch->get("release"), tag.empty() ? "cpu" : tag, values);
    const bool conda = !managers.empty() && managers[0] == "conda";
    const bool local = !conda && !tag.empty() && companion->is("name", "torchvision");
    values["companions"] = safe(companion->get("name") + "==" + companion->get("wanted") + (local && managers[0] == "pip" ? "+" + tag : ""));
    if (conda) values["companions"] = safe(companion->get("name") + "=" + companion->get("wanted"));
    if (conda && compare(Version(torch->get("release")), Version("2.5.1")) != Order::greater) managers.insert(managers.begin(), "conda-pytorch");
  }

  /// The least branch that fits all GPUs and the CUDA in use.
  std::string driver_values(const Action& action, Values& values) const {
    long least = 0;
    std::string needed_for;
    for (const Entity* on : facts_.of("cuda_on_driver")) {
      const Entity* torch = facts_.nearest(*on, "torch");
      if (!on->is("consumer", "torch") || !torch || torch->is("active", "no")) continue;
      if (const long floor = static_cast<long>(on->version("floor").major()); floor > least) least = floor, needed_for = "CUDA " + on->get("cuda");
    }
    const DriverChoice choice = choose_driver(matrix_, facts_, action, least, needed_for);
    if (!choice.branch.empty()) values["branch"] = choice.branch, values["flavour"] = choice.flavour, values["version"] = choice.branch;
    return choice.refused;
  }

  void wheel_values(const Entity* env, Values& values) const {
    if (!env) return;
    std::string major;
    std::vector<std::string> remove, keep, pins;
    for (const Entity* torch : facts_.of("torch"))
      if (facts_.nearest(*torch, "env") == env) major = torch->get("cuda_major"), pins = torch->items("pins");
    if (major.empty()) return;
    for (const auto& package : env->items("clashing_wheels")) {
      const auto name = package.substr(0, package.find("=="));
      if (!name.ends_with("-cu" + major)) {
        remove.push_back(name);
        continue;
      }
      const auto pin = std::find_if(pins.begin(), pins.end(), [&name](const auto& one) { return one.starts_with(name + "=="); });
      keep.push_back(pin != pins.end() ? *pin : package);
    }
    values["packages"] = safe(joined(remove, " ")), values["companions"] = safe(joined(keep, " "));
  }

  static void onnx_values(const Entity* env, Values& values) {
    if (!env) return;
    std::vector<std::string> names;
    std::string keep;
    for (const auto& package : env->items("onnxruntimes")) {
      names.push_back(package.substr(0, package.find("==")));
      if (names.back() == "onnxruntime-gpu") keep = package;
    }
    values["packages"] = safe(joined(names, " ")), values["companions"] = safe(keep.empty() && !names.empty() ? names.back() : keep);
  }

  /// The driver packages that go: all of them in WSL; beside a good copy those of another version.
  std::string driver_packages(const std::string& action) const {
    const Entity* driver = facts_.find("driver");
    if (!driver) return {};
    std::string keep;
    for (const Entity* copy : facts_.of("driver_copy"))
      if (copy->is("first", "yes") && copy->is("kind", "driver")) keep = copy->get("version");
    if (driver->has("loaded")) keep = driver->get("loaded");
    std::vector<std::string> names;
    for (const auto& package : driver->items("packages")) {
      const auto sign = package.find('=');
      const auto version = sign == std::string::npos ? std::string() : package.substr(sign + 1);
      const auto upstream = version.substr(version.find(':') == std::string::npos ? 0 : version.find(':') + 1);
      if (action == "upgrade-driver" || action == "remove-driver-from-image") {
        names.push_back(package.substr(0, sign));
        continue;
      }
      const bool driver_like = !find_version(upstream, 2).empty() && to_number(upstream.substr(0, upstream.find('.'))) > 300;
      if (action == "remove-linux-driver-in-wsl" ? driver_like : driver_like && !keep.empty() && !upstream.starts_with(keep)) names.push_back(package.substr(0, sign));
    }
    return safe(joined(names, " "));
  }

  /// The GPU or the kernel that a finding is about; a group, and the version that the Fabric Manager must have.
  void hardware_values(const std::string& action, const std::vector<Id>& about, Values& values) const {
    const Entity* gpu = bound(about, "gpu");
    const Entity* event = bound(about, "gpu_event");
    if (gpu || event) values["gpu"] = safe(gpu ? gpu->get("address") : event->get("address"));
    if (const Entity* kernel = bound(about, "kernel")) values["kernel"] = safe(kernel->get("kernel"));
    const Entity* driver = facts_.find("driver");
    if (!driver) return;
    values["group"] = safe(driver->get("nodes_group"));
    if (action == "install-fabric-manager") values["version"] = safe(driver->get("loaded"));
  }

  void system_values(const std::string& action, const std::vector<Id>& about, Values& values) const {
    const Entity* host = facts_.find("host");
    const Entity* driver = facts_.find("driver");
    if (host) {
      values["kernel"] = safe(host->get("kernel"));
      values["headers"] = safe("linux-headers-" + host->get("kernel"));
      if (action == "install-host-compiler") values["version"] = safe(host->get("nvcc_gcc_max"));
    }
    if (driver && !values.contains("branch")) {
      values["branch"] = safe(driver->get("branch"));
      values["flavour"] = safe(driver->get("flavour"));
      if (!values.contains("version")) values["version"] = safe(driver->has("on_disk") ? driver->get("on_disk") : driver->get("version"));
    }
    hardware_values(action, about, values);
    if (action == "remove-driver-packages" || action == "remove-linux-driver-in-wsl" || action == "upgrade-driver" || action == "remove-driver-from-image") values["packages"] = driver_packages(action);
    if (const Entity* container = facts_.find("container"); container && action == "restart-container") values["id"] = safe(container->get("id"));
    if (const Entity* rocm = facts_.find("rocm"); rocm && action == "join-gpu-groups") values["groups"] = safe(joined(rocm->items("groups"), ","));
    if (action == "finish-packages" && driver) {
      std::vector<std::string> names;
      for (const auto& one : driver->items("packages_broken")) names.push_back(one.substr(0, one.find_first_of(":=")));
      values["packages"] = safe(joined(names, " "));
    }
    if (action == "remove-library-packages") {   // the older of the reachable ones that a package owns
      const Entity* oldest = nullptr;
      for (const Entity* library : facts_.of("library"))
        if (library->is("name", "cudnn") && library->is("reachable", "yes") && library->has("package") &&
            (!oldest || compare(library->version("version"), oldest->version("version")) == Order::less))
          oldest = library;
      if (oldest) values["packages"] = safe(oldest->get("package"));
    }
    if (const Entity* on = bound(about, "toolkit_on_gpu"); on && action == "install-toolkit") values["cuda"] = safe(toolkit_for(*on));
    if ((action == "use-one-toolkit" || action == "install-toolkit") && !values.contains("cuda")) {
      const Entity* about_torch = bound(about, "torch");
      std::string cuda = about_torch ? about_torch->version("cuda").first(2) : "";
      for (const Entity* torch : facts_.of("torch"))
        if (cuda.empty() && torch->is("active", "yes")) cuda = torch->version("cuda").first(2);
      if (cuda.empty())
        for (const auto& release : host ? host->items("toolkit_releases") : std::vector<std::string>())
          if (cuda.empty() || compare(Version(cuda), Version(release)) == Order::less) cuda = release;
      const bool there = facts_.find("toolkit", "/usr/local/cuda-" + cuda) != nullptr;
      values["cuda"] = action == "install-toolkit" || there ? safe(cuda) : "";
    }
  }

  /// A toolkit that reaches this GPU: PyTorch's CUDA where that does, else the first one that knows it or the last that did.
  std::string toolkit_for(const Entity& on) const {
    const Version first = on.version("first"), last = on.version("last");
    for (const Entity* torch : facts_.of("torch")) {
      const Version cuda(torch->version("cuda").first(2));
      const bool reaches = cuda.valid() && compare(cuda, first) != Order::less && (!last.valid() || compare(cuda, last) != Order::greater);
      if (torch->is("active", "yes") && reaches) return cuda.text();
    }
    return (on.is("reach", "dropped") ? last : first).first(2);
  }

  const Matrix& matrix_;
  const Facts& facts_;
  Machine::World world_;
};

int rank(const std::string& risk) {
  static const std::map<std::string, int> ranks{{"read-only", 0}, {"environment", 1}, {"system", 2}, {"reboot", 3}};
  const auto found = ranks.find(risk);
  return found == ranks.end() ? 4 : found->second;
}

}  // namespace

std::vector<Fix> plan(const Matrix& matrix, const Facts& facts, Judgement& judgement, Machine::World world) {
  Planner planner(matrix, facts, world);
  std::vector<Fix> steps;
  std::map<std::vector<std::string>, std::string> step_of;   // commands → the torch that they are about
  const auto add = [&steps](const Fix& fix) {
    const auto same = [&fix](const Fix& other) { return other.commands == fix.commands; };
    if (!fix.commands.empty() && std::none_of(steps.begin(), steps.end(), same)) steps.push_back(fix);
  };
  std::set<std::string> replaced;   // torches that a step replaces, their companions with them
  for (auto& finding : judgement.findings) {
    finding.fixes = planner.fixes(finding);
    if (finding.severity == Severity::note || finding.elsewhere) continue;
    const auto torch = std::find_if(finding.about.begin(), finding.about.end(), [](const Id& id) { return id.kind == "torch"; });
    const std::string key = torch == finding.about.end() ? std::string() : torch->key;
    const auto first = std::find_if(finding.fixes.begin(), finding.fixes.end(), [](const Fix& fix) { return !fix.commands.empty(); });
    if (first == finding.fixes.end()) continue;
    // What is wrong beside a build that goes is gone with it: two steps about one torch would be at odds.
    if (!key.empty() && replaced.contains(key)) continue;
    if (!key.empty() && replaces_torch(first->action)) {
      replaced.insert(key);
      std::erase_if(steps, [&](const Fix& step) { return step_of[step.commands] == key; });
    }
    if (!key.empty()) step_of.emplace(first->commands, key);
    add(*first);
    for (const auto& next : matrix.knowledge().actions().at(first->action).node.list("then"))   // what it takes to clear the finding
      for (const auto& fix : finding.fixes)
        if (fix.action == next) add(fix);
  }
  std::stable_sort(steps.begin(), steps.end(), [](const Fix& a, const Fix& b) { return rank(a.risk) < rank(b.risk); });
  // Some steps must come first whatever their risk: an installer's driver goes before packages come.
  for (auto step = steps.begin(); step != steps.end(); ++step) {
    const auto later = matrix.knowledge().actions().at(step->action).node.list("before");
    const auto comes_later = [&later](const Fix& other) { return std::find(later.begin(), later.end(), other.action) != later.end(); };
    if (const auto first = std::find_if(steps.begin(), step, comes_later); first != step) std::rotate(first, step, std::next(step));
  }
  // What takes effect at the next start ends with one reboot for all.
  const auto reboots = [](const Fix& fix) { return fix.risk == "reboot" && fix.action != "reboot"; };
  const auto reboot = matrix.knowledge().actions().find("reboot");
  const bool has_reboot = std::any_of(steps.begin(), steps.end(), [](const Fix& fix) { return fix.action == "reboot"; });
  if (std::any_of(steps.begin(), steps.end(), reboots) && !has_reboot && reboot != matrix.knowledge().actions().end()) add(instantiate(reboot->second, facts, {}, {}));
  std::stable_sort(steps.begin(), steps.end(), [](const Fix& a, const Fix& b) { return (a.action == "reboot") < (b.action == "reboot"); });
  if (const auto torch = planner.first_torch()) add(*torch);   // when all else is in place
  return steps;
}

}  // namespace gpudoctor
