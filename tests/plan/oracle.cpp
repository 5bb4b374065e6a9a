// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>

#include "examples.hpp"

namespace gpudoctor::test {
namespace {

Numbers shortened(Numbers all, std::size_t count) {
  if (all.size() > count) all.resize(count);
  return all;
}

/// "3.9-3.13", "2.10-", "2.3": an end counts as far as it is written; an end that is not given is open.
bool inside(const std::string& range, const std::string& text) {
  if (range.empty() || text.empty() || range == text) return true;
  const auto dash = range.find('-');
  const auto from = numbers(range.substr(0, dash)), to = dash == std::string::npos ? from : numbers(range.substr(dash + 1));
  const auto have = numbers(text);
  return (from.empty() || shortened(have, from.size()) >= from) && (to.empty() || shortened(have, to.size()) <= to);
}

bool listed(const std::vector<std::string>& list, const std::string& one) { return std::find(list.begin(), list.end(), one) != list.end(); }

const std::vector<Node>& items(const Node& table, const char* list) {
  static const std::vector<Node> none;
  const Node* found = table.find(list);
  return found ? found->items : none;
}

}  // namespace

Numbers numbers(const std::string& text) {
  Numbers result;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '.');) result.push_back(std::atol(part.c_str()));
  return result;
}

bool Case::nvidia() const {
  return std::any_of(gpus.begin(), gpus.end(), [](const Gpu& gpu) { return gpu.gfx.empty(); });
}

std::string Case::toml() const {
  std::string text = "host = { arch = '" + arch + "'";
  if (system == "windows") text += ", system = 'windows'";
  else text += ", glibc = '" + (glibc == "musl" ? std::string("absent") : glibc) + "'";
  if (system == "wsl") text += ", wsl = '2'";
  text += " }\ngpu = [";
  for (const auto& one : gpus) text += one.gfx.empty() ? "{ name = '" + one.name + "' }, " : "{ vendor = 'amd', gfx = '" + one.gfx + "' }, ";
  text += "]\nenv = { path = '/srv/v', manager = 'pip', active = 'yes', python = '" + python + "' }\n";
  return driver.empty() ? text : text + "driver = { loaded = '" + driver + "'" + (flavour.empty() ? "" : ", flavour = '" + flavour + "'") + " }\n";
}

Oracle::Oracle()
    : torch_(documents().at("tables/torch.toml")), cuda_(documents().at("tables/cuda.toml")), cudnn_(documents().at("tables/cudnn.toml")), gpu_(documents().at("tables/gpu.toml")),
      driver_(documents().at("tables/driver.toml")), framework_(documents().at("tables/framework.toml")) {}

std::vector<TorchBuild> Oracle::builds(const std::string& platform) const {
  std::vector<TorchBuild> result;
  for (const auto& release : items(torch_, "release"))
    for (const auto& variant : items(release, "variant")) {
      TorchBuild one;
      const auto range = release.get("python"), name = release.get("torch");
      one.release = name, one.tag = variant.get("tag"), one.vision = release.get("vision"), one.triton = variant.get("triton");
      one.status = one.tag == release.get("default") ? "" : variant.get("status");
      one.verified = release.get("confidence") != "unverified" && variant.get("confidence") != "unverified";
      one.low = release.get("confidence") == "low" || variant.get("confidence") == "low";
      for (const auto& on : variant.list("on")) one.on.insert(on);
      one.from = numbers(range.substr(0, range.find('-'))), one.to = numbers(range.substr(range.find('-') + 1));
      one.glibc = numbers(variant.get("glibc", release.get("glibc"))), one.cuda = numbers(variant.get("cuda")), one.cudnn = numbers(variant.get("cudnn"));
      std::istringstream list(variant.find("archs") ? variant.find("archs")->get(platform) : "");
      for (std::string word; list >> word;) one.archs.push_back(numbers(word));
      one.floor = floor(one.cuda, platform == "windows" ? "windows" : "linux"), one.floor_in_wsl = floor(one.cuda, "windows");
      for (const auto& row : items(cudnn_, "release"))
        if (shortened(one.cudnn, 3) == numbers(row.get("cudnn"))) one.least = numbers(row.get("cc-min", "0.0"));
      for (const auto& wheels : items(torch_, "wheels"))
        if (inside(wheels.get("from") + "-" + wheels.get("to"), name) && (wheels.list("tags").empty() || listed(wheels.list("tags"), one.tag))) {
          one.bundled = wheels.list("names").empty();
          break;
        }
      result.push_back(std::move(one));
    }
  return result;
}

