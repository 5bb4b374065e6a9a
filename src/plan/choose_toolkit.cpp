// SPDX-License-Identifier: Apache-2.0
// The CUDA toolkit, its libraries, and LibTorch.
#include <algorithm>

#include "chooser.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

bool asked(const Needs& needs, const std::string& release) {
  return needs.release.empty() || release == needs.release || release.starts_with(needs.release + ".");
}

/// The CUDA of the active torch, else the newest that the driver runs.
std::string cuda_in_use(const Matrix& matrix, const Facts& facts, const Needs& needs) {
  for (const Entity* torch : facts.of("torch"))
    if (!torch->is("active", "no") && torch->has("cuda")) return torch->version("cuda").first(2);
  const Node* rows = matrix.knowledge().table("cuda").find("release");
  std::string newest;
  for (std::size_t i = 0; rows && i < rows->items.size(); ++i) {
    const Version cuda(rows->items[i].get("cuda"));
    if (runs(matrix, needs, cuda) != Runs::no && (newest.empty() || compare(Version(newest), cuda) == Order::less)) newest = cuda.text();
  }
  return Version(newest).first(2);
}

}  // namespace

void recommend_cuda(const Matrix& matrix, const Facts& facts, const Needs& needs, Recommendation& out) {
  const Node* rows = matrix.knowledge().table("cuda").find("release");
  std::string torch;
  for (const Entity* one : facts.of("torch"))
    if (one->is("active", "yes") && one->has("cuda")) torch = one->version("cuda").first(2);
  for (std::size_t i = rows ? rows->items.size() : 0; i-- > 0 && out.version.empty();) {
    const Row row{&rows->items[i]};
    const Version cuda(row.get("cuda"));
    const auto where = "cuda.toml, release " + cuda.text();
    if (!asked(needs, cuda.text())) continue;
    const auto no = [&](Bar bar, std::string why, std::string fact, std::string in) { out.refused.push_back({cuda.text(), "", bar, std::move(why), std::move(fact), std::move(in)}); };
    if (!row.verified()) { no(Bar::release, "is not verified in the matrix", "", where); continue; }
    if (contains(row.get("note"), "Preview")) { no(Bar::status, "is a preview", "", where); continue; }
    if (!torch.empty() && needs.release.empty() && cuda.first(2) != torch) { no(Bar::package, "is not the CUDA of the torch that is here", "torch for CUDA " + torch, where); continue; }
    const Card* lacking = nullptr;
    std::string why, in;
    for (const auto& card : needs.cards) {
      const Row cc = card.capability.valid() ? matrix.capability(card.capability.text()) : Row();
      if (!cc || lacking) continue;
      const auto first = cc.get("first-toolkit"), last = cc.get("last-toolkit");
      in = "gpu.toml, compute capability " + card.capability.text();
      if (!last.empty() && compare(Version(cuda.first(2)), Version(last)) == Order::greater) lacking = &card, why = "makes no code for this GPU: the last is " + last;
      if (!first.empty() && compare(Version(cuda.first(2)), Version(first)) == Order::less) lacking = &card, why = "makes no code for this GPU: the first is " + first;
    }
    if (lacking) { no(Bar::gpu, why, lacking->shown, in); continue; }
    const Runs how = runs(matrix, needs, cuda);
    const bool own = !torch.empty() || !needs.release.empty();
    if (how == Runs::no) { no(Bar::driver, "needs driver " + matrix.floor(cuda, needs.system), "driver " + needs.driver.text(), "cuda.toml, floor of CUDA " + std::to_string(cuda.major())); continue; }
    if (how == Runs::limited && !own) { no(Bar::limits, "runs with limits only: its own driver is " + matrix.own(Version(cuda.first(2)), needs.system), "driver " + needs.driver.text(), where); continue; }
    out.version = out.cuda = cuda.text(), out.sure = row.sure();
    if (how == Runs::limited) out.notes.push_back("The driver runs it with limits (minor-version compatibility).");
  }
  if (out.version.empty()) {
    out.none = "no listed CUDA toolkit makes code for all of these GPUs and runs on this driver";
    if (needs.driver.valid())
      if (Needs without = needs; without.driver = Version(), true) {
        Recommendation then;
        recommend_cuda(matrix, facts, without, then);
        if (then.found()) out.help.push_back("driver " + matrix.floor(Version(then.version), needs.system) + " or newer: then CUDA " + then.version);
      }
    if (out.help.empty()) out.help.push_back("leave out one of the GPUs");
    return;
  }
  const auto action = matrix.knowledge().actions().find("install-toolkit");
  if (action == matrix.knowledge().actions().end()) return;
  const Fix fix = instantiate(action->second, facts, {{"cuda", Version(out.version).first(2)}}, {});
  out.commands = fix.commands;
  if (!fix.said.empty()) out.notes.push_back(fix.said);
}

