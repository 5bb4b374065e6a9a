// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "arch_reach.hpp"
#include "builds.hpp"
#include "chooser.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

class TorchChooser {
 public:
  TorchChooser(const Matrix& matrix, const Needs& needs) : matrix_(matrix), needs_(needs) {}

  TorchChoice choose() {
    const bool cuda = any_nvidia(needs_);
    const auto rows = matrix_.torches();
    for (const bool extra : {false, true}) {   // what was published outside the release matrix only if nothing else serves
      choice_.refusals.clear();
      for (auto row = rows.rbegin(); row != rows.rend() && choice_.torch.empty(); ++row) release(*row, cuda, extra);
      if (!choice_.torch.empty() || !cuda) break;
    }
    if (choice_.torch.empty()) choice_.refused = choice_.refusals.empty() ? "the matrix has no such build of PyTorch" : "no published build of PyTorch fits";
    return choice_;
  }

 private:
  bool refuse(const Row& row, const std::string& tag, Bar bar, std::string why, std::string fact, std::string where) {
    choice_.refusals.push_back({row.get("torch"), tag, bar, std::move(why), std::move(fact), std::move(where)});
    return false;
  }

  void release(const Row& row, bool cuda, bool extra) {
    const auto name = row.get("torch"), here = "torch.toml, release " + name;
    if (!asked(needs_, name)) return;
    if (!row.verified()) return void(refuse(row, "", Bar::release, "is not verified in the matrix", "", here));
    if (!in_range(row.get("python"), needs_.python))
      return void(refuse(row, "", Bar::python, "no build for Python " + Version(needs_.python).first(2), "built for " + row.get("python"), here));
    if (needs_.musl) return void(refuse(row, "", Bar::glibc, "needs glibc " + row.get("glibc"), "musl", here));
    if (!cuda) return rocm(row);
    const auto builds = builds_of(matrix_, needs_, row);
    if (builds.empty() && needs_.channel == Channel::conda) return void(refuse(row, "", Bar::release, "the matrix knows no conda build of it", "", "torch.toml, conda-forge"));
    take_best(row, builds, extra);
  }

  /// Of those that serve: what is known of the packages beside it, what the matrix is sure of, what is stable, what runs
  /// without limits, the newest CUDA.
  struct Merit {
    int unknown;
    bool sure, stable, full;
    Version cuda;
    bool operator<(const Merit& other) const {
      const auto flags = std::tuple(-unknown, sure, stable, full), others = std::tuple(-other.unknown, other.sure, other.stable, other.full);
      return flags != others ? flags < others : compare(cuda, other.cuda) == Order::less;
    }
  };

  void take_best(const Row& row, const std::vector<Build>& builds, bool extra) {
    const Build* best = nullptr;
    Merit merit{};
    std::vector<std::string> packages;
    std::vector<std::pair<const Build*, Merit>> fit;
    for (const auto& build : builds) {
      std::vector<std::string> with;
      bool sure = build.sure;
      unknown_ = 0;
      if ((!needs_.tag.empty() && build.tag != needs_.tag) || !serves(row, build, extra, with, sure)) continue;
      const Merit own{unknown_, sure, build.status != "experimental", runs(matrix_, needs_, build.cuda) == Runs::full, build.cuda};
      fit.emplace_back(&build, own);
      if (!best || merit < own) best = &build, merit = own, packages = with;
    }
    if (!best) return;
    for (const auto& [build, own] : fit)
      if (compare(own.cuda, merit.cuda) == Order::greater) behind(row, *build, own, merit);
    choice_.torch = row.get("torch"), choice_.vision = row.get("vision"), choice_.audio = row.get("audio");
    choice_.tag = best->tag, choice_.cuda = best->cuda.text(), choice_.channel = best->channel, choice_.extra = best->extra;
    choice_.sure = merit.sure, choice_.limited = !merit.full, choice_.packages = packages;
  }

