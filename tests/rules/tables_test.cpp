// SPDX-License-Identifier: Apache-2.0
// What every table must hold, whoever adds a row: a source that is named, a known word of confidence, and for every error code
// and Xid what it means and what to do next.
#include <doctest/doctest.h>

#include <functional>
#include <set>

#include "examples.hpp"

using namespace gpudoctor;

namespace {

void rows_of(const Node& node, const std::string& path, const std::function<void(const Node&, const std::string&)>& visit) {
  for (const auto& [name, value] : node.fields)
    if (value.is_list())
      for (const auto& row : value.items)
        if (row.is_table()) visit(row, path + "." + name), rows_of(row, path + "." + name, visit);
}

}  // namespace

TEST_CASE("confidence is one of the words that are understood") {
  const std::set<std::string> words{"", "high", "medium", "low", "unverified"};
  for (const auto& name : test::knowledge().table_names())
    rows_of(test::knowledge().table(name), name, [&](const Node& row, const std::string& path) {
      CAPTURE(path);
      CAPTURE(row.line);
      CHECK(words.count(row.get("confidence")) == 1);
    });
}

TEST_CASE("every error code, text and Xid has a meaning and a next step") {
  for (const char* list : {"cuda", "nvml", "kernel"})
    for (const auto& row : test::knowledge().table("code").find(list)->items) {
      CAPTURE(row.line);
      CHECK_FALSE(row.get("means").empty());
      CHECK_FALSE(row.get("next").empty());
    }
  const Node& xids = test::knowledge().table("xid");
  for (const auto& row : xids.find("xid")->items) {
    CAPTURE(row.get("xid"));
    CHECK_FALSE(row.get("means").empty());
    for (const auto& action : row.list("action")) CHECK(xids.find("action")->find(action));
    CHECK_FALSE(row.list("action").empty());
  }
}

// Each framework has at least one row, by its distribution.
TEST_CASE("every framework that users meet has a row") {
  std::set<std::string> names;
  for (const char* list : {"release", "detect", "other"})
    for (const auto& row : test::knowledge().table("framework").find(list)->items) names.insert(row.get(row.find("framework") ? "framework" : "name"));
  for (const char* name : {"tensorflow", "jax", "onnxruntime-gpu", "cupy", "vllm", "sglang", "flash-attn", "flashinfer-python", "xformers", "bitsandbytes", "tensorrt", "deepspeed",
                           "transformer-engine", "ctranslate2", "paddlepaddle-gpu", "numba-cuda", "llama-cpp-python"}) {
    CAPTURE(name);
    CHECK(names.count(name) == 1);
  }
}
