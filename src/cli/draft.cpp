// SPDX-License-Identifier: Apache-2.0
// `gpudoctor rules draft torch`: a row of the table, from what an installed wheel's own files say.
#include <fmt/core.h>

#include <algorithm>
#include <iostream>

#include "pipeline.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// What a file of the environment said; nothing that the matrix or a person filled in.
std::string measured(const Entity& entity, const char* fact) {
  const Fact* found = entity.find(fact);
  return found && found->known() && found->witnesses.front().rank == Rank::measured ? found->text : std::string();
}

/// "sm_75 sm_120 compute_120" → "7.5 12.0+PTX", as TORCH_CUDA_ARCH_LIST has it. Code for one chip alone (sm_90a) is not
/// part of that list.
std::string arch_list(const Entity& torch) {
  if (measured(torch, "archs").empty()) return {};
  const auto items = torch.items("archs");
  std::vector<std::string> list;
  for (const auto& item : items) {
    if (!item.starts_with("sm_") || item.back() < '0' || item.back() > '9') continue;
    const bool ptx = std::find(items.begin(), items.end(), "compute_" + item.substr(3)) != items.end();
    list.push_back(cc_of_sm(item) + (ptx ? "+PTX" : ""));
  }
  std::sort(list.begin(), list.end(), natural_less);
  return joined(list, " ");
}

/// "Requires-Dist: triton (==2.0.0) ; …" → 2.0.0, and what "~=3.8.0" starts at.
std::string pin(const std::string& metadata, std::string_view name) {
  for (const auto line : lines(metadata)) {
    if (!line.starts_with("Requires-Dist:")) continue;
    const auto wanted = trim(line.substr(line.find(':') + 1));
    const auto end = wanted.find_first_of(" [(=~<>;");
    const auto at = wanted.find_first_of("=~");
    if (normalized_package(wanted.substr(0, end)) != name || at == std::string_view::npos || wanted.substr(at + 1, 1) != "=") continue;
    const auto version = wanted.substr(at + 2);
    return std::string(version.substr(0, version.find_first_of(" );,")));
  }
  return {};
}

/// Without a local label in its metadata it is PyPI's; version.py has the label there too.
bool from_pypi(const std::string& metadata) {
  for (const auto line : lines(metadata))
    if (line.starts_with("Version:")) return Version(std::string(trim(line.substr(8))), Scheme::pep440).local().empty();
  return false;
}

/// The platform that a wheel was made for, which need not be that of this machine.
std::string platform_of_wheel(const std::string& wheel, const std::string& otherwise) {
  for (const auto line : lines(wheel))
    for (const auto& [ending, platform] : {std::pair("_x86_64", "linux-x86_64"), std::pair("_aarch64", "linux-aarch64"), std::pair("-win_amd64", "windows")})
      if (line.starts_with("Tag:") && trim(line).ends_with(ending)) return platform;
  return otherwise;
}

/// The lowest and highest "Programming Language :: Python :: 3.x".
std::string pythons(const std::string& metadata) {
  std::string lowest, highest;
  constexpr std::string_view classifier = "Classifier: Programming Language :: Python :: 3.";
  for (const auto line : lines(metadata)) {
    if (!line.starts_with(classifier)) continue;
    const Version version("3." + std::string(trim(line.substr(classifier.size()))));
    if (!version.valid() || version.parts().size() != 2) continue;
    if (lowest.empty() || compare(version, Version(lowest)) == Order::less) lowest = version.text();
    if (highest.empty() || compare(version, Version(highest)) == Order::greater) highest = version.text();
  }
  return lowest.empty() ? std::string() : lowest + "-" + highest;
}

/// "Tag: cp311-cp311-manylinux_2_28_x86_64" → 2.28
std::string glibc(const std::string& wheel) {
  for (const auto line : lines(wheel))
    if (const auto at = line.find("manylinux_2_"); line.starts_with("Tag:") && at != std::string_view::npos) {
      const auto minor = line.substr(at + 12, line.find('_', at + 12) - at - 12);
      if (to_number(minor) > 0) return "2." + std::string(minor);
    }
  for (const auto& [name, version] : {std::pair("manylinux2014", "2.17"), std::pair("manylinux2010", "2.12"), std::pair("manylinux1", "2.5")})
    if (contains(wheel, name)) return version;
  return {};
}

std::string text_of(const Machine& machine, const std::string& path) { return machine.read(path, 1 << 20).value_or(""); }

/// "torch (==2.8.0)", "torch>=2.14.0": whether a requirement is met by this torch. One without a version says nothing.
bool asks_for(std::string_view requirement, const Version& torch) {
  const auto version = [&](std::string_view sign) {
    const auto at = requirement.find(sign);
    return at == std::string_view::npos ? Version() : Version(std::string(trim(requirement.substr(at + 2, requirement.find_first_of(" );,", at + 2) - at - 2))), Scheme::pep440);
  };
  if (!trim(requirement).starts_with("torch") || requirement.find_first_of(" (=>") == std::string_view::npos) return false;
  if (const auto exact = version("=="); exact.valid()) return compare(exact, torch) == Order::equal;
  const auto least = version(">=");
  return least.valid() && compare(least, torch) != Order::greater;
}

