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
    "torch", "torch-*", "torchvision", "torchvision-*", "torchaudio", "torchtext", "torchdata", "torchao", "torchrec", "torchcodec",
    "torchserve", "torch?-*", "pytorch*", "libtorch", "libtorch-*", "triton", "triton-*", "amd-torch*", "intel-extension-for-pytorch",
    // CUDA and ROCm as packages
    "nvidia-*", "cuda-*", "cudatoolkit*", "cudnn", "nccl", "libcudnn*", "libnccl*", "rocm*", "cpuonly",
    // other frameworks
    "tensorflow*", "tf-nightly*", "keras", "jax", "jaxlib", "jax-*", "onnxruntime*", "cupy*", "paddlepaddle*", "mxnet*", "numba", "numba-*",
    "tensorrt*", "torch-tensorrt", "ctranslate2", "faster-whisper", "llama-cpp-python", "mlc-*", "faiss*", "warp-lang", "taichi",
    // extensions and what needs them
    "vllm*", "sglang*", "sgl-kernel", "flash-attn*", "flashinfer*", "xformers", "bitsandbytes*", "apex", "deepspeed", "transformer-engine*",
    "detectron2", "mmcv*", "causal-conv1d", "mamba-ssm", "auto-gptq", "autoawq*", "gptqmodel", "exllama*", "spconv*", "pyg-lib",
    "dgl*", "accelerate", "transformers", "diffusers", "lightning", "fairseq", "numpy", "megatron-*", "cutlass*", "unsloth*",
};

/// CUDA 13 wheels have no suffix. Only these carry CUDA's own number; cuFFT, cuRAND and others count their own.
constexpr std::string_view numbered_as_cuda[] = {"cuda-runtime", "cuda-nvrtc", "cuda-cupti", "cuda-nvcc", "cublas", "nvjitlink", "nvtx"};

bool digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }); }

std::string first_number(std::string_view version) { return std::string(version.substr(0, version.find('.'))); }

}  // namespace

std::optional<Package> package_of(std::string_view entry) {
  const auto file = entry;
  bool egg = false;
  if (entry.ends_with(".dist-info")) entry.remove_suffix(10);
  else if (entry.ends_with(".egg-info")) entry.remove_suffix(9), egg = true;
  else return std::nullopt;
  if (entry.empty() || entry.front() == '~') return std::nullopt;  // what pip left of an uninstall that failed
  if (const auto python = entry.rfind("-py"); egg && python != std::string_view::npos && digits(entry.substr(python + 3, 1)))
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
  return Package{normalized_package(name.substr(0, version)), printable(name.substr(version + 1, build - version - 1)), std::string(file),
                 printable(name.substr(build + 1))};
}

bool matters(std::string_view name) {
  return std::any_of(std::begin(of_interest), std::end(of_interest), [&](std::string_view pattern) { return matches(name, pattern); });
}

std::optional<NvidiaWheel> nvidia_wheel(const Package& package) {
  std::string_view name = package.name;
  if (!name.starts_with("nvidia-") || package.version.starts_with("0.0.")) return std::nullopt;
  name.remove_prefix(7);
  if (const auto suffix = name.rfind("-cu"); suffix != std::string_view::npos && digits(name.substr(suffix + 3))) {
    const auto number = to_number(name.substr(suffix + 3));  // cu12, and cu117 in NVIDIA's early wheels
    return NvidiaWheel{std::string(name.substr(0, suffix)), static_cast<int>(number < 100 ? number : number / 10)};
  }
  if (std::find(std::begin(numbered_as_cuda), std::end(numbered_as_cuda), name) == std::end(numbered_as_cuda)) return std::nullopt;
  const auto major = to_number(first_number(package.version));
  if (major < 9) return std::nullopt;
  return NvidiaWheel{std::string(name), static_cast<int>(major)};
}

std::vector<std::string> cuda_majors(const std::vector<Package>& packages) {
  std::map<int, bool> majors;
  for (const auto& package : packages)
    if (const auto wheel = nvidia_wheel(package)) majors[wheel->cuda] = true;
  std::vector<std::string> result;
  for (const auto& [major, seen] : majors) result.push_back(std::to_string(major));
  return result;
}

std::vector<std::string> clashing_wheels(const std::vector<Package>& packages) {
  // nvidia/cudnn/lib/libcudnn.so.9 is one file for all CUDA majors; libcudnn.so.8 of another wheel lies beside it.
  std::map<std::string, std::map<int, std::string>> owners;
  for (const auto& package : packages)
    if (const auto wheel = nvidia_wheel(package))
      for (const std::string_view shared : {"cudnn", "nccl", "nvshmem", "cusparselt"})
        if (wheel->component == shared) owners[wheel->component + " " + first_number(package.version)].emplace(wheel->cuda, package.text());
  std::vector<std::string> result;
  for (const auto& [library, wheels] : owners)
    if (wheels.size() > 1)
      for (const auto& [cuda, text] : wheels) result.push_back(text);
  return result;
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

std::vector<std::string> clashing_onnxruntimes(const std::vector<Package>& packages) {
  constexpr std::string_view same_folder[] = {"onnxruntime",          "onnxruntime-gpu",  "onnxruntime-directml",       "onnxruntime-openvino",
                                              "onnxruntime-rocm",     "onnxruntime-migraphx", "onnxruntime-training",   "onnxruntime-training-rocm",
                                              "onnxruntime-training-cpu", "onnxruntime-qnn",  "onnxruntime-windowsml"};
  std::vector<std::string> result;
  for (const auto& package : packages)
    if (std::find(std::begin(same_folder), std::end(same_folder), package.name) != std::end(same_folder)) result.push_back(package.text());
  if (result.size() < 2) result.clear();
  return result;
}

}  // namespace gpudoctor
