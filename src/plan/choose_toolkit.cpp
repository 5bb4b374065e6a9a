// SPDX-License-Identifier: Apache-2.0
// The CUDA toolkit.
#include <algorithm>

#include "chooser.hpp"
#include "environment.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

class ToolkitChooser {
 public:
  explicit ToolkitChooser(const Question& question, bool heed_torch = true) : question_(question), matrix_(question.matrix), needs_(question.needs) {
    if (!heed_torch) return;
    for (const Entity* one : question.facts.of("torch"))
      if (one->is("active", "yes") && one->has("cuda")) torch_ = one->version("cuda").first(2);
  }

  void choose(Recommendation& out) const {
    const auto rows = matrix_.rows("cuda", "release");
    for (auto row = rows.rbegin(); row != rows.rend() && out.version.empty(); ++row) {
      const Version cuda(row->get("cuda"));
      if (!asked(needs_, cuda.text()) || !fits(*row, cuda, out)) continue;
      out.version = out.cuda = cuda.text(), out.sure = out.sure && row->sure();
      if (runs(matrix_, needs_, cuda) == Runs::limited) out.notes.push_back("The driver runs it with limits (minor-version compatibility): no PTX made by it.");
    }
  }

 private:
  bool fits(const Row& row, const Version& cuda, Recommendation& out) const {
    const auto where = "cuda.toml, release " + cuda.text();
    const auto no = [&](Bar bar, std::string why, std::string fact, std::string in) { return out.refused.push_back({cuda.text(), "", bar, std::move(why), std::move(fact), std::move(in)}), false; };
    if (!row.verified()) return no(Bar::release, "is not verified in the matrix", "", where);
    if (contains(row.get("note"), "Preview")) return no(Bar::status, "is a preview", "", where);
    if (!torch_.empty() && needs_.release.empty() && cuda.first(2) != torch_) return no(Bar::package, "is not the CUDA of the torch that is here", "torch for CUDA " + torch_, where);
    if (const auto said = by_packages(cuda); said.fits == Fits::no) return no(Bar::package, said.why, said.fact, said.row);
    std::string why, in;
    if (const Card* lacking = by_cards(cuda, why, in)) return no(Bar::gpu, why, lacking->shown, in);
    const Runs how = runs(matrix_, needs_, cuda);
    if (how == Runs::no) return no(Bar::driver, "needs driver " + matrix_.floor(cuda, needs_.numbers), "driver " + needs_.driver.text(), floor_row(cuda));
    const bool own = !torch_.empty() || !needs_.release.empty() || !needs_.packages.empty();
    if (how == Runs::limited && !own) return no(Bar::limits, "runs with limits only: its own driver is " + matrix_.own(Version(cuda.first(2)), needs_.numbers), "driver " + needs_.driver.text(), where);
    return true;
  }

  const Card* by_cards(const Version& cuda, std::string& why, std::string& in) const {
    const Version minor(cuda.first(2));
    for (const auto& card : needs_.cards) {
      const Row cc = card.capability.valid() ? matrix_.capability(card.capability.text()) : Row();
      if (!cc) continue;
      const auto first = cc.get("first-toolkit"), last = cc.get("last-toolkit");
      in = "gpu.toml, compute capability " + card.capability.text();
      if (!last.empty() && compare(minor, Version(last)) == Order::greater) return why = "makes no code for this GPU: the last is " + last, &card;
      if (!first.empty() && compare(minor, Version(first)) == Order::less) return why = "makes no code for this GPU: the first is " + first, &card;
    }
    return nullptr;
  }

  /// What is to be compiled for a package takes that package's CUDA.
  Beside by_packages(const Version& cuda) const {
    for (const auto& package : needs_.packages) {
      if (package.name == "torch") {
        const Version of = cuda_of(matrix_, needs_, package);
        if (of.valid() && of.first(2) != cuda.first(2)) return {Fits::no, {}, "is not the CUDA of torch" + (package.version.empty() ? "" : " " + package.version), "torch for CUDA " + of.first(2), "torch.toml, release", true};
        continue;
      }
      bool any = false, takes = false;
      std::string wants;
      for (const auto& row : rows_of(matrix_, package)) {
        const auto list = row.list(row.node->find("libraries") ? "libraries" : row.node->find("cuda") ? "cuda" : "cuda-min");
        if (list.empty() || !row.verified()) continue;
        any = true, takes = takes || takes_cuda(list, cuda) != Fits::no;
        if (wants.empty()) wants = joined(list, ", ");
      }
      if (any && !takes) return {Fits::no, {}, package.name + (package.version.empty() ? "" : " " + package.version) + " wants another", "CUDA " + wants, "framework.toml, " + package.name, true};
    }
    return {Fits::yes, {}, {}, {}, {}, true};
  }

