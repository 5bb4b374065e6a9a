// SPDX-License-Identifier: Apache-2.0
// Many machines from one seed: what is recommended must pass an oracle that reads the tables by itself and shares no
// code with src/plan or src/relations; the rules must find no error in it; what is refused must violate a row.
// GPUDOCTOR_PROPERTY=20000 for more machines.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <sstream>

#include "chooser.hpp"
#include "examples.hpp"
#include "judge.hpp"

using namespace gpudoctor;

namespace {

using Numbers = std::vector<long>;

Numbers numbers(const std::string& text) {
  Numbers result;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '.');) result.push_back(std::atol(part.c_str()));
  return result;
}

struct Case {
  std::vector<std::pair<std::string, std::string>> gpus;   // name, compute capability
  std::string driver, flavour, python, glibc, arch;
  std::string toml() const {
    std::string text = "host = { arch = '" + arch + "', glibc = '" + glibc + "' }\ngpu = [";
    for (const auto& gpu : gpus) text += "'" + gpu.first + "', ";
    text += "]\nenv = { path = '/srv/v', manager = 'pip', active = 'yes', python = '" + python + "' }\n";
    return driver.empty() ? text : text + "driver = { loaded = '" + driver + "', flavour = '" + flavour + "' }\n";
  }
};

Case generate(std::mt19937& random) {
  static const std::vector<std::pair<std::string, std::string>> gpus{
      {"Tesla K80", "3.7"}, {"NVIDIA GeForce GTX 980", "5.2"}, {"NVIDIA GeForce GTX 1080", "6.1"}, {"Tesla P100-PCIE-16GB", "6.0"}, {"Tesla V100-SXM2-16GB", "7.0"}, {"Tesla T4", "7.5"},
      {"NVIDIA A100-SXM4-40GB", "8.0"}, {"NVIDIA GeForce RTX 3090", "8.6"}, {"NVIDIA GeForce RTX 4090", "8.9"}, {"NVIDIA H100 80GB HBM3", "9.0"}, {"NVIDIA B200", "10.0"}, {"NVIDIA GeForce RTX 5090", "12.0"}};
  static const std::vector<std::string> drivers{"", "418.87.00", "440.33.01", "450.51.05", "450.80.02", "460.32.03", "470.82.01", "510.47.03", "515.65.01", "525.60.13", "525.53", "535.183.01", "550.54.15", "560.35.03", "570.133.07", "575.57.08", "580.65.06", "580.95.05", "590.44.01", "595.45.04"};
  static const std::vector<std::string> pythons{"3.6", "3.7.9", "3.8", "3.9", "3.10.12", "3.11", "3.12.3", "3.13", "3.14", "3.15"}, libraries{"2.17", "2.27", "2.28", "2.31", "2.35", "2.39"};
  const auto pick = [&random](const auto& list) { return list[random() % list.size()]; };   // the same everywhere, unlike a distribution
  Case one;
  for (std::size_t count = random() % 4 == 0 ? 2 : 1; one.gpus.size() < count;) one.gpus.push_back(pick(gpus));
  one.driver = pick(drivers), one.python = pick(pythons), one.glibc = pick(libraries);
  one.flavour = random() % 2 == 0 ? "open" : "proprietary";
  one.arch = random() % 5 == 0 ? "aarch64" : "x86_64";
  return one;
}

/// The oracle: floors, arch lists, Pythons, glibc, straight from the tables.
struct Oracle {
  const Node& torch = test::documents().at("tables/torch.toml");
  const Node& cuda = test::documents().at("tables/cuda.toml");
  const Node& cudnn = test::documents().at("tables/cudnn.toml");
  const Node& gpu = test::documents().at("tables/gpu.toml");
  const Node& drivers = test::documents().at("tables/driver.toml");

  std::string floor(const std::string& text) const {
    const auto of = numbers(text);
    for (const auto& row : cuda.find("release")->items)
      if (const auto have = numbers(row.get("cuda")); row.find("floor") && have[0] == of[0] && have[1] == of[1]) return row.find("floor")->get("linux");
    for (const auto& row : cuda.find("major")->items)
      if (std::atol(row.get("cuda").c_str()) == of[0]) return row.find("driver")->get("linux");
    return "0";
  }

  const Node& arch(const std::string& cc) const {
    for (const auto& row : drivers.find("arch")->items)
      if (const auto list = row.list("cc"); std::find(list.begin(), list.end(), cc) != list.end()) return row;
    throw std::runtime_error(cc);
  }

  bool driver_serves(const Case& machine) const {
    bool open = false, closed = false;
    long first = 0, last = 9999;
    for (const auto& [name, cc] : machine.gpus) {
      const Node& row = arch(cc);
      for (const auto& own : gpu.find("cc")->items)   // 8.6 came later than its architecture
        if (own.get("cc") == cc) first = std::max(first, std::atol(own.get("first-branch", "0").c_str()));
      first = std::max(first, std::atol(row.get("first-branch", "0").c_str())), last = std::min(last, std::atol(row.get("last-branch", "9999").c_str()));
      open = open || row.get("open") == "required", closed = closed || row.get("open") == "impossible";
    }
    if ((open && closed) || first > last) return false;
    if (machine.driver.empty()) return true;
    const long branch = numbers(machine.driver)[0];
    return branch >= first && branch <= last && !(open && machine.flavour == "proprietary") && !(closed && machine.flavour == "open");
  }