  /// Why a build for a newer CUDA that would serve too is not the one taken.
  void behind(const Row& row, const Build& build, const Merit& own, const Merit& best) {
    const auto minor = Version(build.cuda.first(2));
    if (own.unknown > best.unknown) refuse(row, build.tag, Bar::package, "is not known to suit what is wanted beside it", "", "framework.toml");
    else if (!own.sure && best.sure) refuse(row, build.tag, Bar::status, "rests on a row of low confidence", "", build.where);
    else if (!own.stable && best.stable) refuse(row, build.tag, Bar::status, "is experimental", "", build.where);
    else refuse(row, build.tag, Bar::limits, "runs with limits only: its own driver is " + matrix_.own(minor, needs_.numbers), "driver " + needs_.driver.text(), "cuda.toml, release " + minor.text());
  }

  bool serves(const Row& row, const Build& build, bool extra, std::vector<std::string>& packages, bool& sure) {
    const auto no = [&](Bar bar, std::string why, std::string fact, const std::string& where) { return refuse(row, build.tag, bar, std::move(why), std::move(fact), where); };
    if (!build.verified) return no(Bar::release, needs_.channel == Channel::conda ? "its GPUs are not listed in the matrix" : "is not verified in the matrix", "", build.where);
    if (build.status == "extra" && !extra) return no(Bar::status, "was published outside the release matrix", "", build.where);
    if (!build.here) return no(Bar::platform, "no build for " + needs_.platform, needs_.platform, build.where);
    if (needs_.system == "linux" && needs_.glibc.valid() && !build.glibc.empty() && compare(needs_.glibc, Version(build.glibc)) == Order::less)
      return no(Bar::glibc, "needs glibc " + build.glibc, "glibc " + needs_.glibc.text(), build.where);
    for (const auto& card : needs_.cards)
      if (card.capability.valid() && reach_of(build.archs, card.capability, build.cuda, {}) != "runs") return no(Bar::gpu, "no code for compute capability " + card.capability.text(), card.shown, build.where);
    if (!cudnn(row, build)) return false;
    const auto floor = matrix_.floor(build.cuda, needs_.numbers);
    if (runs(matrix_, needs_, build.cuda) == Runs::no) return no(Bar::driver, "needs driver " + floor, "driver " + needs_.driver.text(), floor_row(build.cuda));
    for (const auto& card : needs_.cards)
      if (!needs_.driver.valid() && !floor.empty() && card.capability.valid() && static_cast<long>(Version(floor).major()) > card.last)
        return no(Bar::driver, "needs driver " + floor, card.shown + " ends at branch " + std::to_string(card.last), floor_row(build.cuda));
    if (needs_.packages.empty()) return true;
    const bool inside = build.channel.empty() && bundled(matrix_, row.get("torch"), build.tag);
    return with_packages(row, {row.get("torch"), build.tag, row.get("vision"), row.get("audio"), build.triton, build.cuda, Version(build.cudnn), inside}, packages, sure);
  }

  bool with_packages(const Row& row, const Stack& stack, std::vector<std::string>& packages, bool& sure) {
    for (const auto& package : needs_.packages) {
      const Beside one = beside(matrix_, needs_, package, stack);
      if (one.fits == Fits::no) return refuse(row, stack.tag, Bar::package, one.why, one.fact, one.row);
      if (one.fits == Fits::unknown) ++unknown_;
      if (one.fits == Fits::yes && !one.sure) sure = false;
      if (one.fits == Fits::yes && !one.spec.empty() && package.name != "torchvision" && (!package.installed || package.name == "torchaudio")) packages.push_back(one.spec);
    }
    return true;
  }

  /// The cuDNN inside: below its least compute capability every convolution fails. conda's is chosen apart (Build::extra).
  bool cudnn(const Row& row, const Build& build) {
    if (build.channel == "conda-forge") return true;
    const auto name = Version(build.cudnn).first(3);
    for (const auto& one : matrix_.rows("cudnn", "release")) {
      if (name.empty() || one.get("cudnn") != name || one.get("cc-min").empty() || !one.verified()) continue;
      for (const auto& card : needs_.cards)
        if (card.capability.valid() && compare(card.capability, Version(one.get("cc-min"))) == Order::less)
          return refuse(row, build.tag, Bar::gpu, "its cuDNN " + name + " starts at compute capability " + one.get("cc-min"), card.shown, "cudnn.toml, release " + name);
    }
    return true;
  }

