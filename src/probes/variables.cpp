// SPDX-License-Identifier: Apache-2.0
// Variables that change what CUDA, NCCL and PyTorch do. What each means stands in rules/tables/variable.toml.
#include "all.hpp"
#include "files.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr const char* names[] = {
    "LD_PRELOAD", "CUDA_DEVICE_ORDER", "CUDA_LAUNCH_BLOCKING", "CUDA_CACHE_DISABLE", "CUDA_FORCE_PTX_JIT", "CUDA_DISABLE_PTX_JIT",
    "CUDA_MODULE_LOADING", "CUDA_MANAGED_FORCE_DEVICE_ALLOC", "CUDA_MPS_PIPE_DIRECTORY", "NVIDIA_TF32_OVERRIDE", "NVIDIA_DISABLE_REQUIRE",
    "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE", "NCCL_IB_DISABLE", "NCCL_NET_DISABLE", "NCCL_SOCKET_IFNAME", "NCCL_DEBUG",
    "PYTORCH_NO_CUDA_MEMORY_CACHING", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NVML_BASED_CUDA_CHECK", "TORCH_CUDA_ARCH_LIST", "TORCH_USE_CUDA_DSA",
    "BNB_CUDA_VERSION", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};

void run(const Machine& machine, const Scope&, Facts& facts) {
  if (!machine.running()) return facts.not_looked("variable", not_running);
  for (const auto* name : names) {
    const auto value = machine.variable(name);
    if (!value && !value.is_absent()) return facts.not_looked("variable", std::string(name) + ": " + value.miss().says);
    if (!value || value->empty()) continue;
    Entity& variable = facts.at("variable", name);
    variable.known("name", name, seen(name)).known("value", printable(*value), seen(name));
  }
  const Entity* host = facts.find("host");
  if (host && host->is("sudo", "yes") && facts.of("variable").empty()) facts.not_looked("variable", "sudo drops the caller's variables");
  else facts.looked("variable");
}

}  // namespace

const Probe variables = {
    .name = "variables",
    .need = Need::running_system,
    .reads = {},
    .run = run,
};

}  // namespace gpudoctor
