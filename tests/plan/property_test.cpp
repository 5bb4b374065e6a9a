// SPDX-License-Identifier: Apache-2.0
// Many machines from one seed: what is recommended must pass an oracle of the test's own (oracle.hpp); the rules must find
// no error in it; what is refused must violate a row. GPUDOCTOR_PROPERTY=20000 for more machines.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "chooser.hpp"
#include "examples.hpp"
#include "judge.hpp"
#include "oracle.hpp"

using namespace gpudoctor;
using test::Case;

namespace {

Case generate(std::mt19937& random) {
  static const std::vector<Case::Gpu> nvidia{
      {"Tesla K80", "3.7", ""}, {"NVIDIA GeForce GTX 980", "5.2", ""}, {"NVIDIA GeForce GTX 1080", "6.1", ""}, {"Tesla P100-PCIE-16GB", "6.0", ""}, {"Tesla V100-SXM2-16GB", "7.0", ""},
      {"Tesla T4", "7.5", ""}, {"NVIDIA A100-SXM4-40GB", "8.0", ""}, {"NVIDIA GeForce RTX 3090", "8.6", ""}, {"NVIDIA GeForce RTX 4090", "8.9", ""}, {"NVIDIA H100 80GB HBM3", "9.0", ""},
      {"NVIDIA B200", "10.0", ""}, {"NVIDIA GeForce RTX 5090", "12.0", ""}, {"NVIDIA GeForce RTX 5050", "12.0", ""}, {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "12.0", ""}};
  static const std::vector<Case::Gpu> amd{{"", "", "gfx803"}, {"", "", "gfx906"}, {"", "", "gfx90a"}, {"", "", "gfx942"}, {"", "", "gfx1010"}, {"", "", "gfx1030"}, {"", "", "gfx1100"}, {"", "", "gfx1151"}, {"", "", "gfx1201"}};
  static const std::vector<std::string> drivers{"", "418.87.00", "440.33.01", "450.51.05", "450.80.02", "460.32.03", "470.82.01", "510.47.03", "515.65.01", "525.60.13", "525.53", "535.183.01", "550.54.15", "560.35.03", "570.86.15", "570.133.07", "575.57.08", "580.65.06", "580.95.05", "590.44.01", "595.45.04"};
  static const std::vector<std::string> of_windows{"", "452.39", "461.33", "472.12", "511.23", "516.01", "527.41", "528.33", "537.58", "551.61", "560.94", "572.16", "576.57", "580.88", "581.80", "591.44", "596.49"};
  static const std::vector<std::string> pythons{"3.6", "3.7.9", "3.8", "3.9", "3.10.12", "3.11", "3.12.3", "3.13", "3.14", "3.15"}, libraries{"2.17", "2.27", "2.28", "2.31", "2.35", "2.39"};
  static const std::vector<std::string> packages{"torchvision", "torchvision==0.22.1", "triton==3.3.1", "xformers", "xformers==0.0.30", "vllm", "vllm==0.11.0", "flash-attn", "bitsandbytes", "bitsandbytes==0.45.5", "tensorflow", "tensorflow==2.20"};
  const auto pick = [&random](const auto& list) { return list[random() % list.size()]; };   // the same everywhere, unlike a distribution
  Case one;
  const auto kind = random() % 20;
  one.system = kind < 2 ? "windows" : kind < 5 ? "wsl" : "linux";
  one.arch = one.system == "linux" && random() % 5 == 0 ? "aarch64" : "x86_64";
  const auto maker = random() % 12;   // AMD alone, both, or NVIDIA alone
  for (std::size_t count = random() % 4 == 0 ? 2 + random() % 2 : 1; one.gpus.size() < count;) one.gpus.push_back(pick(maker < 2 ? amd : nvidia));
  if (maker == 2) one.gpus.push_back(pick(amd));
  one.driver = one.nvidia() ? pick(one.system == "linux" ? drivers : of_windows) : "";
  one.flavour = one.system != "linux" ? "" : random() % 2 == 0 ? "open" : "proprietary";
  one.python = pick(pythons), one.glibc = random() % 15 == 0 ? "musl" : pick(libraries);
  if (random() % 3 == 0) one.with.push_back(one.nvidia() ? pick(packages) : "torchvision==0.22.1");
  if (one.nvidia() && random() % 12 == 0) one.with.push_back("bitsandbytes");
  return one;
}

std::string shown(const Recommendation& said) { return said.found() ? said.version + "+" + said.tag : "none: " + said.none; }

/// Every refusal must stand on something that the oracle sees too.
void refusals_are_right(const test::Oracle& oracle, const Case& machine, const std::vector<test::TorchBuild>& builds, const Recommendation& said) {
  std::map<std::string, std::vector<const test::TorchBuild*>> of_release;
  for (const auto& build : builds) of_release[build.release].push_back(&build);
  for (const auto& no : said.refused)
    for (const auto* build : of_release[no.release]) {
      if (!no.tag.empty() && no.tag != build->tag) continue;
      const auto why = machine.nvidia() ? oracle.against(machine, *build) : oracle.against_rocm(machine, *build);
      const bool status = build->status == "extra" || build->status == "experimental" || build->low;
      const bool unsaid = no.bar == Bar::package && std::any_of(machine.with.begin(), machine.with.end(), [&](const auto& one) { return oracle.beside(machine, *build, one) == "unknown"; });
      // A low row of a package makes the build unsure as well.
      const bool right = no.bar == Bar::status ? status || !machine.with.empty() : no.bar == Bar::limits ? why.empty() : unsaid || why.contains(word(no.bar));
      if (!right) FAIL(no.release, " ", no.tag, " is refused: ", no.why);
    }
}

/// Installed, it raises no error; a driver that is not there is another matter.
void rules_find_no_error(const Case& machine, const Recommendation& said) {
  const auto after = test::derived(test::toml(machine.toml() + "torch = { version = '" + said.version + "+" + said.tag + "', release = '" + said.version + "', tag = '" + said.tag + "' }\n"));
  const auto errors = test::ids(judge(test::knowledge(), after), true);
  const std::string first = errors.empty() ? std::string() : errors.front();
  CAPTURE(first);
  REQUIRE(std::all_of(errors.begin(), errors.end(), [&](const auto& id) { return machine.driver.empty() && id.starts_with("driver-"); }));
  for (const auto* reach : after.of("torch_on_gpu")) {
    const auto* gpu = after.nearest(*reach, "gpu");
    if (gpu && gpu->is("vendor", machine.nvidia() ? "nvidia" : "amd")) REQUIRE(reach->is("reach", "runs"));
  }
}

}  // namespace

