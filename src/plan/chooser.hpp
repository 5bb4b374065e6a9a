// SPDX-License-Identifier: Apache-2.0
// What fits this machine: one chooser for `recommend` and for the plan.
#pragma once
#include <string>
#include <vector>

#include "actions.hpp"
#include "beside.hpp"
#include "needs.hpp"

namespace gpudoctor {

/// A PyTorch build for these GPUs, this driver, Python and C library.
struct TorchChoice {
  std::string torch, vision, audio, tag, cuda;
  std::string channel;   ///< "", conda-forge, pytorch
  std::string refused;   ///< why there is none; empty when there is one
  bool sure = true, limited = false;
  std::vector<Refusal> refusals;
  std::vector<std::string> packages;   ///< releases of the wanted packages that go with it, "vllm==0.19.*"
  std::vector<std::string> extra;      ///< conda: further pins that this choice rests on, "cudnn<9.11"
  bool found() const { return refused.empty(); }
};

TorchChoice choose_torch(const Matrix& matrix, const Needs& needs);
/// The newest published CUDA (or ROCm) build that has code for every GPU of the machine, runs on its driver, and was
/// made for `python` ("3.11"; empty: any). `keep` is a release to stay at if one of its builds fits; empty: the newest.
TorchChoice choose_torch(const Matrix& matrix, const Facts& facts, const std::string& python, const std::string& keep = {}, Channel channel = Channel::pip);

/// What a driver must be good for besides the GPUs.
struct Demand {
  Version least;          ///< the lowest driver
  std::string least_for;  ///< "CUDA 13.0", for people
  long exact = 0;         ///< the branch that the user asked for
};
/// A driver branch that drives all GPUs and that the distribution serves.
struct DriverChoice {
  std::string branch, flavour, refused;
  Version least;   ///< the first driver of the branch that will do, where the branch alone is not enough
  std::string least_for;
};
DriverChoice choose_driver(const Matrix& matrix, const Facts& facts, const Action& action, const Demand& demand);

/// What the user asked `recommend` for.
struct Wish {
  std::string product, version, python, installer;
  std::vector<std::string> with;
};
/// Everything that one question is about.
struct Question {
  const Matrix& matrix;
  const Facts& facts;
  const Wish& wish;
  Machine::World world;
  Needs needs;
  const Entity* env = nullptr;   ///< the active environment; null also where another Python is asked for
};
Recommendation recommend(const Matrix& matrix, const Facts& facts, const Wish& wish, Machine::World world);
// One product a function; `out` has the machine's facts already.
void recommend_torch(const Question& question, Recommendation& out);
void recommend_libtorch(const Question& question, Recommendation& out);
void recommend_driver(const Question& question, Recommendation& out);
void recommend_cuda(const Question& question, Recommendation& out);
void recommend_library(const Question& question, Recommendation& out);
void recommend_framework(const Question& question, Recommendation& out);

/// What the GPU's or the driver's own limits leave as a way out, smallest change first.
void driver_help(const Question& question, Recommendation& out);
/// "the matrix of DATE has no torch 9.9"
std::string not_listed(const Question& question);
/// The CUDA that a package (torch, cuda, tensorflow …) stands for, by its newest release or the one that is named.
Version cuda_of(const Matrix& matrix, const Needs& needs, const Wanted& package);

}  // namespace gpudoctor