std::vector<TorchBuild> Oracle::rocm_builds() const {
  std::vector<TorchBuild> result;
  for (const auto& release : items(torch_, "release"))
    for (const auto& tag : release.list("rocm")) {
      TorchBuild one;
      const auto range = release.get("python");
      one.release = release.get("torch"), one.tag = tag, one.verified = release.get("confidence") != "unverified", one.vision = release.get("vision");
      one.from = numbers(range.substr(0, range.find('-'))), one.to = numbers(range.substr(range.find('-') + 1));
      one.glibc = numbers(release.get("glibc")), one.on = {"linux-x86_64"};
      result.push_back(std::move(one));
    }
  return result;
}

Numbers Oracle::floor(const Numbers& cuda, const std::string& system) const {
  for (const auto& row : items(cuda_, "release"))
    if (const auto have = numbers(row.get("cuda")); row.find("floor") && have[0] == cuda[0] && have[1] == cuda[1]) return numbers(row.find("floor")->get(system));
  for (const auto& row : items(cuda_, "major"))
    if (std::atol(row.get("cuda").c_str()) == cuda[0]) return numbers(row.find("driver")->get(system));
  return {};
}

const Node& Oracle::arch(const std::string& capability) const {
  for (const auto& row : items(driver_, "arch"))
    if (listed(row.list("cc"), capability)) return row;
  throw std::runtime_error(capability);
}

/// 581.80 of Windows is of branch 580, as 581 is none of its own.
long Oracle::branch(const Case& machine) const {
  const long number = numbers(machine.driver)[0];
  long below = 0;
  for (const auto& row : items(driver_, "branch"))
    if (const long one = std::atol(row.get("branch").c_str()); one <= number) below = std::max(below, one);
  return machine.system == "linux" ? number : below;
}

bool Oracle::knows_device(const Case::Gpu& gpu, const Numbers& driver) const {
  for (const auto& row : items(driver_, "first")) {
    if (row.get("name") != gpu.name) continue;
    long newest = 0;
    for (const auto& [branch, version] : row.find("first")->fields) {
      newest = std::max(newest, std::atol(branch.c_str()));
      if (std::atol(branch.c_str()) == driver[0]) return driver >= numbers(version.text);
    }
    return driver[0] > newest;
  }
  return true;
}

bool Oracle::driver_serves(const Case& machine) const {
  bool open = false, closed = false;
  long first = 0, last = 9999;
  for (const auto& gpu : machine.gpus) {
    if (!gpu.gfx.empty()) continue;
    const Node& row = arch(gpu.capability);
    for (const auto& own : items(gpu_, "cc"))   // 8.6 came later than its architecture
      if (own.get("cc") == gpu.capability) first = std::max(first, std::atol(own.get("first-branch", "0").c_str()));
    first = std::max(first, std::atol(row.get("first-branch", "0").c_str())), last = std::min(last, std::atol(row.get("last-branch", "9999").c_str()));
    open = open || row.get("open") == "required", closed = closed || row.get("open") == "impossible";
  }
  const bool native = machine.system == "linux";
  if ((native && open && closed) || first > last) return false;
  if (machine.driver.empty()) return true;
  const auto driver = numbers(machine.driver);
  const long of = branch(machine);
  if (of < first || of > last) return false;
  if (!native) return true;
  if ((open && machine.flavour == "proprietary") || (closed && machine.flavour == "open")) return false;
  return std::all_of(machine.gpus.begin(), machine.gpus.end(), [&](const auto& gpu) { return !gpu.gfx.empty() || knows_device(gpu, driver); });
}

