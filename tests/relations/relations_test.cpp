// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "examples.hpp"
#include "relation.hpp"

using namespace gpudoctor;

namespace {

std::string reach(const std::string& archs, const char* gpu, const char* more = "") {
  const Facts facts = test::derived(test::toml("gpu = '" + std::string(gpu) + "'\ntorch = { version = '2.6.0+cu124', archs = [" + archs + "] }\n" + more));
  const auto pairs = facts.of("torch_on_gpu");
  REQUIRE(pairs.size() == 1);
  return pairs[0]->get("reach");
}

std::string standing(const std::string& driver, const std::string& torch) {
  const Facts facts = test::derived(test::toml("driver = '" + driver + "'\ntoolkit = []\ntorch = { version = '" + torch + "' }\n"));
  return facts.of("cuda_on_driver").at(0)->get("standing");
}

}  // namespace

// CUDA C++ Programming Guide, "Application compatibility"
TEST_CASE("where a cubin and where PTX runs") {
  CHECK(reach("'sm_86'", "NVIDIA GeForce RTX 4090") == "runs");            // same major, lower minor
  CHECK(reach("'sm_89'", "NVIDIA GeForce RTX 3090") == "older");           // higher minor does not
  CHECK(reach("'sm_80', 'sm_90'", "NVIDIA GeForce RTX 5090") == "newer");
  CHECK(reach("'sm_80', 'compute_90'", "NVIDIA GeForce RTX 5090") == "jit");
  CHECK(reach("'sm_90', 'compute_90a'", "NVIDIA GeForce RTX 5090") == "newer");
  CHECK(reach("'sm_90a'", "NVIDIA H100 80GB HBM3") == "runs");
  CHECK(reach("'sm_75', 'sm_80'", "NVIDIA GeForce GTX 1080") == "older");
  CHECK(reach("'sm_61', 'sm_75'", "Tesla V100-SXM2-16GB") == "gap");
}

TEST_CASE("PTX of a newer CUDA than the driver's level is not compiled") {
  CHECK(reach("'sm_80', 'compute_90'", "NVIDIA GeForce RTX 5090", "driver = '570.86.16'") == "jit");
  CHECK(reach("'sm_80', 'compute_80'", "NVIDIA GeForce RTX 2080 Ti", "driver = '525.60.13'") == "older");
}

TEST_CASE("below the floor, with limits, without") {
  CHECK(standing("520.61.05", "2.7.1+cu128") == "below-floor");
  CHECK(standing("525.60.13", "2.7.1+cu128") == "limited");
  CHECK(standing("570.124.06", "2.7.1+cu128") == "full");
  CHECK(standing("999.10", "2.7.1+cu128") == "full");
  CHECK(standing("525", "2.6.0+cu124") == "");      // inside the floor's own range: unknown
  CHECK(standing("535", "2.6.0+cu124") == "limited");
}

// NVIDIA, CUDA Compatibility, "Forward compatibility": the user-mode driver of the newer branch is used
TEST_CASE("a forward-compatibility libcuda stands in for the driver's own") {
  const auto with = [](const std::string& copy) {
    return test::derived(test::toml("driver = '570.172.08'\ntoolkit = []\ntorch = { version = '2.8.0+cu129' }\n"
                                    "driver_copy = { path = '/usr/local/cuda/compat/libcuda.so." + copy + "', version = '" + copy + "', kind = 'compat', first = 'yes' }\n"))
        .of("cuda_on_driver").at(0)->get("standing");
  };
  CHECK(standing("570.172.08", "2.8.0+cu129") == "limited");
  CHECK(with("575.57.08") == "full");
  CHECK(with("570.148.08") == "limited");   // older than the driver: not better than it
}

// NVIDIA, Jetson Linux 38: the user space of servers (SBSA)
TEST_CASE("on a Jetson a wheel for servers is judged from JetPack 7 on") {
  const auto on = [](const std::string& l4t, const std::string& torch) {
    return test::derived(test::toml("host = { jetson = '" + l4t + "' }\ndriver = '580.00'\ntoolkit = []\ntorch = { version = '" + torch + "', origin = 'wheel' }\n")).of("cuda_on_driver").at(0)->get("standing");
  };
  CHECK(on("R38.2.0", "2.9.1+cu130") == "full");
  CHECK(on("R38.2.0", "2.9.1+cu126").empty());   // another CUDA than JetPack's
  CHECK(on("R36.4.3", "2.9.1+cu126").empty());
}

TEST_CASE("what the wheels of an environment say together") {
  const Facts facts = test::derived(test::toml(R"(env = { packages = ["nvidia-cublas==13.0.0.19", "nvidia-cuda-runtime==13.0.48", "nvidia-cudnn-cu12==9.1.0.70",
    "nvidia-cudnn-cu13==9.13.0.50", "nvidia-nccl-cu13==2.27.7", "nvidia-cublas-cu13==0.0.1", "nvidia-cuda-runtime-cu116==0.0.1.dev5", "nvidia-ml-py==12.560.30"] })"));
  const Entity* env = facts.of("env").at(0);
  CHECK(env->items("cuda_wheel_majors") == std::vector<std::string>{"12", "13"});
  CHECK(env->items("clashing_wheels") == std::vector<std::string>{"nvidia-cudnn-cu12==9.1.0.70", "nvidia-cudnn-cu13==9.13.0.50"});
  CHECK(env->items("nccl_wheels") == std::vector<std::string>{"nvidia-nccl-cu13==2.27.7"});
}

TEST_CASE("assumptions replace what was seen and say so") {
  Facts facts = test::facts_of(test::toml("driver = '470.82.01'\ngpu = 'Tesla K80'\n"));
  const Matrix matrix(test::knowledge());
  assume({{"RTX 5090", "sm_75", "gfx1100"}, "580.65.06"}, matrix, facts);
  derive(matrix, facts);
  CHECK(facts.of("gpu").size() == 3);
  CHECK(facts.find("driver")->get("loaded") == "580.65.06");
  CHECK(facts.find("driver")->find("loaded")->witnesses[0].rank == Rank::assumed);
  CHECK_THROWS_AS(assume({{"RTX 99990"}, ""}, matrix, facts), std::invalid_argument);
  CHECK_THROWS_AS(assume({{}, "latest"}, matrix, facts), std::invalid_argument);
}
