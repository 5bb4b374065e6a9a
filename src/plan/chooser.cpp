// SPDX-License-Identifier: Apache-2.0
#include "chooser.hpp"

#include <algorithm>

#include "environment.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

Wanted wanted_of(const std::string& text) {
  const auto sign = text.find("==");
  Wanted one{normalized_package(trim(text.substr(0, sign))), sign == std::string::npos ? "" : text.substr(sign + 2), false};
  if (one.name == "cuda-toolkit" || one.name == "cudatoolkit") one.name = "cuda";
  if (one.name == "tensorflow-gpu") one.name = "tensorflow";
  if (one.name == "flash-attention") one.name = "flash-attn";
  return one;
}

/// Packages of the environment that torch or CUDA must suit, besides those that the user named. What comes with a torch
/// (torchvision, triton, NVIDIA's wheels) is replaced with it and binds nothing.
void add_installed(const Question& question, Needs& needs) {
  if (!question.env) return;
  for (const auto& package : question.env->items("packages")) {
    const auto sign = package.find("==");
    if (sign == std::string::npos) continue;
    const Version version(package.substr(sign + 2), Scheme::pep440);
    const Wanted one{package.substr(0, sign), version.without_local(), true};
    const bool torch = one.name == "torch" && question.wish.product != "tensorflow" && question.wish.product != "jax";
    if (one.name == question.wish.product || torch || one.name == "torchvision" || one.name == "triton" || one.name == "jaxlib" || !listed(question.matrix, one.name)) continue;
    const bool named = std::any_of(needs.packages.begin(), needs.packages.end(), [&one](const Wanted& other) { return other.name == one.name; });
    if (!named) needs.packages.push_back(one.name == "torchaudio" ? Wanted{one.name, "", true} : one);
  }
}

void describe_machine(const Question& question, Recommendation& out) {
  const Needs& needs = question.needs;
  for (const auto& card : needs.cards)
    out.machine.push_back(card.shown + ", " + (card.capability.valid() ? "compute capability " + card.capability.text() : card.gfx));
  for (const Entity* gpu : question.facts.of("gpu"))
    if ((gpu->is("vendor", "nvidia") && !gpu->has("compute_capability")) || (gpu->is("vendor", "amd") && !gpu->has("gfx")))
      out.notes.push_back(gpu->shown() + " is not in the matrix: whether this serves it is not known."), out.sure = false;
  if (needs.driver.valid() || any_nvidia(needs) || needs.cards.empty()) {
    const Entity* driver = question.facts.find("driver");
    const Fact* version = driver ? driver->find("version") : nullptr;
    const bool unknown = version && version->state == State::unknown;
    out.machine.push_back(needs.driver.valid() ? "driver " + needs.driver.text() + (needs.flavour.empty() ? "" : " (" + needs.flavour + ")") : unknown ? "driver not known: " + version->reason : "no NVIDIA driver");
  }
  if (!needs.python.empty()) out.machine.push_back("Python " + needs.python);
  if (needs.musl) out.machine.push_back("musl");
  if (needs.glibc.valid()) out.machine.push_back("glibc " + needs.glibc.text());
  out.machine.push_back(needs.platform + (needs.wsl ? " (WSL)" : ""));
  std::string beside;
  for (const auto& package : needs.packages) beside += (beside.empty() ? "" : ", ") + package.name + (package.version.empty() ? "" : " " + package.version) + (package.installed ? " (installed)" : "");
  if (!beside.empty()) out.machine.push_back("with " + beside);
}

}  // namespace

std::string not_listed(const Question& question) {
  const auto& needs = question.needs;
  return "the matrix of " + question.matrix.knowledge().date() + " has no " + question.wish.product + " " + needs.release + (needs.tag.empty() ? "" : "+" + needs.tag) + ": not known";
}

