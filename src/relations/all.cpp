// SPDX-License-Identifier: Apache-2.0
#include "relation.hpp"

namespace gpudoctor {

const std::vector<Relation>& all_relations() {
  static const std::vector<Relation> relations = {
      {"gpu-identity", gpu_identity},        // PCI id or name → chip, compute capability, brand
      {"env-wheels", env_wheels},            // packages → CUDA majors, clashes, copies
      {"torch-build", torch_build},          // version → backend, CUDA, arch list
      {"driver-standing", driver_standing},  // three versions → the one that counts, its branch, who owns it
      {"jetson", jetson},                    // L4T → JetPack and its CUDA
      {"gpu-on-driver", gpu_on_driver},      // does this branch and flavour run this GPU
      {"gpu-health", gpu_health},            // kernel log, nvidia-smi → what an Xid means, does it start, may it be used
      {"fabric", fabric},                    // NVSwitches → is a Fabric Manager needed, is the fabric set up
      {"frameworks", frameworks},            // TensorFlow, JAX … → what that build needs
      {"cuda-on-driver", cuda_on_driver},    // does this driver run that CUDA
      {"compat-on-gpu", compat_on_gpu},      // does a forward-compatibility libcuda serve here
      {"torch-on-gpu", torch_on_gpu},        // does this build have code for this GPU
      {"companion", companion},              // torchvision and torchaudio beside torch
      {"extension-on-torch", extension_on_torch},  // after companion: native extensions beside torch, and their GPUs
      {"link-standing", link_standing},      // the loader's choice against the copy that is shipped
      {"needs", needs},                      // CUDA, cuDNN and NCCL that a build needs, against those it can meet
      {"conda", conda},                      // conda's choice of CUDA beside a torch
      {"asked", asked},                      // a PyTorch that the project pins: was it ever published
      {"variable", variable},                // what a variable that is set does
      {"requirement", requirement},          // does the driver satisfy what the image asks for
      {"container-summary", container_summary},  // a GPU that was lost; a runtime of NVIDIA's
      {"rocm", rocm},                        // PyTorch's ROCm against the installed one
      {"host-summary", host_summary},        // what the parts come to together
      {"library-on-gpu", library_on_gpu},    // does this cuDNN, this nvcc serve the GPU
      {"matrix-gap", matrix_gap},            // what is newer than the matrix
  };
  return relations;
}

void derive(const Matrix& matrix, Facts& facts) {
  for (const auto& relation : all_relations()) relation.derive(matrix, facts);
}

std::vector<NamedVersion> named_versions(const Entity& env, const char* fact) {
  std::vector<NamedVersion> result;
  for (const auto& text : env.items(fact))
    if (const auto sign = text.find("=="); sign != std::string::npos) result.push_back({text.substr(0, sign), text.substr(sign + 2)});
  return result;
}

std::string system_of(const Facts& facts) {
  const Entity* host = facts.find("host");
  return host && host->is("system", "windows") ? "windows" : "linux";
}

std::string platform_of(const Facts& facts) {
  if (system_of(facts) == "windows") return "windows";
  const Entity* host = facts.find("host");
  return host && host->is("arch", "aarch64") ? "linux-aarch64" : "linux-x86_64";
}

}  // namespace gpudoctor
