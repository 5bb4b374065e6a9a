// SPDX-License-Identifier: Apache-2.0
// An oracle for the chooser of PyTorch: floors, arch lists, Pythons, C libraries and packages, read from the tables by code
// of its own. It shares nothing with src/plan and src/relations but the reading of TOML.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "gpudoctor/node.hpp"

namespace gpudoctor::test {

using Numbers = std::vector<long>;
Numbers numbers(const std::string& text);

/// A machine as it was generated.
struct Case {
  struct Gpu { std::string name, capability, gfx; };
  std::vector<Gpu> gpus;
  std::string system = "linux", arch = "x86_64";   ///< system: linux, windows or wsl
  std::string driver, flavour, python, glibc;      ///< glibc "musl": there is none
  std::vector<std::string> with;
  std::string platform() const { return system == "windows" ? "windows" : "linux-" + arch; }
  bool nvidia() const;
  std::string toml() const;
};

/// A build as the tables have it, its numbers read once.
struct TorchBuild {
  std::string release, tag, vision, triton, status;
  bool verified = true, low = false, bundled = false;
  std::set<std::string> on;
  Numbers from, to, glibc, cuda, cudnn, floor, floor_in_wsl, least;   ///< least: the lowest GPU of its cuDNN
  std::vector<Numbers> archs;   ///< on the platform asked for
};

class Oracle {
 public:
  Oracle();
  std::vector<TorchBuild> builds(const std::string& platform) const;   ///< oldest release first
  std::vector<TorchBuild> rocm_builds() const;
  /// Whether the driver that is there (or any, where none is) drives all of these GPUs.
  bool driver_serves(const Case& machine) const;
  /// Everything that a build violates, in the words of Bar.
  std::set<std::string> against(const Case& machine, const TorchBuild& build) const;
  std::set<std::string> against_rocm(const Case& machine, const TorchBuild& build) const;
  /// "yes", "no" or "unknown": whether a wanted package has a release beside this build.
  std::string beside(const Case& machine, const TorchBuild& build, const std::string& wanted) const;

 private:
  const Node& arch(const std::string& capability) const;
  Numbers floor(const Numbers& cuda, const std::string& system) const;
  long branch(const Case& machine) const;
  bool knows_device(const Case::Gpu& gpu, const Numbers& driver) const;
  std::string row_beside(const Case& machine, const TorchBuild& build, const Node& row) const;
  const Node &torch_, &cuda_, &cudnn_, &gpu_, &driver_, &framework_;
};

}  // namespace gpudoctor::test
