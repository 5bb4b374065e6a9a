// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "chooser.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

bool has_kernels(const std::vector<std::string>& archs, const Version& cc) {
  const bool tegra = cc.text() == "8.7" || cc.text() == "7.2" || cc.text() == "5.3" || cc.text() == "6.2" || cc.text() == "11.0";
  return std::any_of(archs.begin(), archs.end(), [&](const auto& word) {
    if (!word.starts_with("sm_")) return false;
    const Version arch(cc_of_sm(word));
    return arch.major() == cc.major() && (tegra ? arch.minor() == cc.minor() : arch.minor() <= cc.minor());
  });
}

bool asked(const Needs& needs, const std::string& release) {
  return needs.release.empty() || release == needs.release || release.starts_with(needs.release + ".");
}

class TorchChooser {
 public:
  TorchChooser(const Matrix& matrix, const Needs& needs) : matrix_(matrix), needs_(needs) {}

  TorchChoice choose() {
    const bool cuda = any_nvidia(needs_);
    for (const bool extra : {false, true}) {   // what was published outside the release matrix only if nothing else serves
      choice_.refusals.clear();
      const auto rows = matrix_.torches();
      for (auto row = rows.rbegin(); row != rows.rend() && choice_.torch.empty(); ++row) release(*row, cuda, extra);
      if (!choice_.torch.empty() || !cuda) break;
    }
    if (choice_.torch.empty()) choice_.refused = "no published build of PyTorch fits";
    return choice_;
  }

 private:
  void refuse(const Row& row, const std::string& tag, Bar bar, std::string why, std::string fact, std::string where) {
    choice_.refusals.push_back({row.get("torch"), tag, bar, std::move(why), std::move(fact), std::move(where)});
  }

  void release(const Row& row, bool cuda, bool extra) {
    const auto name = row.get("torch");
    const auto here = "torch.toml, release " + name;
    if (!asked(needs_, name)) return;
    if (!row.verified()) return refuse(row, "", Bar::release, "is not verified in the matrix", "", here);
    if (!in_range(row.get("python"), needs_.python))
      return refuse(row, "", Bar::python, "no build for Python " + Version(needs_.python).first(2), "built for " + row.get("python"), here);
    if (!cuda) return rocm(row);
    const Node* variants = row.node->find("variant");
    TorchChoice best;
    std::pair<bool, Version> best_of{false, {}};
    std::vector<std::pair<Row, Runs>> fit;
    for (std::size_t i = 0; variants && i < variants->items.size(); ++i) {
      const Row variant{&variants->items[i]};
      const auto tag = variant.get("tag");
      if (!tag.starts_with("cu") || (!needs_.tag.empty() && tag != needs_.tag)) continue;
      std::vector<std::string> packages;
      if (!serves(row, variant, extra, packages)) continue;
      const Version version(variant.get("cuda"));
      const Runs how = runs(matrix_, needs_, version);
      fit.emplace_back(variant, how);
      const bool full = how == Runs::full;
      const bool better = best.tag.empty() || (full && !best_of.first) || (full == best_of.first && compare(best_of.second, version) == Order::less);
      if (!better) continue;
      best.torch = name, best.vision = row.get("vision"), best.audio = row.get("audio"), best.tag = tag, best.cuda = version.text();
      best.sure = variant.sure() && row.sure(), best.limited = !full, best.packages = packages;
      best_of = {full, version};
    }
    if (best.tag.empty()) return;
    for (const auto& [variant, how] : fit)
      if (compare(Version(variant.get("cuda")), best_of.second) == Order::greater)
        refuse(row, variant.get("tag"), Bar::limits, "runs with limits only: its own driver is " + matrix_.own(Version(Version(variant.get("cuda")).first(2)), needs_.system), "driver " + needs_.driver.text(),
               "cuda.toml, release " + Version(variant.get("cuda")).first(2));
    best.refusals = std::move(choice_.refusals);
    choice_ = std::move(best);
  }

