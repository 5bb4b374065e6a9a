// SPDX-License-Identifier: Apache-2.0
#include "matrix_marks.hpp"

#include <algorithm>
#include <memory>
#include <set>

#include "beside.hpp"
#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

std::vector<const Entity*> nvidia(const Facts& facts) {
  std::vector<const Entity*> found;
  for (const Entity* gpu : facts.of("gpu"))
    if (gpu->is("vendor", "nvidia")) found.push_back(gpu);
  return found;
}

/// Every variant of the table as if it were installed here, through the same relations that judge an installed one.
std::set<std::string> reachable(const Matrix& matrix, const Facts& facts) {
  Facts what_if = facts;
  std::vector<Id> gone;
  for (const Entity* torch : std::as_const(what_if).of("torch")) gone.push_back(torch->id());
  for (const auto& id : gone) what_if.drop(id);
  const auto platform = platform_of(facts);
  std::vector<std::string> keys;
  for (const auto& row : matrix.torches()) {
    const Node* variants = row.verified() ? row.node->find("variant") : nullptr;
    if (!variants) continue;
    for (const auto& variant : variants->items) {
      const Node* archs = variant.find("archs");
      if (!archs || archs->get(platform).empty() || variant.get("confidence") == "unverified") continue;
      const auto key = row.get("torch") + "+" + variant.get("tag");
      const Witness witness{Rank::table, key, 0, {}};
      what_if.at("torch", key).known("backend", "cuda", witness).known("cuda", variant.get("cuda"), witness).known("archs", arch_words(archs->get(platform)), witness);
      keys.push_back(key);
    }
  }
  torch_on_gpu(matrix, what_if);
  cuda_on_driver(matrix, what_if);
  std::set<std::string> result;
  for (const auto& key : keys) {
    const Entity* on_driver = std::as_const(what_if).find("cuda_on_driver", "torch " + key);
    bool fits = on_driver && (on_driver->is("standing", "full") || on_driver->is("standing", "limited"));
    for (const Entity* gpu : nvidia(facts)) {
      const Entity* on_gpu = std::as_const(what_if).find("torch_on_gpu", key + " " + gpu->id().key);
      fits = fits && on_gpu && (on_gpu->is("reach", "runs") || on_gpu->is("reach", "jit"));
    }
    if (fits) result.insert(key);
  }
  return result;
}

bool driver_runs(const Matrix& matrix, const Facts& facts, const std::string& cuda) {
  const Entity* driver = facts.find("driver");
  const auto floor = matrix.floor(Version(cuda), system_of(facts));
  const Order order = floor.empty() ? Order::unknown : compare(driver->version("version"), Version(floor));
  return order == Order::greater || order == Order::equal;
}

/// "12" stands for the whole major: its newest release has the major's floor.
bool any_cuda_runs(const Matrix& matrix, const Facts& facts, const Node& row) {
  const auto list = row.list("cuda");
  return std::any_of(list.begin(), list.end(), [&](const auto& cuda) { return driver_runs(matrix, facts, cuda.find('.') == std::string::npos ? cuda + ".1" : cuda); });
}

bool serves_gpus(const Facts& facts, const Node& row) {
  const Version least(row.get("cc-min"));
  for (const Entity* gpu : nvidia(facts))
    if (!gpu->has("compute_capability") || (least.valid() && compare(gpu->version("compute_capability"), least) == Order::less)) return false;
  return true;
}

Marks none(const std::string& why) { return {{}, why + ": nothing is marked."}; }

Marks by_driver(const std::string& table, const std::string& list, const Matrix& matrix, const Facts& facts) {
  const Entity* driver = facts.find("driver");
  if (!driver || !driver->has("version")) return none("The version of an NVIDIA driver is not known here");
  if (table == "driver" && list == "branch")
    return {[branch = driver->get("branch")](const Node& row, const Node*) { return row.get("branch") == branch; }, "* the branch of the driver here (" + driver->get("version") + ")"};
  if (table == "cuda" && list == "release")
    return {[&](const Node& row, const Node*) { return driver_runs(matrix, facts, row.get("cuda")); }, "* the driver here (" + driver->get("version") + ") runs it, some with limits (minor-version)"};
  if (table == "cuda" && list == "level")
    return {[branch = driver->get("branch")](const Node& row, const Node*) { return row.get("branch") == branch; }, "* the level of the driver here"};
  const auto gpus = nvidia(facts);
  if (gpus.empty()) return none("No NVIDIA GPU was seen here");
  if (table == "torch") {
    for (const Entity* gpu : gpus)
      if (!gpu->has("compute_capability")) return none("The compute capability of " + gpu->shown() + " is not known");
    auto keys = std::make_shared<std::set<std::string>>(reachable(matrix, facts));
    return {[keys](const Node& row, const Node* variant) { return variant && keys->contains(row.get("torch") + "+" + variant->get("tag")); },
            "* has code for every NVIDIA GPU here, and the driver (" + driver->get("version") + ") is new enough"};
  }
  return {[&](const Node& row, const Node*) { return any_cuda_runs(matrix, facts, row) && serves_gpus(facts, row); }, "* there is a build of it for the driver and the GPUs here"};
}

}  // namespace