  /// A build as the tables have it, its numbers read once.
  struct Build {
    std::string release, tag;
    bool verified = true, read = true, extra = false, here = true;   // of the release; of the variant
    Numbers from, to, glibc, floor, least;   // least: of its cuDNN
    std::vector<Numbers> archs;
  };
  std::vector<Build> builds(const std::string& arch_name) const {
    std::vector<Build> result;
    const auto platform = "linux-" + arch_name;
    for (const auto& release : torch.find("release")->items)
      for (const auto& variant : release.find("variant")->items) {
        const auto range = release.get("python");
        const auto on = variant.list("on");
        Build one;
        one.release = release.get("torch"), one.tag = variant.get("tag");
        one.verified = release.get("confidence") != "unverified", one.read = variant.get("confidence") != "unverified";
        one.extra = variant.get("status") == "extra", one.here = std::find(on.begin(), on.end(), platform) != on.end();
        one.from = numbers(range.substr(0, range.find('-'))), one.to = numbers(range.substr(range.find('-') + 1));
        one.glibc = numbers(variant.get("glibc", release.get("glibc"))), one.floor = numbers(floor(variant.get("cuda")));
        std::istringstream list(variant.find("archs") ? variant.find("archs")->get(platform) : "");
        for (std::string word; list >> word;) one.archs.push_back(numbers(word));
        for (const auto& row : cudnn.find("release")->items)
          if ((variant.get("cudnn") + ".").starts_with(row.get("cudnn") + ".")) one.least = numbers(row.get("cc-min", "0.0"));
        result.push_back(std::move(one));
      }
    return result;
  }

  /// The first thing that a build violates; "" when it serves.
  std::string against(const Case& machine, const Build& build) const {
    const auto python = numbers(machine.python);
    const Numbers minor{python[0], python[1]};
    if (!build.verified) return "release";
    if (minor < build.from || minor > build.to) return "python";
    if (!build.read) return "release";
    if (!build.here) return "platform";
    if (numbers(machine.glibc) < build.glibc) return "glibc";
    for (const auto& [name, text] : machine.gpus) {
      const auto cc = numbers(text);
      if (std::none_of(build.archs.begin(), build.archs.end(), [&](const auto& one) { return one[0] == cc[0] && one[1] <= cc[1]; })) return "gpu";
      if (cc < build.least) return "gpu";
    }
    if (!machine.driver.empty()) return numbers(machine.driver) < build.floor ? "driver" : "";
    for (const auto& gpu_here : machine.gpus)
      if (build.floor[0] > std::atol(arch(gpu_here.second).get("last-branch", "9999").c_str())) return "driver";
    return {};
  }
};

}  // namespace

TEST_CASE("whatever is recommended serves, and what is refused violates a row") {
  const char* wanted = std::getenv("GPUDOCTOR_PROPERTY");
  const long count = wanted ? std::max(1L, std::atol(wanted)) : 500;
  const Oracle oracle;
  const Matrix matrix(test::knowledge());
  const auto x86 = oracle.builds("x86_64"), arm = oracle.builds("aarch64");
  std::mt19937 random(20261130);
  long found = 0;
  for (long i = 0; i < count; ++i) {
    const Case machine = generate(random);
    const auto text = machine.toml();
    const auto said = recommend(matrix, test::derived(test::toml(text)), {"torch", "", "", "", {}}, Machine::World::live);
    const std::string answer = said.found() ? said.version + "+" + said.tag : "none: " + said.none;
    CAPTURE(text);
    CAPTURE(answer);
    if (!oracle.driver_serves(machine)) {
      REQUIRE_FALSE(said.found());
      REQUIRE_FALSE(said.help.empty());
      continue;
    }
    std::string newest, newest_extra;   // by the oracle; rows are oldest first
    for (const auto& build : machine.arch == "x86_64" ? x86 : arm) {
      const auto why = oracle.against(machine, build);
      if (why.empty()) (build.extra ? newest_extra : newest) = build.release;
      if (said.version == build.release && said.tag == build.tag) REQUIRE(why == "");
      for (const auto& no : said.refused) {
        if (no.release != build.release || (!no.tag.empty() && no.tag != build.tag)) continue;
        const bool right = no.bar == Bar::status ? build.extra : no.bar == Bar::limits ? why.empty() : why == word(no.bar);
        if (!right) FAIL(no.release, " ", no.tag, " is refused: ", no.why, "; by the oracle: ", why);
      }
    }
    REQUIRE(said.version == (newest.empty() ? newest_extra : newest));
    REQUIRE(said.help.empty() == said.found());
    if (!said.found()) continue;
    ++found;
    // Installed, it raises no error; a driver that is not there is another matter.
    const auto after = test::derived(test::toml(text + "torch = { version = '" + said.version + "+" + said.tag + "', release = '" + said.version + "', tag = '" + said.tag + "' }\n"));
    const auto errors = test::ids(judge(test::knowledge(), after), true);
    const std::string first = errors.empty() ? std::string() : errors.front();
    CAPTURE(first);
    REQUIRE(std::all_of(errors.begin(), errors.end(), [&](const auto& id) { return machine.driver.empty() && id.starts_with("driver-"); }));
    const auto* reach = after.of("torch_on_gpu").empty() ? nullptr : after.of("torch_on_gpu").front();
    REQUIRE(reach != nullptr);
    REQUIRE(reach->is("reach", "runs"));
  }
  CHECK(found > count / 20);
}