std::set<std::string> Oracle::against(const Case& machine, const TorchBuild& build) const {
  std::set<std::string> result;
  const auto python = shortened(numbers(machine.python), 2);
  const std::string system = machine.system == "windows" ? "windows" : "linux";
  if (!build.verified) result.insert("release");
  if (python < build.from || python > build.to) result.insert("python");
  if (!build.on.contains(machine.platform())) result.insert("platform");
  if (system == "linux" && (machine.glibc == "musl" || numbers(machine.glibc) < build.glibc)) result.insert("glibc");
  for (const auto& gpu : machine.gpus) {
    if (!gpu.gfx.empty()) continue;
    const auto cc = numbers(gpu.capability);
    if (std::none_of(build.archs.begin(), build.archs.end(), [&](const auto& one) { return one[0] == cc[0] && one[1] <= cc[1]; }) || cc < build.least) result.insert("gpu");
    const auto& floor = machine.system == "wsl" ? build.floor_in_wsl : build.floor;   // its driver is that of Windows
    if (machine.driver.empty() && !floor.empty() && floor[0] > std::atol(arch(gpu.capability).get("last-branch", "9999").c_str())) result.insert("driver");
  }
  if (!machine.driver.empty() && numbers(machine.driver) < (machine.system == "wsl" ? build.floor_in_wsl : build.floor)) result.insert("driver");
  for (const auto& wanted : machine.with)
    if (beside(machine, build, wanted) == "no") result.insert("package");
  return result;
}

std::set<std::string> Oracle::against_rocm(const Case& machine, const TorchBuild& build) const {
  std::set<std::string> result;
  const auto python = shortened(numbers(machine.python), 2);
  if (!build.verified) result.insert("release");
  if (python < build.from || python > build.to) result.insert("python");
  if (machine.platform() != "linux-x86_64") result.insert("platform");
  if (machine.system != "windows" && (machine.glibc == "musl" || numbers(machine.glibc) < build.glibc)) result.insert("glibc");
  std::vector<std::string> targets;
  for (const auto& row : items(torch_, "rocm"))
    if (row.get("tag") == build.tag) {
      targets = row.list("gfx");
      if (const Node* lacks = row.find("lacks"))
        for (const auto& less : lacks->list(build.release.substr(0, build.release.rfind('.')))) std::erase(targets, less);
    }
  for (const auto& gpu : machine.gpus)
    if (!listed(targets, gpu.gfx)) result.insert("gpu");
  for (const auto& wanted : machine.with)
    if (wanted.starts_with("torchvision==") && wanted.substr(13) != build.vision) result.insert("package");
  return result;
}