Marks marks_for(const std::string& table, const std::string& list, const Matrix& matrix, const Facts& facts) {
  const auto is = [&](const char* a, const char* b) { return table == a && list == b; };
  if (is("gpu", "nvidia") || is("gpu", "amd") || is("gpu", "cc")) {
    if (facts.of("gpu").empty()) return none("No GPU was seen here");
    return {[&facts, list](const Node& row, const Node*) {
              for (const Entity* gpu : facts.of("gpu")) {
                const auto id = gpu->get("pci_id");
                if (list == "cc" ? !row.get("cc").empty() && row.get("cc") == gpu->get("compute_capability")
                                 : !row.get("id").empty() && id == (list == "amd" ? "1002:" : "10de:") + lower(row.get("id"))) return true;
              }
              return false;
            }, "* a GPU of this machine"};
  }
  if (is("driver", "arch") || is("driver", "first") || is("torch", "rocm")) {
    if (facts.of("gpu").empty()) return none("No GPU was seen here");
    return {[&facts](const Node& row, const Node*) {
              for (const Entity* gpu : facts.of("gpu")) {
                const auto has = [&row](const char* column, const std::string& one) {
                  const auto all = row.list(column);
                  return !one.empty() && std::find(all.begin(), all.end(), one) != all.end();
                };
                if (has("cc", gpu->get("compute_capability")) || has("gfx", gpu->get("gfx")) || (!row.get("device").empty() && gpu->get("pci_id") == "10de:" + lower(row.get("device")))) return true;
              }
              return false;
            }, list == "rocm" ? "* has code for a GPU of this machine" : "* a GPU of this machine"};
  }
  if (is("cuda", "compat")) {
    auto packages = std::make_shared<std::set<std::string>>();
    for (const auto& row : compat_packages(matrix, needs_of(matrix, facts, {}))) packages->insert(row.get("package"));
    return {[packages](const Node& row, const Node*) { return packages->contains(row.get("package")); },
            packages->empty() ? "None of these helps here: they are for data-centre GPUs and older drivers." : "* works over the driver here"};
  }
  if (is("framework", "release")) {
    if (nvidia(facts).empty()) return none("No NVIDIA GPU was seen here");
    std::string python;
    for (const Entity* env : facts.of("env"))
      if (env->is("active", "yes")) python = env->get("python");
    const auto needs = std::make_shared<Needs>(needs_of(matrix, facts, python));
    return {[&matrix, needs](const Node& node, const Node*) {
              const Row row{&node};
              const Version cuda(row.get("cuda").empty() ? row.get("cuda-min") : row.get("cuda"));
              return on_machine(matrix, *needs, row).fits == Fits::yes && (!cuda.valid() || runs(matrix, *needs, cuda) != Runs::no);
            }, "* nothing in the row keeps it from the GPUs, driver and Python here"};
  }
  if (is("compiler", "nvcc")) {
    if (facts.of("toolkit").empty()) return none("No CUDA toolkit was seen here");
    return {[&facts](const Node& row, const Node*) {
              for (const Entity* toolkit : facts.of("toolkit"))
                if (row.get("cuda") == toolkit->get("version") || row.get("cuda") == toolkit->get("release")) return true;
              return false;
            }, "* a toolkit of this machine"};
  }
  if (is("torch", "release") || is("driver", "branch") || is("cuda", "release") || is("cuda", "level") || is("cudnn", "release") || is("nccl", "release"))
    return by_driver(table, list, matrix, facts);
  return {};
}

}  // namespace gpudoctor
