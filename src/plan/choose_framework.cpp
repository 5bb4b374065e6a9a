// SPDX-License-Identifier: Apache-2.0
// TensorFlow, JAX and vLLM, as far as framework.toml goes. What a row leaves out is said, never guessed.
#include <algorithm>

#include "chooser.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

bool reaches(const std::vector<std::string>& archs, const Version& cc) {
  return std::any_of(archs.begin(), archs.end(), [&cc](const auto& word) {
    const Version arch(cc_of_sm(word));
    const bool older = arch.major() < cc.major() || (arch.major() == cc.major() && arch.minor() <= cc.minor());
    return word.starts_with("compute_") ? older : arch.major() == cc.major() && older;
  });
}

std::string newest_of(const std::string& versions) {
  const auto dash = versions.find('-');
  const auto last = dash == std::string::npos ? versions : versions.substr(dash + 1);
  return last.empty() ? versions.substr(0, dash) + " or newer" : last;
}

/// vLLM pins one torch a release: the newest whose torch fits.
void vllm(const Matrix& matrix, const Facts& facts, Needs needs, const Wish& wish, Machine::World world, Recommendation& out) {
  Wish torch = wish;
  torch.product = "torch", torch.with.push_back("vllm"), torch.version.clear();
  needs.packages.push_back({"vllm", needs.release, false});
  needs.release.clear(), needs.tag.clear();
  recommend_torch(matrix, facts, needs, torch, world, out);
  if (!out.found()) return;
  std::string said;
  needs.packages.clear();
  fits(matrix, needs, {"vllm", wish.version, false}, out.version, Version(out.cuda), out.tag, said);
  out.notes.push_back("It is built for torch " + out.version + "+" + out.tag + ".");
  out.version = said.substr(said.find("==") == std::string::npos ? 0 : said.find("==") + 2);
}

}  // namespace

void recommend_framework(const Matrix& matrix, const Facts& facts, const Needs& needs, const Wish& wish, Machine::World world, Recommendation& out) {
  const std::string name = wish.product;
  if (name == "vllm") return vllm(matrix, facts, needs, wish, world, out);
  if (!any_nvidia(needs)) return void((out.none = "there is no NVIDIA GPU that is known", out.help = {"without a GPU: python3 -m pip install " + name}));
  if (const auto stands = obstacles(needs); !stands.empty()) return void((out.none = stands.front().why, out.refused = stands, out.help = {"gpudoctor recommend driver"}));
  const Node* rows = matrix.knowledge().table("framework").find("release");
  for (std::size_t i = rows ? rows->items.size() : 0; i-- > 0 && out.version.empty();) {
    const Row row{&rows->items[i]};
    if (row.get("framework") != name) continue;
    const auto versions = row.get("versions"), where = "framework.toml, " + name + " " + versions;
    if (!needs.release.empty() && !in_range(versions, needs.release)) continue;
    const auto no = [&](Bar bar, std::string why, std::string fact) { out.refused.push_back({versions, "", bar, std::move(why), std::move(fact), where}); };
    if (!row.verified()) { no(Bar::release, "is not verified in the matrix", ""); continue; }
    if (!in_range(row.get("python"), needs.python)) { no(Bar::python, "no build for Python " + Version(needs.python).first(2), "built for " + row.get("python")); continue; }
    const Version cuda(row.get("cuda").empty() ? row.get("cuda-min") : row.get("cuda"));
    if (cuda.valid() && runs(matrix, needs, cuda) == Runs::no) { no(Bar::driver, "needs driver " + matrix.floor(cuda, needs.system), "driver " + needs.driver.text()); continue; }
    const auto archs = arch_words(row.get("archs"));
    const auto card = std::find_if(needs.cards.begin(), needs.cards.end(), [&](const Card& one) { return !archs.empty() && one.capability.valid() && !reaches(archs, one.capability); });
    if (card != needs.cards.end()) { no(Bar::gpu, "no code for compute capability " + card->capability.text(), card->shown); continue; }
    out.version = newest_of(versions), out.cuda = cuda.text(), out.sure = row.sure() && !archs.empty() && !row.get("python").empty();
    if (archs.empty()) out.notes.push_back("The matrix does not list the GPUs that " + name + " " + versions + " has code for: unknown.");
    if (row.get("python").empty()) out.notes.push_back("The matrix does not list its Pythons: unknown.");
    const bool open = versions.ends_with("-");
    const std::string extra = name == "tensorflow" ? "[and-cuda]" : cuda.major() >= 13 ? "[cuda13]" : "[cuda12]";
    out.commands = {"python3 -m pip install '" + name + extra + (open ? ">=" + versions.substr(0, versions.size() - 1) : "==" + newest_of(versions) + ".*") + "'"};
  }
  if (out.version.empty()) out.none = "no listed release of " + name + " fits", out.help = {"see the reasons: another Python, a newer driver, or leave out the GPU that is named"};
}

}  // namespace gpudoctor
