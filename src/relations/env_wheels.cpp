// SPDX-License-Identifier: Apache-2.0
// What the packages of an environment say together: CUDA majors of its nvidia-* wheels, and which of them unpack over
// each other. CUDA 13 wheels have no suffix; cuDNN, NCCL, NVSHMEM and cuSPARSELt keep theirs, and those four unpack to one
// folder whatever their suffix (nvidia/cudnn, nvidia/nccl …).
#include <map>
#include <set>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

struct Wheel {
  std::string component;   // cublas, cudnn …
  std::string major;       // "12"; empty when the name does not tell
};

Wheel wheel_of(const std::string& name, const std::string& version) {
  static const std::set<std::string> cuda13 = {"cublas", "cuda-runtime", "cuda-nvrtc", "cuda-cupti", "cuda-nvcc", "cuda-cccl", "cufft", "curand",
                                               "cusolver", "cusparse", "nvjitlink", "nvtx", "cufile"};
  if (!name.starts_with("nvidia-") || version.starts_with("0.0.")) return {};   // 0.0.1: empty placeholders
  auto rest = name.substr(7);
  if (const auto cu = rest.rfind("-cu"); cu != std::string::npos && to_number(rest.substr(cu + 3)) > 0) {
    const auto digits = rest.substr(cu + 3);
    return {rest.substr(0, cu), digits.substr(0, 2)};
  }
  // Names without a suffix are CUDA 13's and later ones; the runtime's version is the CUDA's.
  if (cuda13.contains(rest) && Version(version, Scheme::pep440).major() >= 12) {
    const bool runtime = rest.starts_with("cuda-") || rest == "nvjitlink";
    return {rest, runtime ? std::to_string(Version(version, Scheme::pep440).major()) : "13"};
  }
  return {};
}

void state(Entity& env, const char* fact, const std::set<std::string>& values, const Witness& seen) {
  if (values.empty()) env.absent(fact, seen);
  else env.known(fact, std::vector<std::string>(values.begin(), values.end()), seen);
}

}  // namespace

void env_wheels(const Matrix&, Facts& facts) {
  for (Entity* env : facts.of("env")) {
    const Fact* packages = env->find("packages");
    if (!packages || packages->state == State::unknown) continue;
    const Witness seen{packages->witnesses.front().rank, packages->witnesses.front().source, 0, {}};
    std::set<std::string> majors, clashing, cudnn, nccl, onnx, cupy;
    std::map<std::string, std::map<std::string, std::string>> shared;   // component → major → package
    for (const auto& package : packages->list) {
      const auto sign = package.find("==");
      const auto name = package.substr(0, sign), version = sign == std::string::npos ? "" : package.substr(sign + 2);
      if (name == "onnxruntime" || name == "onnxruntime-gpu" || name == "onnxruntime-directml" || name == "onnxruntime-openvino") onnx.insert(package);
      if (name == "cupy" || name.starts_with("cupy-cuda") || name.starts_with("cupy-rocm")) cupy.insert(package);
      const Wheel wheel = wheel_of(name, version);
      if (wheel.component.empty()) continue;
      majors.insert(wheel.major);
      if (wheel.component == "cudnn") cudnn.insert(package);
      if (wheel.component == "nccl") nccl.insert(package);
      if (wheel.component == "cudnn" || wheel.component == "nccl" || wheel.component == "nvshmem" || wheel.component == "cusparselt")
        // libcudnn.so.8 of one wheel lies beside libcudnn.so.9 of another: only the same first number is the same file.
        shared[wheel.component + " " + version.substr(0, version.find('.'))][wheel.major] = package;
    }
    for (const auto& [component, by_major] : shared)
      if (by_major.size() > 1)
        for (const auto& [major, package] : by_major) clashing.insert(package);
    if (onnx.size() < 2) onnx.clear();
    if (cupy.size() < 2) cupy.clear();
    state(*env, "cuda_wheel_majors", majors, seen);
    state(*env, "clashing_wheels", clashing, seen);
    state(*env, "cudnn_wheels", cudnn, seen);
    state(*env, "nccl_wheels", nccl, seen);
    state(*env, "onnxruntimes", onnx, seen);
    state(*env, "cupys", cupy, seen);
  }
}

}  // namespace gpudoctor
