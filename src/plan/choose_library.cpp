// SPDX-License-Identifier: Apache-2.0
// cuDNN and NCCL.
#include <algorithm>

#include "chooser.hpp"
#include "environment.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// The torch of the active environment.
const Entity* active_torch(const Question& question) {
  for (const Entity* torch : question.facts.of("torch"))
    if (question.env && question.facts.nearest(*torch, "env") == question.env && !torch->is("active", "no")) return torch;
  return nullptr;
}

/// What it is for: a package that was asked for, the active torch, the toolkit that builds take, else the newest CUDA that
/// makes code for the GPUs and that the driver runs without limits.
std::string cuda_in_use(const Question& question, std::string& why) {
  for (const auto& package : question.needs.packages)
    if (const Version cuda = cuda_of(question.matrix, question.needs, package); cuda.valid() && !package.installed) return why = package.name, cuda.first(2);
  if (const Entity* torch = active_torch(question); torch && torch->has("cuda")) return why = "torch " + torch->get("version"), torch->version("cuda").first(2);
  if (const Entity* host = question.facts.find("host"); host && host->has("nvcc_release")) return why = "nvcc here", host->get("nvcc_release");
  Wish wish = question.wish;
  wish.product = "cuda";
  Question cuda{question.matrix, question.facts, wish, question.world, question.needs, nullptr};
  cuda.needs.release.clear(), cuda.needs.tag.clear(), cuda.needs.packages.clear();
  Recommendation then;
  recommend_cuda(cuda, then);
  return why = "the newest that fits here", Version(then.version).first(2);
}

std::string package_of(const std::string& product, const Version& cuda) { return "nvidia-" + product + "-cu" + std::to_string(cuda.major()); }

/// A torch requires one release of each exactly: in its environment that is the answer.
bool pinned(const Question& question, Recommendation& out) {
  const Entity* torch = active_torch(question);
  const auto& name = question.wish.product;
  if (!torch || !torch->has(name) || !question.needs.release.empty()) return false;
  out.version = torch->get(name), out.cuda = torch->version("cuda").first(2);
  out.notes.push_back("torch " + torch->get("version") + " in this environment brings it and takes no other: there is nothing to install.");
  return true;
}

}  // namespace

void recommend_library(const Question& question, Recommendation& out) {
  const auto& name = question.wish.product;
  const Needs& needs = question.needs;
  if (needs.system == "windows" && name == "nccl") return void((out.none = "NCCL is for Linux only", out.help = {"WSL 2, which has it"}));
  if (const Entity* host = question.facts.find("host"); host && host->has("jetson"))
    return void((out.none = "On a Jetson it comes with JetPack.", out.help = {"another JetPack: gpudoctor matrix jetson"}));
  if (!any_nvidia(needs)) return void((out.none = "there is no NVIDIA GPU that is known", out.help = {"--assume-gpu NAME, to ask for another machine"}));
  if (const auto stands = obstacles(question.matrix, needs); !stands.empty()) {
    out.none = stands.front().why, out.refused = stands;
    return driver_help(question, out);
  }
  std::string why;
  const auto cuda = cuda_in_use(question, why);
  const Version version(cuda);
  if (cuda.empty()) return void((out.none = "which CUDA it is for is not known", out.help = {"--with torch, --with cuda==12.8"}));
  out.machine.push_back("for CUDA " + cuda + " (" + why + ")");
  const bool pins = pinned(question, out);
  const auto rows = question.matrix.rows(name, "release");
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const auto release = row->get(name), where = name + ".toml, release " + release;
    if (!pins && !out.version.empty()) break;
    if (!asked(needs, release) && !asked(needs, row->get("full"))) continue;
    if (pins) {
      if (compare(Version(release), Version(Version(out.version).first(3))) != Order::greater) break;
      out.refused.push_back({release, "", Bar::package, "is not the one that this torch was built with", name + " " + out.version, "torch.toml, release"});
      continue;
    }
    const auto list = row->list("cuda");
    const bool serves = std::any_of(list.begin(), list.end(), [&](const auto& one) { return one == cuda || one == std::to_string(version.major()); });
    const auto least = row->get("cc-min");
    const auto card = std::find_if(needs.cards.begin(), needs.cards.end(), [&](const Card& one) { return !least.empty() && one.capability.valid() && compare(one.capability, Version(least)) == Order::less; });
    const auto no = [&](Bar bar, std::string says, std::string fact, std::string in) { out.refused.push_back({release, "", bar, std::move(says), std::move(fact), std::move(in)}); };
    Beside suits{Fits::yes, {}, {}, {}, {}, true};
    for (const auto& package : needs.packages)   // one cuDNN serves all of an environment
      for (const auto& one : rows_of(question.matrix, package)) {
        const auto wants = one.get("cudnn").empty() ? one.get("cudnn-min") : one.get("cudnn");
        if (name != "cudnn" || wants.empty() || !one.verified()) continue;
        if (Version(wants).major() != Version(release).major() || (Version(wants).parts().size() > 1 && Version(release).minor() < Version(wants).minor()))
          suits = {Fits::no, {}, package.name + " wants cuDNN " + wants + " or newer of its major", package.name + " " + one.get("versions"), "framework.toml, " + package.name, true};
        break;
      }
    if (!row->verified()) no(Bar::release, "is not verified in the matrix", "", where);
    else if (!serves) no(Bar::package, "has no build for CUDA " + std::to_string(version.major()), "CUDA " + cuda, where);
    else if (card != needs.cards.end()) no(Bar::gpu, "starts at compute capability " + least, card->shown, where);
    else if (suits.fits == Fits::no) no(Bar::package, suits.why, suits.fact, suits.row);
    else out.version = row->get("full").empty() ? release : row->get("full"), out.cuda = cuda, out.sure = out.sure && row->sure();
  }
  if (out.version.empty()) {
    out.none = out.refused.empty() ? not_listed(question) : "no listed release serves CUDA " + cuda + " and all of these GPUs";
    for (std::size_t i = 0; needs.cards.size() > 1 && i < needs.cards.size(); ++i) out.help.push_back("leave out " + needs.cards[i].shown);
    if (!needs.release.empty()) out.help.insert(out.help.begin(), "another release than " + needs.release);
    if (out.help.empty()) out.help.push_back("another CUDA: --with cuda==11.8");
    return;
  }
  if (pins) return;
  const Place place = place_of(question);
  if (channel_of(place.managers) == Channel::conda)
    out.notes.push_back("The matrix does not know which " + name + " conda-forge has for CUDA " + cuda + ": conda's solver takes what its packages ask for.");
  else if (version.major() < 11) out.notes.push_back("There is no wheel of it for CUDA " + std::to_string(version.major()) + ": take NVIDIA's archive.");
  else if (needs.musl) out.notes.push_back("Its wheels need glibc: there is none for musl.");
  else out.commands = {install_line(place, {package_of(name, version) + "==" + out.version})};
}

}  // namespace gpudoctor
