// SPDX-License-Identifier: Apache-2.0
// TensorFlow, JAX and vLLM, as far as framework.toml goes. What a row leaves out is said, never guessed.
#include <algorithm>
#include <optional>

#include "arch_reach.hpp"
#include "builds.hpp"
#include "environment.hpp"
#include "help.hpp"
#include "recommend_torch.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// One release of a framework with what is asked of its environment.
struct Pick {
  Row row, own;                      ///< own: the row that tells CUDA and GPUs (jax: its plugin's)
  std::string extra;                 ///< and-cuda, cuda12
  std::optional<TorchChoice> torch;  ///< where a torch is wanted too
  std::vector<std::string> beside;   ///< requirements of the other wanted packages
  std::vector<std::string> unknown;
  bool sure = true;
};

/// "2.21"; "0.7.1 or newer, below 0.11.0" of an open range.
std::string shown_release(const Matrix& matrix, const Row& row, const std::string& asked_for) {
  const auto versions = row.get("versions");
  const auto last = versions.substr(versions.find('-') == std::string::npos ? 0 : versions.find('-') + 1);
  if (!asked_for.empty() || !last.empty()) return asked_for.empty() ? last : asked_for;
  const auto spec = requirement(matrix, row, "", "");
  const auto below = spec.find(",<");
  return versions.substr(0, versions.find('-')) + " or newer" + (below == std::string::npos ? "" : ", below " + spec.substr(below + 2));
}

/// The torch that the active environment has, as something to live with.
std::optional<Stack> torch_here(const Question& question) {
  for (const Entity* torch : question.facts.of("torch")) {
    if (!question.env || question.facts.nearest(*torch, "env") != question.env || !torch->is("backend", "cuda")) continue;
    Stack stack{torch->get("release"), torch->get("tag"), {}, {}, {}, torch->version("cuda"), torch->version("cudnn"), false};
    stack.bundled = question.needs.channel == Channel::pip && bundled(question.matrix, stack.torch, stack.tag);
    return stack;
  }
  return std::nullopt;
}

class FrameworkChooser {
 public:
  FrameworkChooser(const Question& question, const Needs& needs) : question_(question), matrix_(question.matrix), needs_(needs), name_(question.wish.product) {
    for (const auto& package : needs.packages)
      if (package.name == "torch" && package.installed) here_ = torch_here(question);
  }

  std::optional<Pick> choose(std::vector<Refusal>& refused) const {
    for (const auto& row : rows_of(matrix_, {name_, needs_.release, false}))
      for (const auto& candidate : candidates(row))
        if (const auto pick = fits(candidate, refused)) return pick;
    return std::nullopt;
  }

 private:
  /// jax has a plugin for each CUDA major, the newer first.
  std::vector<Pick> candidates(const Row& row) const {
    if (name_ != "jax") return {Pick{row, row, row.get("pins").empty() ? "" : "and-cuda", {}, {}, {}, true}};
    std::vector<Pick> result;
    const auto release = needs_.release.empty() ? row.get("versions").substr(0, row.get("versions").find('-')) : needs_.release;
    for (const char* major : {"13", "12"})
      if (const auto plugins = matrix_.framework("jax-cuda" + std::string(major) + "-plugin", release); !plugins.empty())
        result.push_back(Pick{row, plugins.back(), "cuda" + std::string(major), {}, {}, {}, true});
    if (result.empty()) result.push_back(Pick{row, Row(), "", {}, {}, {}, true});
    return result;
  }