  bool serves(const Row& row, const Row& variant, bool extra, std::vector<std::string>& packages) {
    const auto tag = variant.get("tag");
    const auto here = "torch.toml, release " + row.get("torch") + " " + tag;
    const auto no = [&](Bar bar, std::string why, std::string fact, std::string where) { return refuse(row, tag, bar, std::move(why), std::move(fact), std::move(where)), false; };
    if (!variant.verified()) return no(Bar::release, "is not verified in the matrix", "", here);
    if (variant.get("status") == "extra" && !extra) return no(Bar::status, "was published outside the release matrix", "", here);
    const auto platforms = variant.list("on");
    if (std::find(platforms.begin(), platforms.end(), needs_.platform) == platforms.end()) return no(Bar::platform, "no build for " + needs_.platform, needs_.platform, here);
    const auto glibc = variant.get("glibc").empty() ? row.get("glibc") : variant.get("glibc");
    if (needs_.system == "linux" && needs_.glibc.valid() && !glibc.empty() && compare(needs_.glibc, Version(glibc)) == Order::less)
      return no(Bar::glibc, "needs glibc " + glibc, "glibc " + needs_.glibc.text(), here);
    const Node* archs = variant.node->find("archs");
    const auto words = archs ? arch_words(archs->get(needs_.platform)) : std::vector<std::string>();
    for (const auto& card : needs_.cards)
      if (card.capability.valid() && !has_kernels(words, card.capability)) return no(Bar::gpu, "no code for compute capability " + card.capability.text(), card.shown, here);
    if (!cudnn(row, variant)) return false;
    const Version cuda(variant.get("cuda"));
    const auto floor = matrix_.floor(cuda, needs_.system);
    const auto floors = "cuda.toml, floor of CUDA " + (cuda.major() < 11 ? cuda.first(2) : std::to_string(cuda.major()));
    if (runs(matrix_, needs_, cuda) == Runs::no) return no(Bar::driver, "needs driver " + floor, "driver " + needs_.driver.text(), floors);
    for (const auto& card : needs_.cards)
      if (!needs_.driver.valid() && !floor.empty() && card.capability.valid() && static_cast<long>(Version(floor).major()) > card.last)
        return no(Bar::driver, "needs driver " + floor, card.shown + " ends at branch " + std::to_string(card.last), floors);
    for (const auto& package : needs_.packages) {
      std::string said;
      const Fits fit = fits(matrix_, needs_, package, row.get("torch"), cuda, tag, said);
      if (fit == Fits::no) return no(Bar::package, "no release of " + package.name + (package.version.empty() ? "" : " " + package.version) + " goes with it", said, "framework.toml, " + package.name);
      if (fit == Fits::yes && !package.installed) packages.push_back(said);
    }
    return true;
  }

  /// The cuDNN inside: below its least compute capability every convolution fails.
  bool cudnn(const Row& row, const Row& variant) {
    const Node* releases = matrix_.knowledge().table("cudnn").find("release");
    const auto name = Version(variant.get("cudnn")).first(3);
    for (std::size_t i = 0; releases && !name.empty() && i < releases->items.size(); ++i) {
      const Row one{&releases->items[i]};
      if (one.get("cudnn") != name || one.get("cc-min").empty() || !one.verified()) continue;
      for (const auto& card : needs_.cards)
        if (card.capability.valid() && compare(card.capability, Version(one.get("cc-min"))) == Order::less)
          return refuse(row, variant.get("tag"), Bar::gpu, "its cuDNN " + name + " starts at compute capability " + one.get("cc-min"), card.shown, "cudnn.toml, release " + name), false;
    }
    return true;
  }

  /// AMD: the tags of a release, newest first; the list of targets of one must hold every GPU's.
  void rocm(const Row& row) {
    auto tags = row.list("rocm");
    std::reverse(tags.begin(), tags.end());
    for (const auto& tag : tags) {
      const Row target = matrix_.rocm(tag);
      const auto where = "torch.toml, rocm " + tag;
      if ((!needs_.tag.empty() && tag != needs_.tag) || !choice_.torch.empty()) continue;
      if (!target || !target.verified()) refuse(row, tag, Bar::release, "its targets are not verified in the matrix", "", where);
      else if (needs_.platform != "linux-x86_64") refuse(row, tag, Bar::platform, "no build for " + needs_.platform, needs_.platform, where);
      else if (needs_.glibc.valid() && compare(needs_.glibc, Version(row.get("glibc"))) == Order::less)
        refuse(row, tag, Bar::glibc, "needs glibc " + row.get("glibc"), "glibc " + needs_.glibc.text(), "torch.toml, release " + row.get("torch"));
      else if (const Card* card = lacking(target, row.get("torch"))) refuse(row, tag, Bar::gpu, "no code for " + card->gfx, card->shown, where);
      else choice_.torch = row.get("torch"), choice_.vision = row.get("vision"), choice_.audio = row.get("audio"), choice_.tag = tag, choice_.sure = target.sure() && row.sure();
    }
  }

  const Card* lacking(const Row& target, const std::string& torch) const {
    const auto gfx = target.list("gfx");
    const Node* lacks = target.node->find("lacks");
    const auto less = lacks ? lacks->list(Version(torch).first(2)) : std::vector<std::string>();
    for (const auto& card : needs_.cards)
      if (std::find(gfx.begin(), gfx.end(), card.gfx) == gfx.end() || std::find(less.begin(), less.end(), card.gfx) != less.end()) return &card;
    return nullptr;
  }

  const Matrix& matrix_;
  const Needs& needs_;
  TorchChoice choice_;
};

}  // namespace

TorchChoice choose_torch(const Matrix& matrix, const Needs& needs) {
  TorchChoice choice;
  if (needs.cards.empty()) return choice.refused = "no GPU of a known kind", choice;
  return TorchChooser(matrix, needs).choose();
}

TorchChoice choose_torch(const Matrix& matrix, const Facts& facts, const std::string& python, const std::string& keep) {
  Needs needs = needs_of(facts, python);
  needs.release = keep;
  TorchChoice choice = choose_torch(matrix, needs);
  if (!choice.found() && !keep.empty()) return choose_torch(matrix, facts, python);
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
