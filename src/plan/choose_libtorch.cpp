// SPDX-License-Identifier: Apache-2.0
#include "chooser.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// The archive of a release; of two ABIs the new one.
const Node* archive_of(const Question& question, const TorchChoice& choice) {
  const Node* best = nullptr;
  for (const auto& row : question.matrix.rows("libtorch", "archive")) {
    const bool other = !row.get("build").empty() || row.get("on") != question.needs.platform || (row.node->find("tag") && row.get("tag") != choice.tag);
    if (other || !in_range(row.get("from") + "-" + row.get("to"), choice.torch)) continue;
    if (!best || row.get("abi") == "cxx11") best = row.node;
  }
  return best;
}

}  // namespace

void recommend_libtorch(const Question& question, Recommendation& out) {
  Needs needs = question.needs;
  needs.python.clear(), needs.channel = Channel::pip;
  const Node* url = question.matrix.knowledge().table("libtorch").find("url");
  const auto stands = obstacles(question.matrix, needs);
  const TorchChoice choice = choose_torch(question.matrix, needs);
  out.refused = stands.empty() ? choice.refusals : stands;
  if (!stands.empty() || !choice.found()) {
    out.none = stands.empty() ? (choice.refusals.empty() && !needs.cards.empty() ? not_listed(question) : choice.refused) : stands.front().why;
    if (!stands.empty()) return driver_help(question, out);
    return void(out.help.push_back("what gpudoctor recommend torch names"));
  }
  const Node* best = archive_of(question, choice);
  if (!best || !url) return void((out.none = "there is no official LibTorch archive for " + needs.platform, out.help = {"torch/lib of the wheel: gpudoctor recommend torch"}));
  out.version = choice.torch, out.tag = choice.tag, out.cuda = choice.cuda, out.sure = out.sure && choice.sure && Row{best}.sure();
  const auto address = replaced(replaced(url->get("base") + best->get("name"), "{tag}", safe(choice.tag)), "{torch}", safe(choice.torch));
  const auto file = address.substr(address.rfind('/') + 1);
  if (needs.system == "windows") out.commands = {"curl.exe -fLO \"" + address + "\"", "tar -xf \"" + file + "\""};
  else out.commands = {"curl -fLO '" + address + "'", "unzip -q '" + file + "'"};
  if (best->get("abi") == "pre-cxx11") out.notes.push_back("It has the old C++ ABI: compile with -D_GLIBCXX_USE_CXX11_ABI=0.");
  if (best->get("abi") == "cxx11") out.notes.push_back("It has the C++11 ABI, which compilers use by themselves.");
  out.notes.push_back("CMake finds it with -DCMAKE_PREFIX_PATH=$PWD/libtorch.");
}

}  // namespace gpudoctor
