// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// An installed package, by the name of its metadata; nothing of it is opened.
struct Package {
  std::string name;     ///< PEP 503: nvidia-cudnn-cu12
  std::string version;  ///< as written; empty for an egg-info of a source tree
  std::string entry;    ///< path of its dist-info, egg-info or conda-meta record
  std::string build;    ///< of conda's: py3.11_cuda12.4_cudnn9.1.0_0
  std::string text() const { return name + "==" + version; }
};

/// "torch-2.6.0+cu124.dist-info", "torch-2.6.0+debian.egg-info", "numpy-1.26.4-py3.11.egg-info".
std::optional<Package> package_of(std::string_view entry);
/// "pytorch-2.5.1-py3.11_cuda12.4_cudnn9.1.0_0.json".
std::optional<Package> conda_package_of(std::string_view file);
/// Whether a package has to do with GPUs.
bool matters(std::string_view name);

/// "11.8" of libbitsandbytes_cuda118.so; empty for other names.
std::string cuda_of_bitsandbytes(std::string_view file);

/// Names with more than one dist-info, each version.
std::vector<std::string> duplicates(const std::vector<Package>& packages);
/// What one environment holds: each of its folders listed once.
struct Listing {
  std::vector<Package> packages, conda;
  std::vector<std::string> torch_folders;  ///< …/torch beside the metadata
  std::vector<std::string> hints;          ///< .pth, .egg-link and finder files that may lead to a torch elsewhere
  std::optional<Miss> missed;              ///< the first folder that could not be listed
  std::string missed_path;
};
Listing list_packages(const Machine& machine, const std::string& prefix, const std::vector<std::string>& sites);

}  // namespace gpudoctor
