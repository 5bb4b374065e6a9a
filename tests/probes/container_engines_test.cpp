// SPDX-License-Identifier: Apache-2.0
#include "container_engines.hpp"

#include <doctest/doctest.h>

#include "gpudoctor/node.hpp"

using namespace gpudoctor;

TEST_CASE("Docker's daemon.json, as nvidia-ctk writes it") {
  const auto runtimes = docker_runtimes(R"({"default-runtime": "nvidia", "runtimes": {"nvidia": {"args": [], "path": "nvidia-container-runtime"}}})", "daemon.json");
  CHECK(runtimes.names == std::vector<std::string>{"nvidia"});
  CHECK(runtimes.programs == std::vector<std::string>{"nvidia-container-runtime"});
  CHECK(runtimes.standard == "nvidia");
  CHECK(docker_runtimes("{}", "daemon.json").names.empty());
  CHECK_THROWS_AS(docker_runtimes("{\"runtimes\": ", "daemon.json"), BadDocument);
  CHECK_THROWS_AS(docker_runtimes(std::string(100'000, '['), "daemon.json"), BadDocument);
  CHECK(docker_runtimes("[1, 2]", "daemon.json").names.empty());
}

TEST_CASE("containerd's configuration, by its versions") {
  const auto two = containerd_runtimes("version = 2\nimports = [\"/etc/containerd/conf.d/*.toml\"]\n[plugins.\"io.containerd.grpc.v1.cri\".containerd]\ndefault_runtime_name = \"nvidia\"\n"
                                       "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia.options]\nBinaryName = \"/usr/bin/nvidia-container-runtime\"\n", "config.toml");
  CHECK(two.names == std::vector<std::string>{"nvidia"});
  CHECK(two.programs == std::vector<std::string>{"/usr/bin/nvidia-container-runtime"});
  CHECK(two.standard == "nvidia");
  CHECK(two.imports == std::vector<std::string>{"/etc/containerd/conf.d/*.toml"});
  const auto three = containerd_runtimes("version = 3\n[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]\nruntime_type = 'io.containerd.runc.v2'\n", "config.toml");
  CHECK(three.names == std::vector<std::string>{"runc"});
  CHECK(containerd_runtimes("", "config.toml").names.empty());
  CHECK_THROWS_AS(containerd_runtimes("plugins = [", "config.toml"), BadDocument);
}
