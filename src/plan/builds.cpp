// SPDX-License-Identifier: Apache-2.0
#include "builds.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {
namespace {

std::string between(const Row& row) { return row.get("from") + "-" + row.get("to"); }

std::vector<std::string> archs_of(const Row& row, const std::string& platform) {
  const Node* archs = row.node->find("archs");
  return archs ? arch_words(archs->get(platform)) : std::vector<std::string>();
}

bool is_on(const Row& row, const std::string& platform) {
  const auto on = row.list("on");
  return std::find(on.begin(), on.end(), platform) != on.end();
}

std::vector<Build> pip_builds(const Needs& needs, const Row& release) {
  std::vector<Build> result;
  const Node* variants = release.node->find("variant");
  for (std::size_t i = 0; variants && i < variants->items.size(); ++i) {
    const Row row{&variants->items[i]};
    Build one;
    one.tag = row.get("tag"), one.status = row.get("status"), one.cuda = Version(row.get("cuda"));
    if (!one.tag.starts_with("cu")) continue;
    one.glibc = row.get("glibc").empty() ? release.get("glibc") : row.get("glibc");
    one.cudnn = row.get("cudnn"), one.triton = row.get("triton");
    one.archs = archs_of(row, needs.platform), one.here = is_on(row, needs.platform);
    one.where = "torch.toml, release " + release.get("torch") + " " + one.tag;
    one.verified = row.verified(), one.sure = row.sure() && release.sure();
    if (one.tag == release.get("default") && one.status == "experimental") one.status.clear();   // what PyPI gives everybody
    result.push_back(std::move(one));
  }
  return result;
}

/// The channel `pytorch`, up to 2.5.1: the wheels' arch lists with 6.1 and 3.7+PTX added, which are those of Windows.
void official_builds(const Matrix& matrix, const Needs& needs, const Row& release, std::vector<Build>& result) {
  const Node* conda = matrix.knowledge().table("torch").find("conda");
  const Node* installs = conda ? conda->find("install") : nullptr;
  const auto torch = release.get("torch");
  for (std::size_t i = 0; installs && i < installs->items.size(); ++i) {
    const Row install{&installs->items[i]};
    const Node* cudas = install.node->find("cuda");
    if (!in_range(between(install), torch) || !cudas) continue;
    for (const auto& cuda : cudas->list(Version(torch).first(2))) {
      const auto tag = "cu" + sm_digits(cuda);
      const Row variant = matrix.variant(release, tag);
      Build one;
      one.tag = tag, one.channel = "pytorch", one.cuda = Version(cuda), one.glibc = release.get("glibc");
      one.cudnn = variant.get("cudnn"), one.archs = variant ? archs_of(variant, "windows") : one.archs;
      one.here = needs.platform == "linux-x86_64" || needs.platform == "windows";
      one.verified = variant && variant.verified() && !one.archs.empty(), one.sure = variant.sure() && release.sure();
      one.where = "torch.toml, conda";
      result.push_back(std::move(one));
    }
  }
}

/// conda-forge's cuDNN is as new as the solver finds it; old GPUs need an old one (cudnn.toml, cc-min).
void pin_cudnn(const Matrix& matrix, const Needs& needs, Build& build) {
  std::string below;
  for (const auto& card : needs.cards)
    if (card.capability.valid())
      for (const auto& row : matrix.rows("cudnn", "release")) {
        const auto least = row.get("cc-min");
        if (least.empty() || !row.verified() || compare(card.capability, Version(least)) != Order::less) continue;
        if (below.empty() || compare(Version(row.get("cudnn")), Version(below)) == Order::less) below = Version(row.get("cudnn")).first(2);
        break;
      }
  if (!below.empty()) build.extra.push_back("cudnn<" + below), build.sure = false;
}

void forge_builds(const Matrix& matrix, const Needs& needs, const Row& release, std::vector<Build>& result) {
  for (const auto& row : matrix.rows("torch", "conda-forge")) {
    if (!in_range(row.get("torch"), release.get("torch")) || !row.get("variant").empty()) continue;   // Tegra's are its own
    Build one;
    const auto cuda = needs.system == "windows" && !row.get("cuda-windows").empty() ? row.get("cuda-windows") : row.get("cuda");
    one.tag = "cu" + sm_digits(cuda), one.channel = "conda-forge", one.cuda = Version(cuda);
    one.glibc = row.get("glibc"), one.archs = archs_of(row, needs.platform), one.here = is_on(row, needs.platform);
    one.verified = row.verified() && !one.archs.empty(), one.sure = row.sure();
    one.where = "torch.toml, conda-forge for CUDA " + cuda;
    pin_cudnn(matrix, needs, one);
    result.push_back(std::move(one));
  }
}

}  // namespace

/// torch.toml, wheels: what requires no wheel of NVIDIA's carries the libraries itself.
bool bundled(const Matrix& matrix, const std::string& torch, const std::string& tag) {
  for (const auto& row : matrix.rows("torch", "wheels")) {
    const auto tags = row.list("tags");
    if (in_range(between(row), torch) && (tags.empty() || std::find(tags.begin(), tags.end(), tag) != tags.end())) return row.list("names").empty();
  }
  return false;
}

std::vector<Build> builds_of(const Matrix& matrix, const Needs& needs, const Row& release) {
  if (needs.channel == Channel::pip) return pip_builds(needs, release);
  std::vector<Build> result;
  official_builds(matrix, needs, release, result);
  forge_builds(matrix, needs, release, result);
  return result;
}

}  // namespace gpudoctor
