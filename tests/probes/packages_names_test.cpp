// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "packages_python.hpp"

using namespace gpudoctor;

namespace {

std::string named(std::string_view entry) {
  const auto package = package_of(entry);
  return package ? package->text() : "none";
}
std::string conda(std::string_view file) {
  const auto package = conda_package_of(file);
  return package ? package->text() + " " + package->build : "none";
}

}  // namespace

TEST_CASE("packages by the names of their metadata") {
  CHECK(named("torch-2.6.0+cu124.dist-info") == "torch==2.6.0+cu124");
  CHECK(named("nvidia_cudnn_cu12-9.1.0.70.dist-info") == "nvidia-cudnn-cu12==9.1.0.70");
  CHECK(named("torch-2.6.0a0+ecf3bae40a.nv25.1.dist-info") == "torch==2.6.0a0+ecf3bae40a.nv25.1");
  CHECK(named("Flash.Attn-2.7.4.post1.dist-info") == "flash-attn==2.7.4.post1");
  CHECK(named("torch-2.6.0+debian.egg-info") == "torch==2.6.0+debian");
  CHECK(named("torch-2.5.1-py3.11.egg-info") == "torch==2.5.1");
  CHECK(named("numpy-1.24.2-py3.11-linux-x86_64.egg-info") == "numpy==1.24.2");
  CHECK(named("torch.egg-info") == "torch==");
  CHECK(named("~orch-2.5.1.dist-info") == "none");
  CHECK(named("torch") == "none");
  CHECK(named(".dist-info") == "none");
  CHECK(named("torch-.dist-info") == "none");
}

TEST_CASE("packages by conda's records") {
  CHECK(conda("pytorch-2.5.1-py3.11_cuda12.4_cudnn9.1.0_0.json") == "pytorch==2.5.1 py3.11_cuda12.4_cudnn9.1.0_0");
  CHECK(conda("pytorch-gpu-2.6.0-cuda126_mkl_ha999a5f_300.json") == "pytorch-gpu==2.6.0 cuda126_mkl_ha999a5f_300");
  CHECK(conda("cudatoolkit-11.8.0-h4ba93d1_13.json") == "cudatoolkit==11.8.0 h4ba93d1_13");
  CHECK(conda("history") == "none");
  CHECK(conda("state.json") == "none");
}

TEST_CASE("which packages have to do with GPUs") {
  for (const char* name :
       {"torch", "torchvision", "pytorch-triton-rocm", "nvidia-cublas", "cupy-cuda12x", "onnxruntime-gpu",
        "jax-cuda12-plugin", "cuda-toolkit", "amd-torch-device-gfx1100", "numpy", "vllm", "flash-attn", "tensorflow"})
    CHECK_MESSAGE(matters(name), name);
  for (const char* name : {"requests", "torchmetrics", "pip", "cudart-free-name", "pandas"})
    CHECK_FALSE_MESSAGE(matters(name), name);
}

TEST_CASE("two dist-infos of one name") {
  const std::vector<Package> packages = {
      {"torch", "2.5.1", {}, {}}, {"requests", "2.0", {}, {}}, {"requests", "2.1", {}, {}}, {"torch", "2.6.0", {}, {}}};
  CHECK(duplicates(packages) == std::vector<std::string>{"torch==2.5.1", "torch==2.6.0"});
}

TEST_CASE("the CUDA of a library of bitsandbytes, by its name") {
  CHECK(cuda_of_bitsandbytes("libbitsandbytes_cuda118.so") == "11.8");
  CHECK(cuda_of_bitsandbytes("libbitsandbytes_cuda130.so") == "13.0");
  CHECK(cuda_of_bitsandbytes("libbitsandbytes_cuda117_nocublaslt.so") == "11.7");
  CHECK(cuda_of_bitsandbytes("libbitsandbytes_cpu.so") == "");
  CHECK(cuda_of_bitsandbytes("libbitsandbytes_cuda.so") == "");
  CHECK(cuda_of_bitsandbytes("libbitsandbytes_rocm62.so") == "");
}