  const Question& question_;
  const Matrix& matrix_;
  const Needs& needs_;
  std::string torch_;
};

/// nvcc refuses a host compiler that is newer than it knows.
void host_compiler(const Question& question, Recommendation& out) {
  const Entity* host = question.facts.find("host");
  if (!host || !host->has("gcc")) return;
  const Version gcc = host->version("gcc");
  for (const auto& row : question.matrix.rows("compiler", "nvcc")) {
    const Node* range = row.node->find("gcc");
    const Version most(range ? range->get("max") : "");
    if (Version(row.get("cuda")).first(2) != Version(out.version).first(2) || !most.valid() || gcc.major() <= most.major()) continue;
    return out.notes.push_back("Its nvcc takes gcc up to " + std::to_string(most.major()) + "; here it is " + gcc.text() + ". Give it an older one: export NVCC_CCBIN=g++-" + std::to_string(most.major()) + ".");
  }
}

void help(const Question& question, Recommendation& out) {
  const auto attempt = [&](Question changed, const std::string& text) {
    Recommendation other;
    ToolkitChooser(changed).choose(other);
    if (!other.version.empty()) out.help.push_back(text + ": then CUDA " + other.version);
  };
  const Needs& needs = question.needs;
  Recommendation then;
  ToolkitChooser(question, false).choose(then);
  if (!then.version.empty()) out.help.push_back("a torch for another CUDA (gpudoctor recommend torch): then CUDA " + then.version);
  if (!needs.release.empty()) {
    Question changed = question;
    changed.needs.release.clear();
    attempt(changed, "another release than " + needs.release);
  }
  for (std::size_t i = 0; i < needs.packages.size(); ++i) {
    Question changed = question;
    changed.needs.packages.erase(changed.needs.packages.begin() + static_cast<long>(i));
    attempt(changed, "leave out " + needs.packages[i].name);
  }
  if (needs.driver.valid()) {
    Question changed = question;
    changed.needs.driver = {};
    Recommendation newer;
    ToolkitChooser(changed).choose(newer);
    if (!newer.version.empty()) out.help.push_back("driver " + question.matrix.floor(Version(newer.version), needs.numbers) + " or newer: then CUDA " + newer.version);
  }
  for (std::size_t i = 0; needs.cards.size() > 1 && i < needs.cards.size(); ++i) {
    Question changed = question;
    changed.needs.cards.erase(changed.needs.cards.begin() + static_cast<long>(i));
    attempt(changed, "leave out " + needs.cards[i].shown);
  }
  if (out.help.empty()) out.help.push_back("no single change helps");
}

}  // namespace

void recommend_cuda(const Question& question, Recommendation& out) {
  const Needs& needs = question.needs;
  if (const auto stands = obstacles(question.matrix, needs); !stands.empty()) {
    out.none = stands.front().why, out.refused = stands;
    return driver_help(question, out);
  }
  ToolkitChooser(question).choose(out);
  if (out.version.empty()) {
    out.none = out.refused.empty() ? not_listed(question) : "no listed CUDA toolkit makes code for all of these GPUs and runs on this driver";
    return help(question, out);
  }
  for (const auto& package : needs.packages)
    if (rows_of(question.matrix, package).empty() && package.name != "torch") out.notes.push_back("Which CUDA " + package.name + (package.version.empty() ? "" : " " + package.version) + " takes is not in the matrix: unknown.");
  if (!any_nvidia(needs)) out.notes.push_back("No NVIDIA GPU is known here: it compiles, but nothing here runs what it makes.");
  host_compiler(question, out);
  const auto action = question.matrix.knowledge().actions().find("install-toolkit");
  if (action == question.matrix.knowledge().actions().end()) return;
  const Place place = place_of(question);
  Values values = place.values;
  values["cuda"] = safe(Version(out.version).first(2));
  const bool conda = question.wish.installer == "conda";
  const Fix fix = instantiate(action->second, question.facts, values, conda ? std::vector<std::string>{"conda"} : std::vector<std::string>());
  out.commands = fix.commands;
  const Entity* host = question.facts.find("host");
  if (!fix.said.empty()) out.notes.push_back(host && host->has("jetson") ? "On a Jetson CUDA comes with JetPack." : fix.said);
}

}  // namespace gpudoctor