  std::optional<Pick> fits(Pick pick, std::vector<Refusal>& refused) const {
    const auto all = pick.row.get("versions");
    const auto versions = all.substr(0, all.ends_with("-") ? all.size() - 1 : all.size()), where = "framework.toml, " + name_ + " " + versions;
    // What a row or its plugin says, without the name that stands before it anyway.
    const auto bare = [&](const std::string& why) {
      const auto own = pick.own ? pick.own.get("framework") + " " + replaced(pick.own.get("versions") + "\n", "-\n", "\n") : "";
      const auto at = why.starts_with(name_ + " " + versions + " ") ? name_.size() + versions.size() + 2 : !own.empty() && why.starts_with(own.substr(0, own.size() - 1) + " ") ? own.size() : 0;
      return why.substr(at);
    };
    const auto no = [&](Bar bar, std::string why, std::string fact, std::string in) {
      refused.push_back({versions, name_ == "jax" ? pick.extra : "", bar, std::move(why), std::move(fact), std::move(in)});
      return std::nullopt;
    };
    const auto said = [&](const Beside& one) { return no(one.bar, bare(one.why), one.fact, one.row); };
    if (!pick.row.verified()) return no(Bar::release, "is not verified in the matrix", "", where);
    if (!pick.own) return no(Bar::status, "has no CUDA part on PyPI", "", where);
    for (const Row& row : {pick.row, pick.own})
      if (const Beside one = on_machine(matrix_, needs_, row); one.fits == Fits::no) return said(one);
    const Version cuda = built_for(pick.own);
    if (cuda.valid() && runs(matrix_, needs_, cuda) == Runs::no) return no(Bar::driver, "needs driver " + matrix_.floor(cuda, needs_.numbers), "driver " + needs_.driver.text(), floor_row(cuda));
    if (here_)
      if (const Beside one = row_beside(matrix_, needs_, pick.own, *here_); one.fits == Fits::no) return no(Bar::package, bare(one.why), "torch " + here_->torch + " here" + (one.fact.empty() ? "" : ", " + one.fact), one.row);
    for (const auto& package : needs_.packages)
      if (package.name == "torch" && package.installed) continue;
      else if (const Beside one = goes(pick, package); one.fits == Fits::no) return no(Bar::package, one.why, one.fact, one.row.empty() ? where : one.row);
      else if (one.fits == Fits::unknown) pick.unknown.push_back(one.why);
      else if (!one.spec.empty() && !package.installed) pick.beside.push_back(one.spec);
    pick.sure = pick.sure && pick.row.sure() && pick.own.sure() && !python_of(matrix_, pick.row).empty();
    return pick;
  }

  static Version built_for(const Row& row) { return Version(row.get("cuda").empty() ? row.get("cuda-min") : row.get("cuda")); }

  Beside goes(Pick& pick, const Wanted& package) const {
    Beside result;
    if (package.name == "torch") return with_torch(pick, package);
    for (const auto& row : rows_of(matrix_, package)) {
      if (row.node->find("torch")) return {Fits::unknown, {}, "whether " + package.name + " and " + name_ + " go together without a torch", {}, {}, true, Bar::package};
      if (on_machine(matrix_, needs_, row).fits == Fits::no) continue;
      const Fits fit = share(pick.own, row);
      if (fit == Fits::yes) return {Fits::yes, requirement(matrix_, row, "", package.version), {}, {}, {}, true, Bar::package};
      if (fit == Fits::no) result = {Fits::no, {}, "wants another CUDA or cuDNN major than " + package.name, package.name + " " + row.get("versions"), "framework.toml, " + package.name, true, Bar::package};
    }
    if (!result.why.empty()) return result;
    return {Fits::unknown, {}, "whether " + package.name + (package.version.empty() ? "" : " " + package.version) + " goes with " + name_, {}, {}, true, Bar::package};
  }

  /// The newest torch that lives with this release; for jax one of the plugin's CUDA major.
  Beside with_torch(Pick& pick, const Wanted& package) const {
    Needs needs = needs_;
    const auto plus = package.version.find('+');
    needs.release = package.version.substr(0, plus), needs.tag = plus == std::string::npos ? "" : package.version.substr(plus + 1);
    std::erase_if(needs.packages, [](const Wanted& one) { return one.name == "torch"; });
    needs.packages.push_back({pick.own.get("framework"), first_release(pick.own, pick.row), false});
    TorchChoice choice = choose_torch(matrix_, needs);
    if (!choice.found()) return {Fits::no, {}, "no torch" + (package.version.empty() ? "" : " " + package.version) + " that fits here lives with it", nearest(choice.refusals), {}, true, Bar::package};
    pick.torch = std::move(choice);
    // The framework's own requirement comes from the row that was chosen here.
    std::erase_if(pick.torch->packages, [&](const auto& spec) { return spec.starts_with(pick.own.get("framework")); });
    return {Fits::yes, {}, {}, {}, {}, true, Bar::package};
  }