std::string Oracle::row_beside(const Case& machine, const TorchBuild& build, const Node& row) const {
  const auto name = row.get("framework"), versions = row.get("versions");
  const auto newest = versions.ends_with("-") ? versions.substr(0, versions.size() - 1) : versions.substr(versions.find('-') == std::string::npos ? 0 : versions.find('-') + 1);
  if (row.get("confidence") == "unverified") return "unknown";
  const Node* platform = nullptr;
  for (const auto& one : items(framework_, "platform"))
    if (one.get("framework") == name && inside(one.get("versions"), newest)) platform = &one;
  if (!inside(row.get("python"), machine.python) || (platform && !listed(platform->list("on"), machine.platform()))) return "no";
  if (platform && !platform->get("glibc").empty() && machine.system != "windows" && (machine.glibc == "musl" || numbers(machine.glibc) < numbers(platform->get("glibc")))) return "no";
  const auto torches = row.list("torch");
  if (!torches.empty() && std::none_of(torches.begin(), torches.end(), [&](const auto& one) { return inside(one, build.release); })) return "no";
  if (!row.get("torch-min").empty() && numbers(build.release) < numbers(row.get("torch-min"))) return "no";
  if (!row.list("tags").empty() && !listed(row.list("tags"), build.tag)) return "no";
  const auto level = [&](const Numbers& cuda) {   // the driver compiles PTX of this CUDA
    if (machine.driver.empty()) return true;
    for (const auto& one : items(cuda_, "level"))
      if (std::atol(one.get("branch").c_str()) == branch(machine)) return numbers(one.get("cuda")) >= cuda;
    return true;
  };
  for (const auto& gpu : machine.gpus) {
    if (!gpu.gfx.empty()) continue;
    const auto cc = numbers(gpu.capability);
    if (!row.get("cc-min").empty() && cc < numbers(row.get("cc-min"))) return "no";
    std::istringstream list(row.get("archs"));
    bool any = row.get("archs").empty();
    for (std::string word; list >> word;) {
      const auto have = numbers(word);
      any = any || (have[0] == cc[0] && have[1] <= cc[1]) || (word.ends_with("+PTX") && have <= cc && level(numbers(row.get("cuda"))));
    }
    if (!any) return "no";
  }
  const auto minor = shortened(build.cuda, 2);
  if (row.find("libraries")) {
    const auto list = row.list("libraries");
    const bool fits = std::any_of(list.begin(), list.end(), [&](const auto& one) { return numbers(one) == minor || (row.get("nearest") == "true" && numbers(one)[0] == minor[0] && numbers(one) <= minor); });
    return fits ? "yes" : "no";
  }
  if (!torches.empty()) {   // an extension: the CUDA of its wheel by a row of its own
    std::string built = row.get("cuda");
    for (const auto& one : items(framework_, "release"))
      if (row.get("cuda").empty() && one.get("framework") == name && !one.find("torch") && one.find("cuda") && inside(one.get("versions"), versions.substr(0, versions.find('-')))) built = one.get("cuda");
    if (built.empty()) return "yes";
    if (numbers(built)[0] != minor[0]) return "no";
    const auto full = numbers(built).size() > 1 ? numbers(built) : Numbers{numbers(built)[0], 1};
    return !machine.driver.empty() && numbers(machine.driver) < floor(full, machine.system == "linux" ? "linux" : "windows") ? "no" : "yes";
  }
  if (build.bundled) return "yes";
  const auto want = numbers(row.get("cuda")), cudnn = numbers(row.get("cudnn"));
  if (!want.empty() && (want[0] != minor[0] || minor < shortened(want, 2) || (row.get("pins") == "exact" && minor != shortened(want, 2)))) return "no";
  if (!cudnn.empty() && !build.cudnn.empty() && (cudnn[0] != build.cudnn[0] || build.cudnn[1] < cudnn[1] || (row.get("pins") == "exact" && shortened(build.cudnn, 2) != cudnn))) return "no";
  return "yes";
}

std::string Oracle::beside(const Case& machine, const TorchBuild& build, const std::string& wanted) const {
  const auto sign = wanted.find("==");
  const auto name = wanted.substr(0, sign), version = sign == std::string::npos ? std::string() : wanted.substr(sign + 2);
  if (name == "torchvision") return version.empty() || version == build.vision ? "yes" : "no";
  if (name == "triton") return build.triton.empty() ? "unknown" : version.empty() || version == build.triton ? "yes" : "no";
  std::set<std::string> said;
  for (const auto& row : items(framework_, "release"))
    if (row.get("framework") == name && (version.empty() || inside(row.get("versions"), version)) && (row.find("torch") || name != "vllm")) said.insert(row_beside(machine, build, row));
  return said.contains("yes") ? "yes" : said.contains("no") ? "no" : "unknown";
}

}  // namespace gpudoctor::test