  /// AMD: the tags of a release, newest first; the list of targets of one must hold every GPU's.
  void rocm(const Row& row) {
    auto tags = row.list("rocm");
    std::reverse(tags.begin(), tags.end());
    if (needs_.channel == Channel::conda) return void(refuse(row, "", Bar::platform, "conda has no ROCm build of PyTorch", "", "torch.toml, conda-forge"));
    for (const auto& tag : tags) {
      const Row target = matrix_.rocm(tag);
      const auto where = "torch.toml, rocm " + tag;
      std::vector<std::string> packages;
      bool sure = target.sure() && row.sure();
      if ((!needs_.tag.empty() && tag != needs_.tag) || !choice_.torch.empty()) continue;
      if (!target || !target.verified()) refuse(row, tag, Bar::release, "its targets are not verified in the matrix", "", where);
      else if (needs_.platform != "linux-x86_64") refuse(row, tag, Bar::platform, "no build for " + needs_.platform, needs_.platform, where);
      else if (needs_.glibc.valid() && compare(needs_.glibc, Version(row.get("glibc"))) == Order::less)
        refuse(row, tag, Bar::glibc, "needs glibc " + row.get("glibc"), "glibc " + needs_.glibc.text(), "torch.toml, release " + row.get("torch"));
      else if (const Card* card = lacking(target, row.get("torch"))) refuse(row, tag, Bar::gpu, "no code for " + card->gfx, card->shown, where);
      else if (with_packages(row, {row.get("torch"), tag, row.get("vision"), row.get("audio"), "", {}, {}, true}, packages, sure))
        choice_.torch = row.get("torch"), choice_.vision = row.get("vision"), choice_.audio = row.get("audio"), choice_.tag = tag, choice_.sure = sure, choice_.packages = packages;
    }
  }

  const Card* lacking(const Row& target, const std::string& torch) const {
    const auto gfx = matrix_.rocm_targets(target, torch);
    for (const auto& card : needs_.cards)
      if (std::find(gfx.begin(), gfx.end(), card.gfx) == gfx.end()) return &card;
    return nullptr;
  }

  const Matrix& matrix_;
  const Needs& needs_;
  TorchChoice choice_;
  int unknown_ = 0;   ///< packages of the build at hand that no row tells about
};

}  // namespace

TorchChoice choose_torch(const Matrix& matrix, const Needs& needs) {
  TorchChoice choice;
  if (needs.cards.empty()) return choice.refused = "no GPU of a known kind", choice;
  return TorchChooser(matrix, needs).choose();
}

TorchChoice choose_torch(const Matrix& matrix, const Facts& facts, const std::string& python, const std::string& keep, Channel channel) {
  Needs needs = needs_of(matrix, facts, python);
  needs.release = keep, needs.channel = channel;
  TorchChoice choice = choose_torch(matrix, needs);
  if (!choice.found() && !keep.empty()) return choose_torch(matrix, facts, python, {}, channel);
  if (choice.found() || needs.cards.empty()) return choice;
  if (!any_nvidia(needs)) {
    std::vector<std::string> gfx;
    for (const auto& card : needs.cards) gfx.push_back(card.gfx);
    return choice.refused = "no published ROCm build of PyTorch has code for " + joined(gfx, ", "), choice;
  }
  choice.refused = "no published build of PyTorch has code for these GPUs";
  std::vector<std::string> reasons;
  for (const auto& one : choice.refusals)
    if (one.bar != Bar::release && one.bar != Bar::status && std::find(reasons.begin(), reasons.end(), one.why) == reasons.end()) reasons.push_back(one.why);
  if (reasons.size() > 3) reasons.resize(3);
  if (!reasons.empty()) choice.refused += ": " + joined(reasons, "; ");
  return choice;
}

}  // namespace gpudoctor