void recommend_library(const Matrix& matrix, const Facts& facts, const Needs& needs, const Wish& wish, Recommendation& out) {
  const std::string name = wish.product;
  const auto cuda = cuda_in_use(matrix, facts, needs);
  const Version version(cuda);
  if (cuda.empty()) return void(out.none = "which CUDA it is for is not known");
  out.machine.push_back("CUDA " + cuda);
  const Node* rows = matrix.knowledge().table(name).find("release");
  for (std::size_t i = rows ? rows->items.size() : 0; i-- > 0 && out.version.empty();) {
    const Row row{&rows->items[i]};
    const auto release = row.get(name), where = name + ".toml, release " + release;
    if (!asked(needs, release)) continue;
    const auto list = row.list("cuda");
    const bool serves = std::any_of(list.begin(), list.end(), [&](const auto& one) { return one == cuda || one == std::to_string(version.major()); });
    const auto least = row.get("cc-min");
    const auto card = std::find_if(needs.cards.begin(), needs.cards.end(), [&](const Card& one) { return !least.empty() && one.capability.valid() && compare(one.capability, Version(least)) == Order::less; });
    if (!row.verified()) out.refused.push_back({release, "", Bar::release, "is not verified in the matrix", "", where});
    else if (!serves) out.refused.push_back({release, "", Bar::package, "has no build for CUDA " + std::to_string(version.major()), "CUDA " + cuda, where});
    else if (card != needs.cards.end()) out.refused.push_back({release, "", Bar::gpu, "starts at compute capability " + least, card->shown, where});
    else out.version = row.get("full").empty() ? release : row.get("full"), out.cuda = cuda, out.sure = row.sure();
  }
  if (out.version.empty()) return void((out.none = "no listed release serves CUDA " + cuda + " and all of these GPUs", out.help = {"leave out the oldest GPU, or take another CUDA"}));
  if (version.major() >= 11) out.commands.push_back("python3 -m pip install nvidia-" + name + "-cu" + std::to_string(version.major()) + "==" + safe(out.version));
  for (const Entity* torch : facts.of("torch"))
    if (!torch->is("active", "no") && torch->has(name)) out.notes.push_back("torch " + torch->get("version") + " brings " + name + " " + torch->get(name) + " of its own and takes no other: do not replace it.");
}

void recommend_libtorch(const Matrix& matrix, const Needs& asked_for, Recommendation& out) {
  Needs needs = asked_for;
  needs.python.clear();
  const Node* archives = matrix.knowledge().table("libtorch").find("archive");
  const Node* url = matrix.knowledge().table("libtorch").find("url");
  const auto stands = obstacles(needs);
  const TorchChoice choice = choose_torch(matrix, needs);
  out.refused = stands.empty() ? choice.refusals : stands;
  if (!stands.empty() || !choice.found()) return void((out.none = stands.empty() ? choice.refused : stands.front().why, out.help = {"gpudoctor recommend torch says what would help"}));
  const Node* best = nullptr;
  for (std::size_t i = 0; archives && i < archives->items.size(); ++i) {
    const Node& one = archives->items[i];
    const bool debug = !one.get("build").empty();
    if (debug || one.get("on") != needs.platform || !in_range(one.get("from") + "-" + one.get("to"), choice.torch) || (one.find("tag") && one.get("tag") != choice.tag)) continue;
    if (!best || one.get("abi") == "cxx11") best = &one;
  }
  if (!best || !url) return void((out.none = "there is no official LibTorch archive for " + needs.platform, out.help = {"take torch/lib out of the wheel: gpudoctor recommend torch"}));
  out.version = choice.torch, out.tag = choice.tag, out.cuda = choice.cuda, out.sure = choice.sure && Row{best}.sure();
  const auto address = replaced(replaced(url->get("base") + best->get("name"), "{tag}", safe(choice.tag)), "{torch}", safe(choice.torch));
  out.commands = {"curl -fLO '" + address + "'", "unzip -q '" + replaced(address.substr(address.rfind('/') + 1), "%2B", "%2B") + "'"};
  if (!best->get("note").empty()) out.notes.push_back(std::string(trim(best->get("note"))));
}

}  // namespace gpudoctor
