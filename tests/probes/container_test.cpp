// SPDX-License-Identifier: Apache-2.0
#include "container.hpp"

#include <doctest/doctest.h>

#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("engines by their marks") {
  CHECK(engine_of_cgroup("12:cpu:/docker/3f2a\n") == "docker");
  CHECK(engine_of_cgroup("0::/kubepods.slice/kubepods-burstable.slice/x\n") == "kubernetes");
  CHECK(engine_of_cgroup("0::/machine.slice/libpod-3f2a.scope\n") == "podman");
  CHECK(engine_of_cgroup("0::/init.scope\n") == "");
  CHECK(engine_of_mounts("1 2 8:1 /var/lib/docker/containers/3f/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n") ==
        "docker");
  CHECK(engine_of_mounts("1 2 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:1 /var/lib/docker/x /mnt rw - ext4 x rw\n") == "");
}

TEST_CASE("outside") {
  const auto facts = look_at(*machine("ubuntu2204-rtx4090-sound"));
  CHECK(told(facts, "container", "inside") == "no");
  CHECK(told(facts, "container", "engine") == "absent");
  CHECK(told(facts, "container", "host_gpus") == "absent");
}

TEST_CASE("inside, without a GPU though the bus shows one") {
  const auto facts = look_at(*machine("docker-without-gpu"));
  CHECK(told(facts, "container", "inside") == "yes");
  CHECK(told(facts, "container", "engine") == "docker");
  CHECK(told(facts, "container", "gpu_nodes") == "no");
  CHECK(told(facts, "container", "host_gpus") == "1");
  CHECK(told(facts, "container", "nvidia_visible") == "all");
  CHECK(told(facts, "container", "require") == "cuda>=12.4 brand=tesla,driver>=470,driver<471");
  CHECK(told(facts, "container", "image") == "absent");
}

TEST_CASE("NVIDIA's PyTorch image in Kubernetes") {
  const auto facts =
      look_at(*machine_of("[folders]\n\"/dev\" = [\"nvidia0%\", \"nvidiactl%\"]\n[variables]\nKUBERNETES_SERVICE_HOST "
                          "= \"10.0.0.1\"\nNVIDIA_PYTORCH_VERSION = \"24.05\"\n"));
  CHECK(told(facts, "container", "engine") == "kubernetes");
  CHECK(told(facts, "container", "image") == "ngc");
  CHECK(told(facts, "container", "gpu_nodes") == "yes");
}

TEST_CASE("without /proc nobody can say that this is no container") {
  CHECK(told(look_at(*machine_of("")), "container", "inside").starts_with("unknown: "));
  CHECK(told(look_at(*machine_of("[files]\n\"/proc/1/cgroup\" = \"0::/init.scope\"\n")), "container", "inside") == "no");
  CHECK(told(look_at(*machine("image-with-driver-inside")), "container", "engine") == "image");
}
