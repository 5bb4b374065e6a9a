// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The texts in which PyTorch says what it is. Pure functions; nothing is executed.
namespace gpudoctor {

struct Assigned {
  std::string value;  ///< without quotes; empty for None
  bool none = false;
  int line = 0;
};
using VersionFile = std::map<std::string, Assigned, std::less<>>;

/// torch/version.py: its plain assignments. Nothing when it sets no __version__ that is a version.
std::optional<VersionFile> parse_version_file(std::string_view text);

/// Wheels of CUDA and Triton that METADATA or PKG-INFO pins for Linux, name==version; only the header is read.
std::vector<std::string> parse_pins(std::string_view metadata);

/// "cu124", "cpu", "rocm6.2.4" or "xpu" of a local label: "cu117.with.pypi.cudnn" gives cu117. Else empty.
std::string wheel_tag(std::string_view local);
/// "cu117" of "11.7".
std::string cuda_tag(std::string_view cuda);
/// "6.4" of hip "6.4.43484-123eb5128", "7.14.0" of tag rocm7.14.0.
std::string rocm_version(std::string_view tag, std::string_view rocm, std::string_view hip);

/// What is known of a build besides its version.
struct Clues {
  std::string version;      ///< __version__
  std::string folder;       ///< of the torch package
  std::string conda_build;  ///< of conda's record, when there is one
  std::string installer;    ///< INSTALLER of its dist-info
  bool cuda = false;
  bool jetson = false;
};
/// wheel, conda, conda-forge, ngc, jetson, debian, source or nightly.
std::string torch_origin(const Clues& clues);

/// "9.1.0" of py3.11_cuda12.4_cudnn9.1.0_0.
std::string cudnn_of_build(std::string_view conda_build);
/// "3.11" of _C.cpython-311-x86_64-linux-gnu.so; empty for the stable ABI and for names without one.
std::string python_of_module(std::string_view name);
/// "2.28" of the lowest manylinux tag in WHEEL (PEP 600; manylinux2014 is 2.17, 2010 is 2.12, 1 is 2.5); empty where there is none.
std::string glibc_of_wheel(std::string_view wheel);

/// gfx targets in a name: "TensileLibrary_gfx90a.dat", "torch_gfx1100.kpack".
std::string gfx_of_name(std::string_view name);

}  // namespace gpudoctor
