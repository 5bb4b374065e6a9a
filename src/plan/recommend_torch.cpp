// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "builds.hpp"
#include "environment.hpp"
#include "help.hpp"
#include "recommend_torch.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

std::string named(const TorchChoice& choice) {
  return "torch " + choice.torch + (choice.channel.empty() ? "+" + choice.tag : " of " + choice.channel + " for CUDA " + Version(choice.cuda).first(2));
}

const Entity* torch_in(const Question& question) {
  for (const Entity* torch : question.facts.of("torch"))
    if (question.env && question.facts.nearest(*torch, "env") == question.env) return torch;
  return nullptr;
}

/// What of the wanted packages no table tells; said once, and nothing is refused for it.
void unknown_packages(const Question& question, const TorchChoice& choice, Recommendation& out) {
  const Row row = question.matrix.torch(choice.torch);
  if (!row) return;
  Stack stack{choice.torch, choice.tag, choice.vision, choice.audio, {}, Version(choice.cuda), {}, false};
  for (const auto& build : builds_of(question.matrix, question.needs, row))
    if (build.tag == choice.tag) stack.cudnn = Version(build.cudnn), stack.triton = build.triton, stack.bundled = choice.channel.empty() && bundled(question.matrix, choice.torch, choice.tag);
  for (const auto& package : question.needs.packages)
    if (const Beside one = beside(question.matrix, question.needs, package, stack); one.fits == Fits::unknown) {
      const auto* other = question.matrix.knowledge().table("framework").find("other");
      std::string note;
      for (std::size_t i = 0; other && i < other->items.size(); ++i)
        if (other->items[i].get("name") == package.name) note = " What it knows of " + package.name + ": " + std::string(trim(other->items[i].get("note")));
      out.notes.push_back("Unknown to the matrix: " + one.why + "." + note);
    }
}

/// "36.4.3" of "R36.4.3".
std::string l4t_of(const Question& question) {
  const Entity* host = question.facts.find("host");
  const auto text = host ? host->get("jetson") : std::string();
  return text.starts_with("R") ? text.substr(1) : text;
}

/// Where NVIDIA's own wheels for a JetPack are (jetson.toml, torch).
void jetson(const Question& question, Recommendation& out) {
  const auto l4t = l4t_of(question);
  std::string jetpack;
  for (const auto& row : question.matrix.rows("jetson", "jetpack")) {
    const auto list = row.list("l4t");
    if (std::any_of(list.begin(), list.end(), [&](const auto& one) { return l4t == one || l4t.starts_with(one + ".") || one == l4t + ".0"; })) jetpack = row.get("jetpack");
  }
  if (!jetpack.empty()) out.machine.push_back("JetPack " + jetpack);
  const auto cc = question.needs.cards.empty() ? std::string() : question.needs.cards.front().capability.text();
  for (const auto& row : question.matrix.rows("jetson", "torch")) {
    if (jetpack.empty() || !in_range(row.get("jetpack"), jetpack) || (!row.get("cc").empty() && row.get("cc") != cc)) continue;
    const auto folders = row.list("folders");
    out.help.push_back("torch " + row.get("torch") + (row.get("python").empty() ? "" : " for Python " + row.get("python")) + ": " + row.get("where") + (folders.empty() ? "" : " ({folder}: " + joined(folders, ", ") + ")"));
  }
  if (out.help.empty()) out.help.push_back("NVIDIA, 'PyTorch for Jetson Platform': L4T " + l4t + " is not in the matrix");
}

/// Where a package that is not on PyPI comes from (framework.toml, detect).
std::string own_index(const Matrix& matrix, const std::string& package) {
  const auto name = package.substr(0, package.find_first_of("=<>[ "));
  for (const auto& row : matrix.rows("framework", "detect"))
    if (row.get("framework") == name) return row.get("index");
  return {};
}

/// Packages that are built, or fetch their build, by the torch that is installed: after it, and without isolation.
bool builds_with_torch(const Matrix& matrix, const std::string& package) {
  const auto name = package.substr(0, package.find_first_of("=<>[ "));
  for (const auto& row : matrix.rows("framework", "detect"))
    if (row.get("framework") == name && row.get("isolated") == "false") return true;
  return false;
}

/// torchaudio from the index of torch, where the release has a build for the tag.
std::string with_tag(const Matrix& matrix, const std::string& requirement, const std::string& tag) {
  const auto sign = requirement.find("==");
  return sign != std::string::npos && matrix.variant(matrix.torch(requirement.substr(sign + 2)), tag) ? requirement + "+" + tag : requirement;
}

}  // namespace