  static std::string first_release(const Row& own, const Row& row) {
    const auto versions = (own.get("framework") == row.get("framework") ? own : row).get("versions");
    return versions.substr(0, versions.find('-'));
  }

  static std::string nearest(const std::vector<Refusal>& refusals) {
    for (const auto& one : refusals)
      if (one.bar == Bar::package) return "torch " + one.release + " " + one.tag + ": " + one.why;
    return refusals.empty() ? "" : refusals.front().why;
  }

  const Question& question_;
  const Matrix& matrix_;
  const Needs& needs_;
  std::string name_;
  std::optional<Stack> here_;
};

void say(const Question& question, const Pick& pick, Recommendation& out) {
  const auto& needs = question.needs;
  const auto& name = question.wish.product;
  const auto versions = pick.row.get("versions");
  const Version cuda(pick.own.get("cuda").empty() ? pick.own.get("cuda-min") : pick.own.get("cuda"));
  out.version = shown_release(question.matrix, pick.row, needs.release), out.cuda = cuda.text();
  out.sure = out.sure && pick.sure;
  const auto archs = arch_words(pick.own.get("archs"));
  if (archs.empty() && pick.own.get("cc-min").empty()) out.notes.push_back("The matrix does not list the GPUs that " + name + " " + versions + " has code for: unknown."), out.sure = false;
  for (const auto& card : needs.cards)
    if (!archs.empty() && card.capability.valid() && reach_of(archs, card.capability, cuda, level(question.matrix, needs)) == "jit")
      out.notes.push_back(card.shown + ": it has PTX only for it, which the driver compiles at the first start; that takes many minutes.");
  if (python_of(question.matrix, pick.row).empty()) out.notes.push_back("The matrix does not list its Pythons: unknown.");
  if (cuda.valid() && runs(question.matrix, needs, cuda) == Runs::limited) out.notes.push_back("The driver runs CUDA " + cuda.first(2) + " with limits (minor-version compatibility): PTX that it must compile does not run.");
  if (!needs.driver.valid()) out.notes.push_back("It needs an NVIDIA driver, " + question.matrix.floor(cuda, needs.numbers) + " or newer: gpudoctor recommend driver.");
  if (name == "tensorflow" && pick.extra.empty()) out.notes.push_back("It brings no CUDA of its own: CUDA " + cuda.first(2) + " and cuDNN " + pick.own.get("cudnn") + " must be on the library path.");
  for (const auto& one : pick.unknown) out.notes.push_back("Unknown to the matrix: " + one + ".");
}

void commands(const Question& question, const Pick& pick, Recommendation& out) {
  const auto& name = question.wish.product;
  const auto spec = requirement(question.matrix, pick.row, pick.extra, question.needs.release);
  const Place place = place_of(question);
  if (channel_of(place.managers) == Channel::conda) {
    out.notes.push_back("The matrix does not know conda-forge's builds of " + name + ", and pip does not go into an environment of conda: take an environment of its own (--installer pip).");
    return;
  }
  if (pick.torch) {
    TorchChoice torch = *pick.torch;
    torch.packages.insert(torch.packages.begin(), spec);
    out.notes.push_back("It goes with torch " + torch.torch + "+" + torch.tag + ".");
    return torch_commands(question, torch, out);
  }
  std::vector<std::string> requirements{spec};
  requirements.insert(requirements.end(), pick.beside.begin(), pick.beside.end());
  std::string options;
  if (const auto here = torch_here(question); here && !here->torch.empty()) {   // named again, so that it stays
    Values values;
    index_values(question.matrix, here->torch, here->tag, values);
    const bool uv = place.managers[0] == "uv";
    requirements.push_back("torch==" + here->torch + (uv || here->tag.empty() ? "" : "+" + here->tag));
    if (!here->tag.empty()) options = uv ? "--torch-backend=" + here->tag : "--extra-index-url " + values["index"];
  }
  Fix fix;
  if (const auto line = install_line(place, requirements, options); !line.empty()) fix.commands.push_back(line);
  suit_environment(place.env, place.values, fix);
  out.commands = fix.commands;
}

