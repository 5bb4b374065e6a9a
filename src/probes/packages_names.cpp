// SPDX-License-Identifier: Apache-2.0
// What the names of packages tell.
#include <algorithm>
#include <cctype>
#include <map>

#include "packages_python.hpp"
#include "text.hpp"

namespace gpudoctor {

namespace {

constexpr std::string_view of_interest[] = {
    // PyTorch and what it stands on
    "torch",
    "torch-*",
    "torchvision",
    "torchvision-*",
    "torchaudio",
    "torchtext",
    "torchdata",
    "torchao",
    "torchrec",
    "torchcodec",
    "torchserve",
    "torchtriton",
    "pytorch*",
    "libtorch",
    "libtorch-*",
    "triton",
    "triton-*",
    "amd-torch*",
    "intel-extension-for-pytorch",
    // CUDA and ROCm as packages
    "nvidia-*",
    "cuda-*",
    "cudatoolkit*",
    "cudnn",
    "nccl",
    "libcudnn*",
    "libnccl*",
    "rocm*",
    "cpuonly",
    // other frameworks
    "tensorflow*",
    "tf-nightly*",
    "keras",
    "jax",
    "jaxlib",
    "jax-*",
    "onnxruntime*",
    "cupy*",
    "paddlepaddle*",
    "mxnet*",
    "numba",
    "numba-*",
    "tensorrt*",
    "torch-tensorrt",
    "ctranslate2",
    "faster-whisper",
    "llama-cpp-python",
    "mlc-*",
    "faiss*",
    "warp-lang",
    "taichi",
    // extensions and what needs them
    "vllm*",
    "sglang*",
    "sgl-kernel",
    "flash-attn*",
    "flashinfer*",
    "xformers",
    "bitsandbytes*",
    "apex",
    "deepspeed",
    "transformer-engine*",
    "detectron2",
    "mmcv*",
    "causal-conv1d",
    "mamba-ssm",
    "auto-gptq",
    "autoawq*",
    "gptqmodel",
    "exllama*",
    "spconv*",
    "pyg-lib",
    "dgl*",
    "accelerate",
    "transformers",
    "diffusers",
    "lightning",
    "fairseq",
    "numpy",
    "megatron-*",
    "cutlass*",
    "unsloth*",
};

bool digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

}  // namespace

std::optional<Package> package_of(std::string_view entry) {
  const auto file = entry;
  bool egg = false;
  if (entry.ends_with(".dist-info"))
    entry.remove_suffix(10);
  else if (entry.ends_with(".egg-info"))
    entry.remove_suffix(9), egg = true;
  else
    return std::nullopt;
  if (entry.empty() || entry.front() == '~') return std::nullopt;  // what pip left of an uninstall that failed
  if (const auto python = entry.rfind("-py");
      egg && python != std::string_view::npos && digits(entry.substr(python + 3, 1)))
    entry = entry.substr(0, python);
  // Names hold no "-" here; old tools kept it, so the version is what follows the last one and starts with a digit.
  auto dash = entry.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == entry.size() || !digits(entry.substr(dash + 1, 1))) {
    if (!egg) return std::nullopt;
    return Package{normalized_package(entry), {}, std::string(file), {}};
  }
  return Package{normalized_package(entry.substr(0, dash)), printable(entry.substr(dash + 1)), std::string(file), {}};
}

std::optional<Package> conda_package_of(std::string_view file) {
  auto name = file;
  if (!name.ends_with(".json")) return std::nullopt;
  name.remove_suffix(5);
  const auto build = name.rfind('-');
  if (build == std::string_view::npos || build == 0) return std::nullopt;
  const auto version = name.rfind('-', build - 1);
  if (version == std::string_view::npos || version == 0) return std::nullopt;
  return Package{normalized_package(name.substr(0, version)), printable(name.substr(version + 1, build - version - 1)),
                 std::string(file), printable(name.substr(build + 1))};
}

bool matters(std::string_view name) {
  return std::any_of(std::begin(of_interest), std::end(of_interest),
                     [&](std::string_view pattern) { return matches(name, pattern); });
}

std::string cuda_of_bitsandbytes(std::string_view file) {
  constexpr std::string_view start = "libbitsandbytes_cuda";
  if (!file.starts_with(start) || !file.ends_with(".so")) return {};
  auto number = file.substr(start.size(), file.find_first_not_of("0123456789", start.size()) - start.size());
  if (number.size() < 3) return {};
  return std::string(number.substr(0, number.size() - 1)) + "." + std::string(number.substr(number.size() - 1));
}

std::vector<std::string> duplicates(const std::vector<Package>& packages) {
  std::map<std::string, std::vector<std::string>> versions;
  for (const auto& package : packages)
    if (matters(package.name)) versions[package.name].push_back(package.text());
  std::vector<std::string> result;
  for (const auto& [name, texts] : versions)
    if (texts.size() > 1) result.insert(result.end(), texts.begin(), texts.end());
  return result;
}

}  // namespace gpudoctor
