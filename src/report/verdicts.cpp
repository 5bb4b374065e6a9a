// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "formats.hpp"
#include "judge.hpp"
#include "text.hpp"

namespace gpudoctor {

const char* word(Verdict::State state) {
  constexpr const char* words[] = {"READY", "BLOCKED", "UNKNOWN"};
  return words[static_cast<int>(state)];
}

namespace {

/// Whether a finding stands in the way of this PyTorch on this GPU: it binds no other torch, environment or GPU.
bool blocks(const Finding& finding, const Entity& torch, const Entity& gpu, const Facts& facts) {
  if (finding.severity != Severity::error) return false;
  const Entity* env = facts.nearest(torch, "env");
  for (const auto& id : finding.about) {
    if (id.kind == "torch" && id != torch.id()) return false;
    if (id.kind == "env" && (!env || id != env->id())) return false;
    if (id.kind == "gpu" && id != gpu.id()) return false;
    if (id.kind == "toolkit" || id.kind == "libtorch" || id.kind == "framework" || id.kind == "extension") return false;
    if (id.kind == "library" && (!env || facts.nearest(*facts.find(id), "env") != env)) return false;
  }
  // The NVIDIA driver is no matter for an AMD GPU.
  const bool of_driver = finding.id.starts_with("driver-") || finding.id.starts_with("libcuda-");
  return !(of_driver && !gpu.is("vendor", "nvidia"));
}

/// Which unknown leaves the verdict open; empty when none does.
std::string open_question(const Facts& facts, const Entity& pair, const Entity& torch, const Entity& gpu) {
  const Fact* reach = pair.find("reach");
  if (!reach || !reach->known()) return reach ? reach->reason : "the build's kernels are unknown";
  if (!gpu.is("vendor", "nvidia")) return {};
  const Entity* driver = facts.find("driver");
  const Entity* container = facts.find("container");
  if (!driver || !driver->has("version")) {
    const Fact* version = driver ? driver->find("version") : nullptr;
    if (container && container->is("inside", "yes")) return "the host's driver was not seen";
    return version && !version->reason.empty() ? version->reason : "the driver is unknown";
  }
  if (const Entity* on = facts.find("cuda_on_driver", "torch " + torch.id().key); on && !on->has("standing") && on->find("standing"))
    return on->find("standing")->reason;
  if (const Entity* on = facts.find("gpu_on_driver", gpu.id().key); on && !on->has("window") && on->find("window")) return on->find("window")->reason;
  return {};
}

/// A framework that something stands in the way of; one that nothing does is not named, as it was not judged whole.
void add_frameworks(const Facts& facts, const Judgement& judgement, std::vector<Verdict>& result) {
  for (const Entity* framework : facts.of("framework")) {
    const auto about_it = [&](const Finding& finding) {
      return finding.severity == Severity::error && std::find(finding.about.begin(), finding.about.end(), framework->id()) != finding.about.end();
    };
    const auto blocking = std::find_if(judgement.findings.begin(), judgement.findings.end(), about_it);
    if (blocking == judgement.findings.end()) continue;
    Verdict verdict;
    verdict.framework = framework->id(), verdict.active = !blocking->elsewhere;
    verdict.shown = shown(facts, *framework) + (verdict.active ? " (active)" : "");
    verdict.state = Verdict::State::blocked, verdict.why = blocking->id;
    result.push_back(std::move(verdict));
  }
}

}  // namespace

std::vector<Verdict> verdicts(const Facts& facts, const Judgement& judgement) {
  std::vector<Verdict> result;
  for (const Entity* pair : facts.of("torch_on_gpu")) {
    const Entity* torch = facts.nearest(*pair, "torch");
    const Entity* gpu = facts.nearest(*pair, "gpu");
    if (!torch || !gpu) continue;
    if (gpu->is("bound", "vfio-pci")) continue;   // it belongs to a guest
    if (pair->is("reach", "vendor") && pair->is("usable", "yes")) continue;   // an integrated GPU beside the card
    const auto blocking = std::find_if(judgement.findings.begin(), judgement.findings.end(),
                                       [&](const Finding& finding) { return blocks(finding, *torch, *gpu, facts); });
    if (pair->is("reach", "vendor") && blocking == judgement.findings.end()) continue;
    Verdict verdict;
    verdict.torch = torch->id(), verdict.gpu = gpu->id();
    verdict.active = torch->is("active", "yes");
    verdict.shown = shown(facts, *torch) + (verdict.active ? " (active)" : "") + " on " + shown(facts, *gpu);
    if (blocking != judgement.findings.end()) {
      verdict.state = Verdict::State::blocked, verdict.why = blocking->id;
    } else if (pair->is("reach", "cpu")) {
      verdict.state = Verdict::State::blocked, verdict.why = "a CPU build";
    } else if (const auto question = open_question(facts, *pair, *torch, *gpu); !question.empty()) {
      verdict.state = Verdict::State::unknown, verdict.why = question;
    } else {
      verdict.state = Verdict::State::ready;
      verdict.why = pair->is("reach", "jit") ? "through PTX, compiled at first use; nothing was run" : "by its files; nothing was run";
    }
    result.push_back(std::move(verdict));
  }
  add_frameworks(facts, judgement, result);
  std::stable_sort(result.begin(), result.end(), [](const Verdict& a, const Verdict& b) { return a.active && !b.active; });
  return result;
}

std::string overall(const Facts&, const Judgement& judgement, const std::vector<Verdict>& verdicts) {
  for (const auto& finding : judgement.findings)
    if (finding.severity == Severity::error && !finding.elsewhere) return "environment";
  for (const auto& verdict : verdicts)
    if (verdict.state == Verdict::State::unknown) return "needs-info";
  return "environment-sound";
}

std::vector<UndecidedGroup> grouped(const std::vector<Undecided>& undecided) {
  std::vector<UndecidedGroup> groups;
  for (const auto& one : undecided) {
    auto group = std::find_if(groups.begin(), groups.end(), [&one](const auto& g) { return g.reason == one.reason; });
    if (group == groups.end()) group = groups.insert(groups.end(), {one.reason, {}, {}});
    if (std::find(group->ids.begin(), group->ids.end(), one.id) == group->ids.end()) group->ids.push_back(one.id);
    if (contains(one.reason, "permission denied")) group->command = "sudo -E gpudoctor";
    else if (contains(one.reason, "has no bus")) group->command = "gpudoctor check --root DIR --assume-gpu NAME --assume-driver VERSION";
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.ids.size() > b.ids.size(); });
  return groups;
}

}  // namespace gpudoctor