void torch_commands(const Question& question, const TorchChoice& choice, Recommendation& out) {
  Place place = place_of(question);
  Values& values = place.values;
  if (!torch_values_of(question.matrix, choice, values, place.managers)) return void(out.notes.push_back("conda has no ROCm build of PyTorch: use an environment with pip."));
  // pip and uv take an installed variant of the same release for the wanted one.
  const Entity* here = torch_in(question);
  const bool other_variant = here && here->is("release", choice.torch) && !here->is("tag", choice.tag);
  const auto& actions = question.matrix.knowledge().actions();
  const auto action = actions.find(other_variant ? "torch-gpu-build" : "torch-build-for-these-gpus");
  if (action == actions.end()) return;
  Fix fix = instantiate(action->second, question.facts, values, place.managers);
  const bool conda = channel_of(place.managers) == Channel::conda, uv = place.managers[0] == "uv";
  std::vector<std::string> packages, alone;
  for (const auto& package : choice.packages) {
    if (conda) {
      if (!package.starts_with("torchaudio==") || choice.channel == "conda-forge") out.notes.push_back(package + " goes with it.");
    } else if (package.starts_with("torchaudio==") && !fix.commands.empty()) {
      const auto vision = "torchvision==" + values["vision"] + (uv ? "" : "+" + values["tag"]);
      fix.commands.back() = replaced(fix.commands.back(), vision, vision + " " + (uv ? package : with_tag(question.matrix, package, choice.tag)));
      if (uv && other_variant) fix.commands.back() += " --reinstall-package torchaudio";
    } else if (const auto index = own_index(question.matrix, package); !index.empty()) {
      out.notes.push_back(package + " goes with it; it is not on PyPI but on " + index);
    } else if (builds_with_torch(question.matrix, package)) {
      alone.push_back(package);
    } else {
      packages.push_back(package);
    }
  }
  // torch is named again, so that no package moves it.
  if (!packages.empty()) {
    packages.push_back("torch==" + choice.torch + (uv ? "" : "+" + choice.tag));
    fix.commands.push_back(install_line(place, packages, uv ? "--torch-backend=" + choice.tag : "--extra-index-url " + values["index"]));
  }
  for (const auto& package : alone) fix.commands.push_back(install_line(place, {package}, "--no-build-isolation"));
  suit_environment(place.env, values, fix);
  if (place.env && place.env->is("externally_managed", "yes")) out.notes.push_back("The system manages this Python, so the commands make an environment of their own.");
  if (!fix.said.empty()) out.notes.push_back(fix.said);
  out.commands = fix.commands;
}

void recommend_torch(const Question& question, Recommendation& out) {
  const Needs& needs = question.needs;
  if (const auto l4t = l4t_of(question); !l4t.empty() && Version(l4t).major() < 38) {   // from JetPack 7 on it has the common wheels
    out.none = "On a Jetson PyTorch comes from NVIDIA, built for its JetPack: the wheels of download.pytorch.org do not run on it.";
    return jetson(question, out);
  }
  if (needs.cards.empty()) {
    out.none = "there is no GPU that is known here";
    const Place place = place_of(question);
    const auto line = install_line(place, {"torch"}, place.managers[0] == "uv" ? "--torch-backend=cpu" : "--index-url https://download.pytorch.org/whl/cpu");
    out.help = {"without a GPU: " + (line.empty() ? "conda install -p " + place.values.at("env") + " -c conda-forge pytorch-cpu" : line), "--assume-gpu NAME, to ask for another machine"};
    return;
  }
  const auto stands = any_nvidia(needs) ? obstacles(question.matrix, needs) : std::vector<Refusal>();
  const TorchChoice choice = stands.empty() ? choose_torch(question.matrix, needs) : TorchChoice();
  const Attempt attempt = [&](const Needs& changed) -> Outcome {
    const auto then = choose_torch(question.matrix, changed);
    const Row row = question.matrix.torch(then.torch);
    return then.found() ? Outcome{named(then), row.get("python"), row.get("glibc"), then.torch} : Outcome{};
  };
  if (!stands.empty() || !choice.found()) {
    out.none = stands.empty() ? (choice.refusals.empty() ? not_listed(question) : choice.refused) : stands.front().why;
    out.refused = stands.empty() ? choice.refusals : stands;
    return smallest_changes(question, attempt, out);
  }
  out.version = choice.torch, out.tag = choice.tag, out.cuda = choice.cuda, out.refused = choice.refusals, out.sure = out.sure && choice.sure, out.channel = choice.channel;
  if (choice.limited) out.notes.push_back("The driver runs CUDA " + Version(choice.cuda).first(2) + " with limits (minor-version compatibility): PTX that it must compile does not run.");
  if (!needs.driver.valid() && any_nvidia(needs)) out.notes.push_back("It needs an NVIDIA driver, " + question.matrix.floor(Version(choice.cuda), needs.numbers) + " or newer: gpudoctor recommend driver.");
  if (any_nvidia(needs))
    for (const auto& card : needs.cards)
      if (!card.gfx.empty()) out.notes.push_back(card.shown + " gets nothing from it: a build is for CUDA or for ROCm.");
  if (!choice.extra.empty()) out.notes.push_back("conda-forge's newest cuDNN has no code for the oldest GPU here, so the command asks for an older one; not tried, the solver decides.");
  if (const auto compat = compat_option(question, attempt, {named(choice), {}, {}, choice.torch}); !compat.empty()) out.notes.push_back("More by " + compat + ".");
  unknown_packages(question, choice, out);
  torch_commands(question, choice, out);
}

}  // namespace gpudoctor