/// vLLM pins one torch a release: the newest whose torch fits.
void vllm(const Question& question, Recommendation& out) {
  Question torch = question;
  const auto release = question.needs.release;
  if (any_amd(question.needs) && !any_nvidia(question.needs))
    return void((out.none = "the matrix knows no ROCm build of vLLM", out.help = {"vLLM's own images for ROCm: https://docs.vllm.ai"}));
  if (question.needs.channel == Channel::conda)
    return void((out.none = "vLLM is on PyPI, and pip does not go into an environment of conda", out.help = {"an environment of its own: --installer pip"}));
  torch.needs.packages.insert(torch.needs.packages.begin(), {"vllm", release, false});
  torch.needs.release.clear(), torch.needs.tag.clear();
  if (!release.empty() && rows_of(question.matrix, {"vllm", release, false}).empty()) return void((out.none = not_listed(question), out.help = {"another release than " + release}));
  recommend_torch(torch, out);
  std::erase_if(out.help, [](const auto& one) { return one.starts_with("leave out vllm:") || one.starts_with("conda-forge's own build"); });
  if (!out.found()) return void(out.help.empty() ? out.help.push_back("no single change helps") : void());
  const auto tag = out.tag, built_for = out.version;
  out.tag.clear();
  out.notes.insert(out.notes.begin(), "It is built for torch " + built_for + ", here +" + tag + ".");
  const Row row = question.matrix.torch(built_for);
  for (const auto& build : builds_of(question.matrix, question.needs, row))
    if (build.tag == tag) {
      const auto spec = beside(question.matrix, question.needs, {"vllm", release, false}, {built_for, tag, {}, {}, {}, build.cuda, Version(build.cudnn), false}).spec;
      out.version = spec.substr(spec.find("==") == std::string::npos ? 0 : spec.find("==") + 2);
    }
}

}  // namespace

void recommend_framework(const Question& question, Recommendation& out) {
  const auto& name = question.wish.product;
  const Needs& needs = question.needs;
  if (const Entity* host = question.facts.find("host"); host && host->has("jetson"))
    return void((out.none = "On a Jetson " + name + " comes from NVIDIA, built for its JetPack; the matrix does not list where.", out.help = {"NVIDIA's containers for Jetson: https://catalog.ngc.nvidia.com"}));
  if (name == "vllm") return vllm(question, out);
  if (!any_nvidia(needs)) return void((out.none = "there is no NVIDIA GPU that is known", out.help = {"without a GPU: " + install_line(place_of(question), {name})}));
  const auto stands = obstacles(question.matrix, needs);
  const FrameworkChooser chooser(question, needs);
  std::optional<Pick> pick;
  if (stands.empty()) pick = chooser.choose(out.refused);
  const Attempt attempt = [&](const Needs& changed) -> Outcome {
    std::vector<Refusal> none;
    const auto then = FrameworkChooser(question, changed).choose(none);
    if (!then) return {};
    const auto release = shown_release(question.matrix, then->row, changed.release);
    return {name + " " + release, python_of(question.matrix, then->row), "", release};
  };
  if (!pick) {
    out.none = !stands.empty() ? stands.front().why : out.refused.empty() ? not_listed(question) : "no listed release of " + name + " fits";
    if (!stands.empty()) out.refused = stands;
    smallest_changes(question, attempt, out);
    std::erase_if(out.help, [](const auto& one) { return contains(one, "conda"); });
    return;
  }
  say(question, *pick, out);
  if (const auto compat = compat_option(question, attempt, attempt(needs)); !compat.empty()) out.notes.push_back("More by " + compat + ".");
  commands(question, *pick, out);
}

}  // namespace gpudoctor
