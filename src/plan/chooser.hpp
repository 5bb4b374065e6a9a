// SPDX-License-Identifier: Apache-2.0
// What fits this machine: one chooser for `recommend` and for the plan.
#pragma once
#include <string>
#include <vector>

#include "actions.hpp"
#include "gpudoctor/recommendation.hpp"
#include "matrix.hpp"

namespace gpudoctor {

/// A GPU, as far as a choice depends on it.
struct Card {
  std::string shown;              ///< "GPU 0 NVIDIA GeForce GTX 1080"
  Version capability;             ///< NVIDIA
  std::string gfx;                ///< AMD
  long first = 0, last = 100000;  ///< driver branches
  std::string open;               ///< open modules: impossible, possible, required
};

/// A package that must go with what is chosen, and its release where that is fixed.
struct Wanted {
  std::string name, version;
  bool installed = false;
};

/// All that every candidate must satisfy, taken from the facts once.
struct Needs {
  std::vector<Card> cards;
  Version driver, glibc;
  std::string flavour, python, platform, system;
  bool one_flavour = true;        ///< native Linux: one flavour of kernel modules drives all GPUs
  std::string release, tag;       ///< asked for by the user
  std::vector<Wanted> packages;
};
Needs needs_of(const Facts& facts, const std::string& python);
bool any_nvidia(const Needs& needs);

/// The driver runs this CUDA: no, limited (minor-version compatibility), yes; unknown counts as yes.
enum class Runs { no, limited, full };
Runs runs(const Matrix& matrix, const Needs& needs, const Version& cuda);
/// What keeps the driver from running these GPUs at all.
std::vector<Refusal> obstacles(const Needs& needs);

/// A PyTorch build for these GPUs, this driver, Python and C library.
struct TorchChoice {
  std::string torch, vision, audio, tag, cuda;
  std::string refused;   ///< why there is none; empty when there is one
  bool sure = true, limited = false;
  std::vector<Refusal> refusals;
  std::vector<std::string> packages;   ///< releases of the wanted packages that go with it, "vllm==0.19.*"
  bool found() const { return refused.empty(); }
};

TorchChoice choose_torch(const Matrix& matrix, const Needs& needs);
/// The newest published CUDA (or ROCm) build that has code for every GPU of the machine, runs on its driver, and was
/// made for `python` ("3.11"; empty: any). `keep` is a release to stay at if one of its builds fits; empty: the newest.
TorchChoice choose_torch(const Matrix& matrix, const Facts& facts, const std::string& python, const std::string& keep = {});

/// Whether some listed release of a package goes with this torch; `row` is that release or what the newest row asks for.
enum class Fits { yes, no, unknown };
Fits fits(const Matrix& matrix, const Needs& needs, const Wanted& package, const std::string& torch, const Version& cuda,
          const std::string& tag, std::string& row);

/// A driver branch that drives all GPUs and that the distribution serves.
struct DriverChoice {
  std::string branch, flavour, refused;
};
/// `least` and `least_for`: the branch that something else needs, such as the CUDA in use.
DriverChoice choose_driver(const Matrix& matrix, const Facts& facts, const Action& action, long least, std::string least_for);

/// What the user asked `recommend` for.
struct Wish {
  std::string product, version, python, installer;
  std::vector<std::string> with;
};
Recommendation recommend(const Matrix& matrix, const Facts& facts, const Wish& wish, Machine::World world);
// One product a function; `out` has the machine's facts already.
void recommend_torch(const Matrix& matrix, const Facts& facts, const Needs& needs, const Wish& wish, Machine::World world, Recommendation& out);
void recommend_libtorch(const Matrix& matrix, const Needs& needs, Recommendation& out);
void recommend_driver(const Matrix& matrix, const Facts& facts, const Needs& needs, Recommendation& out);
void recommend_cuda(const Matrix& matrix, const Facts& facts, const Needs& needs, Recommendation& out);
void recommend_library(const Matrix& matrix, const Facts& facts, const Needs& needs, const Wish& wish, Recommendation& out);
void recommend_framework(const Matrix& matrix, const Facts& facts, const Needs& needs, const Wish& wish, Machine::World world, Recommendation& out);

}  // namespace gpudoctor