/// The release of a companion beside it, only where its own metadata asks for this torch.
std::string companion_beside(const Machine& machine, const Entity& env, const Entity& torch, const std::string& package) {
  const auto site = torch.id().key.substr(0, torch.id().key.rfind('/'));
  const Version wanted(torch.get("release"), Scheme::pep440);
  for (const auto& item : env.items("packages")) {
    if (!item.starts_with(package + "==")) continue;
    const auto version = item.substr(package.size() + 2), plain = Version(version, Scheme::pep440).without_local();
    // PyPI's has the label in version.py only.
    for (const auto& folder : {version, plain}) {
      const auto metadata = text_of(machine, join(site, package + "-" + folder + ".dist-info/METADATA"));
      for (const auto line : lines(metadata))
        if (line.starts_with("Requires-Dist: torch") && asks_for(line.substr(15), wanted)) return plain;
    }
  }
  return {};
}

class Draft {
 public:
  void row(const char* indent, const std::string& key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{}{:<18} = {}\n", indent, key, toml_quote(value));
  }
  std::string text;
};

}  // namespace

int run_rules_draft(const Options& options) {
  Options looking = options;
  looking.envs = {options.path};
  looking.path.clear();
  Pipeline pipeline(looking);
  pipeline.look();
  const auto& machine = pipeline.machine();
  const auto folder = machine.real(options.path.starts_with('/') ? options.path : join(machine.working_folder(), options.path));
  if (!folder) throw BadInput(options.path + ": " + folder.miss().says);
  const Entity* torch = nullptr;
  for (const Entity* one : pipeline.facts().of("torch"))
    if (!torch && one->id().key.starts_with(*folder + "/")) torch = one;
  if (!torch) throw BadInput(options.path + ": no PyTorch in it");
  const Entity* env = torch->parents().empty() ? nullptr : pipeline.facts().find(torch->parents().front());
  if (!env || measured(*torch, "release").empty()) throw BadInput(options.path + ": its PyTorch does not say its version");
  if (!torch->is("origin", "wheel")) throw BadInput(options.path + ": torch " + torch->get("version") + " is no published wheel (" + torch->get("origin") + "): no row would describe it");

  const Fact* pins = torch->find("pins");
  const auto path = pins && !pins->witnesses.empty() ? pins->witnesses.front().source : std::string();
  const auto metadata = path.empty() ? std::string() : text_of(machine, path);
  const auto wheel = path.empty() ? std::string() : text_of(machine, path.substr(0, path.rfind('/') + 1) + "WHEEL");
  const auto backend = torch->get("backend"), tag = measured(*torch, "tag");
  const auto full = pin(metadata, "cuda-toolkit");
  const auto platform = platform_of_wheel(wheel, platform_of(pipeline.facts()));

  Draft draft;
  draft.text = "# Drafted by `gpudoctor rules draft torch` from the files of one installed wheel: read it before it is trusted.\n"
               "# Use it: gpudoctor --rules-add FILE, or lay it in ~/.config/gpudoctor/rules.d/\n"
               "table = \"torch\"\n\n[source]\nmeasured = \"version.py, METADATA, WHEEL and libtorch_python.so of an installed wheel\"\n\n[[release]]\n";
  draft.row("", "torch", torch->get("release"));
  draft.row("", "python", pythons(metadata));
  draft.row("", "vision", companion_beside(machine, *env, *torch, "torchvision"));
  draft.row("", "audio", companion_beside(machine, *env, *torch, "torchaudio"));
  if (from_pypi(metadata) && platform == "linux-x86_64") draft.row("", "default", tag);
  if (platform == "linux-x86_64") draft.row("", "glibc", glibc(wheel));
  draft.row("", "source", "measured");
  draft.row("", "confidence", "medium");
  if (backend == "cuda" && !tag.empty()) {
    draft.text += "\n  [[release.variant]]\n";
    draft.row("  ", "tag", tag);
    draft.row("  ", "cuda", full.empty() ? measured(*torch, "cuda") : full);
    draft.row("  ", "cudnn", measured(*torch, "cudnn"));
    draft.row("  ", "nccl", measured(*torch, "nccl"));
    draft.row("  ", "triton", pin(metadata, "triton"));
    draft.text += fmt::format("  {:<18} = [\"{}\"]\n", "on", platform);
    if (const auto archs = arch_list(*torch); !archs.empty()) draft.row("  ", "archs." + platform, archs);
    else draft.text += "  # archs: not found in its files\n";
    draft.row("  ", "source", "measured");
    draft.row("  ", "confidence", "medium");
  }
  std::cout << draft.text;
  return 0;
}

}  // namespace gpudoctor
