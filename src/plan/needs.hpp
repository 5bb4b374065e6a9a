// SPDX-License-Identifier: Apache-2.0
// What every candidate must satisfy on this machine, and the questions that all products ask of it.
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/recommendation.hpp"
#include "matrix.hpp"

namespace gpudoctor {

/// A GPU, as far as a choice depends on it.
struct Card {
  std::string shown;              ///< "GPU 0 NVIDIA GeForce GTX 1080"
  Version capability;             ///< NVIDIA
  std::string gfx;                ///< AMD
  std::string device;             ///< PCI device id of an NVIDIA GPU, "2B85"
  long first = 0, last = 100000;  ///< driver branches
  std::string open;               ///< open modules: impossible, possible, required
  bool datacenter = false;
};

/// A package that must go with what is chosen, and its release where that is fixed.
struct Wanted {
  std::string name, version;
  bool installed = false;
};

/// Whose builds: each has its own arch lists and C library (torch.toml).
enum class Channel { pip, conda };

/// All that every candidate must satisfy, taken from the facts once.
struct Needs {
  std::vector<Card> cards;
  Version driver, glibc;
  long compat = 0;                ///< the branch of a cuda-compat package that is assumed on top of the driver; 0: none
  bool musl = false;
  std::string flavour, python, platform, system;
  std::string numbers;            ///< whose driver numbers count, linux or windows: in WSL those of Windows
  bool wsl = false;
  bool one_flavour = true;        ///< native Linux: one flavour of kernel modules drives all GPUs
  Channel channel = Channel::pip;
  std::string release, tag;       ///< asked for by the user
  std::vector<Wanted> packages;
};
Needs needs_of(const Matrix& matrix, const Facts& facts, const std::string& python);
bool any_nvidia(const Needs& needs);
bool any_amd(const Needs& needs);
/// "2.7" asks for 2.7.1 too.
bool asked(const Needs& needs, const std::string& release);

/// The driver runs this CUDA: no, limited (minor-version compatibility), yes; unknown counts as yes.
enum class Runs { no, limited, full };
Runs runs(const Matrix& matrix, const Needs& needs, const Version& cuda);
/// The CUDA level of the driver (or of the cuda-compat package over it): what it compiles PTX for. Invalid when unknown.
Version level(const Matrix& matrix, const Needs& needs);
/// What keeps the driver from running these GPUs at all.
std::vector<Refusal> obstacles(const Matrix& matrix, const Needs& needs);
/// "cuda.toml, floor of CUDA 13"
std::string floor_row(const Version& cuda);
/// CUDA by a cuda-compat package that this driver takes, newest first; only for data-centre GPUs on native Linux.
std::vector<Row> compat_packages(const Matrix& matrix, const Needs& needs);

}  // namespace gpudoctor