TEST_CASE("whatever is recommended serves, and what is refused violates a row") {
  const char* wanted = std::getenv("GPUDOCTOR_PROPERTY");
  const long count = wanted ? std::max(1L, std::atol(wanted)) : 500;
  const test::Oracle oracle;
  const Matrix matrix(test::knowledge());
  std::map<std::string, std::vector<test::TorchBuild>> of_platform;
  for (const char* platform : {"linux-x86_64", "linux-aarch64", "windows"}) of_platform[platform] = oracle.builds(platform);
  const auto rocm = oracle.rocm_builds();
  std::mt19937 random(20261130);
  long found = 0, refused = 0;
  for (long i = 0; i < count; ++i) {
    const Case machine = generate(random);
    const auto text = machine.toml();
    const auto said = recommend(matrix, test::derived(test::toml(text)), {"torch", "", "", "", machine.with}, Machine::World::live);
    std::string with;
    for (const auto& one : machine.with) with += one + " ";
    const std::string answer = shown(said);
    CAPTURE(text);
    CAPTURE(with);
    CAPTURE(answer);
    REQUIRE(said.help.empty() == said.found());
    if (machine.nvidia() && !oracle.driver_serves(machine)) {
      REQUIRE_FALSE(said.found());
      continue;
    }
    const auto& builds = machine.nvidia() ? of_platform[machine.platform()] : rocm;
    std::string newest, newest_extra;   // by the oracle; rows are oldest first
    for (const auto& build : builds) {
      const auto why = machine.nvidia() ? oracle.against(machine, build) : oracle.against_rocm(machine, build);
      if (why.empty()) (build.status == "extra" ? newest_extra : newest) = build.release;
      if (said.version == build.release && said.tag == build.tag) REQUIRE(why.empty());
    }
    refusals_are_right(oracle, machine, builds, said);
    REQUIRE(said.version == (newest.empty() ? newest_extra : newest));
    refused += static_cast<long>(said.refused.size());
    if (!said.found()) continue;
    ++found;
    rules_find_no_error(machine, said);
  }
  CHECK(found > count / 20);
  CHECK(refused > count);
}
