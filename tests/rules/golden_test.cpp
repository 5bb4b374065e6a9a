// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic: given facts, the findings that must be raised and those that must not (tests/golden.toml).
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "examples.hpp"
#include "judge.hpp"
#include "matrix.hpp"
#include "relation.hpp"
#include "text.hpp"

using namespace gpudoctor;

namespace {

const Witness given{Rank::measured, "given", 0, {}};

Facts facts_of(const Node& node) {
  Facts facts;
  const auto text = [&](const char* key) { return node.get(key); };
  if (node.find("gpus")) facts.looked("gpu");
  int index = 0;
  for (const auto& name : node.list("gpus")) facts.at("gpu", std::to_string(index++)).known("name", name, given);
  if (!text("driver").empty()) facts.at("driver").known("loaded", text("driver"), given);
  if (!text("kernel_module").empty()) facts.at("driver").known("loaded", text("kernel_module"), given);
  if (!text("libraries").empty()) facts.at("driver").known("libraries", text("libraries"), given);
  if (!text("nvml_reports").empty()) facts.at("driver").known("libraries", text("nvml_reports"), given);
  if (!text("driver_flavour").empty()) facts.at("driver").known("flavour", text("driver_flavour"), given);
  if (node.find("torch") || node.find("torch_arch_list")) {
    facts.looked("torch"), facts.looked("env"), facts.looked("toolkit");
    Entity& torch = facts.at("torch", "torch");
    torch.parent(facts.at("env", "env").id());
    if (!text("torch").empty()) torch.known("version", text("torch"), given);
    if (!text("torch_cuda").empty()) torch.known("cuda", text("torch_cuda"), given);
    if (node.find("torch_arch_list")) torch.known("backend", "cuda", given).known("archs", node.list("torch_arch_list"), given);
  }
  if (node.find("packages")) {
    facts.looked("env");
    facts.at("env", "env").known("packages", node.list("packages"), given);
  }
  for (const auto& build : node.list("toolkits")) {
    facts.looked("toolkit");
    facts.at("toolkit", build).known("version", build, given).known("nvcc", build, given).known("found_by", std::vector<std::string>{"folder"}, given);
  }
  if (!text("nvcc").empty()) {
    facts.looked("toolkit");
    facts.at("toolkit", "nvcc").known("version", text("nvcc"), given).known("nvcc", text("nvcc"), given).known("found_by", std::vector<std::string>{"path"}, given);
  }
  if (!text("require").empty()) facts.at("container").known("require", text("require"), given);
  if (!text("compat_libcuda").empty()) {
    facts.looked("driver_copy");
    Entity& copy = facts.at("driver_copy", "/usr/local/cuda/compat/libcuda.so." + text("compat_libcuda"));
    copy.known("version", text("compat_libcuda"), given).known("kind", "compat", given).known("first", "yes", given);
  }
  if (!text("gcc").empty()) facts.at("host").known("gcc", text("gcc"), given);
  derive(Matrix(test::knowledge()), facts);
  return facts;
}

}  // namespace

TEST_CASE("the golden arithmetic") {
  std::ifstream file(GPUDOCTOR_SOURCE_DIR "/tests/golden.toml");
  std::stringstream text;
  text << file.rdbuf();
  const Node document = parse_toml(text.str(), "golden.toml");
  int tried = 0;
  for (const auto& one : document.find("case")->items) {
    const Node& node = *one.find("given");
    ++tried;
    if (node.find("cudnn_encoded")) {
      CHECK(cudnn_of_number(static_cast<unsigned long>(to_number(node.get("cudnn_encoded")))) == one.get("reads_as"));
      continue;
    }
    const Facts facts = facts_of(node);
    const Judgement judgement = judge(test::knowledge(), facts);
    INFO("golden.toml:" << one.line << ", found " << joined(test::ids(judgement), ", "));
    for (const auto& id : one.list("must")) CHECK_MESSAGE(test::has(judgement, id), id);
    for (const auto& id : one.list("must_not")) CHECK_MESSAGE(!test::has(judgement, id), id);
    if (one.find("errors")) CHECK(joined(test::ids(judgement, true), ", ") == joined(one.list("errors"), ", "));
  }
  CHECK(tried == 51);
}

TEST_CASE("an RTX 2080 Ti beside an RTX 5090: the build lacks the second GPU only") {
  const Facts facts = test::derived(test::toml("driver = '580.95.05'\ngpu = ['NVIDIA GeForce RTX 2080 Ti', 'NVIDIA GeForce RTX 5090']\ntorch = { version = '2.6.0+cu126' }\n"));
  int raised = 0;
  for (const auto& finding : judge(test::knowledge(), facts).findings)
    if (finding.id == "torch-gpu-not-in-build") {
      ++raised;
      CHECK(contains(finding.subject, "RTX 5090"));
    }
  CHECK(raised == 1);
}