Version cuda_of(const Matrix& matrix, const Needs& needs, const Wanted& package) {
  const auto plus = package.version.find('+');
  const auto release = package.version.substr(0, plus), tag = plus == std::string::npos ? std::string() : package.version.substr(plus + 1);
  if (package.name == "cuda") return Version(release);
  if (package.name == "torch") {
    Needs one;   // any driver, so that it says what it would need
    one.cards = needs.cards, one.platform = needs.platform, one.system = needs.system, one.numbers = needs.numbers, one.release = release, one.tag = tag;
    return Version(choose_torch(matrix, one).cuda);
  }
  for (const auto& row : rows_of(matrix, {package.name, release, false})) {
    const auto cudas = row.list(row.node->find("cuda") ? "cuda" : "cuda-min");
    if (row.verified() && !cudas.empty()) return Version(cudas.back().substr(0, cudas.back().find('-')));
  }
  return {};
}

void driver_help(const Question& question, Recommendation& out) {
  const auto& needs = question.needs;
  long first = 0, last = 100000;
  for (const auto& card : needs.cards) first = std::max(first, card.first), last = std::min(last, card.last);
  if (first <= last && needs.driver.valid()) {
    Needs flavour = needs;
    flavour.flavour.clear();
    if (!needs.flavour.empty() && obstacles(question.matrix, flavour).empty()) out.help.push_back("the " + std::string(needs.flavour == "open" ? "proprietary" : "open") + " flavour of the driver's modules: gpudoctor recommend driver");
    else if (static_cast<long>(needs.driver.major()) > last) out.help.push_back("driver branch " + std::to_string(last) + " or older: gpudoctor recommend driver");
    else out.help.push_back("driver " + std::to_string(std::max(first, static_cast<long>(needs.driver.major()))) + " or newer: gpudoctor recommend driver");
  }
  for (std::size_t i = 0; needs.cards.size() > 1 && i < needs.cards.size(); ++i) {
    Needs without = needs;
    without.cards.erase(without.cards.begin() + static_cast<long>(i));
    if (obstacles(question.matrix, without).empty()) out.help.push_back("leave out " + needs.cards[i].shown);
  }
  if (out.help.empty()) out.help.push_back("gpudoctor recommend driver says which GPU to leave out");
}

Recommendation recommend(const Matrix& matrix, const Facts& facts, const Wish& wish, Machine::World world) {
  Recommendation out;
  out.product = wish.product;
  out.matrix_date = matrix.knowledge().date();
  Question question{matrix, facts, wish, world, {}, nullptr};
  for (const Entity* one : facts.of("env"))
    if (one->is("active", "yes")) question.env = one;
  Needs& needs = question.needs = needs_of(matrix, facts, !wish.python.empty() ? wish.python : question.env ? question.env->get("python") : "");
  // Another Python is another environment: nothing is installed there.
  if (question.env && !wish.python.empty() && question.env->has("python") && Version(question.env->get("python")).first(2) != Version(wish.python).first(2)) question.env = nullptr;
  const auto plus = wish.version.find('+');
  needs.release = wish.version.substr(0, plus);
  if (plus != std::string::npos) needs.tag = wish.version.substr(plus + 1);
  for (const auto& text : wish.with) needs.packages.push_back(wanted_of(text));
  const auto& product = wish.product;
  needs.channel = channel_of(place_of(question).managers);
  const bool in_environment = product != "libtorch" && product != "driver" && product != "cuda";
  if (in_environment) add_installed(question, needs);
  describe_machine(question, out);

  const Entity* here = nullptr;
  for (const Entity* torch : facts.of("torch"))
    if (question.env && facts.nearest(*torch, "env") == question.env) here = torch;
  const Entity* host = facts.find("host");
  if (const auto why = hands_off(facts, question.env, here); in_environment && !why.empty() && !(host && host->has("jetson"))) {
    out.none = why;
    out.help = {contains(why, "image") ? "another tag of NVIDIA's image: gpudoctor matrix ngc" : "an environment of its own: --python X.Y"};
    return out;
  }
  if (product == "torch") recommend_torch(question, out);
  else if (product == "libtorch") recommend_libtorch(question, out);
  else if (product == "driver") recommend_driver(question, out);
  else if (product == "cuda") recommend_cuda(question, out);
  else if (product == "cudnn" || product == "nccl") recommend_library(question, out);
  else recommend_framework(question, out);
  return out;
}

}  // namespace gpudoctor
