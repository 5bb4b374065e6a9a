// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// The CPython that a module's file name binds it to: "3.10" of "_C.cpython-310-x86_64-linux-gnu.so", "3.7" of
/// "x.cpython-37m-…". Empty for "_C.abi3.so" and plain "_C.so", which any Python takes.
std::string python_of_file_name(std::string_view name);

/// Libraries that the C and C++ runtimes bring, and that no package of Python does.
bool is_system_library(std::string_view soname);

/// What one shared library says of itself.
struct ExtensionFile {
  std::string path;                  ///< as found, links not resolved
  std::vector<std::string> needed;   ///< DT_NEEDED, all of it
  std::string rpath, runpath, glibc;
  bool torch = false;                ///< needs a library of PyTorch
  bool gpu = false;                  ///< needs one of PyTorch, CUDA or HIP
};
/// From the answer of Inspect::dynamic.
ExtensionFile parse_extension(const std::string& path, const std::vector<std::string>& dynamic);

/// The native libraries of one package in an environment.
struct ExtensionPackage {
  std::string key;                   ///< its dist-info, or the module itself where nothing says whose it is
  std::string name, version, installer;
  std::vector<std::string> files;    ///< paths, as its RECORD has them
};
/// Packages of a folder that bring shared libraries; PyTorch and NVIDIA's own are left out, since others look at them.
/// `doubt` says what could not be looked into.
std::vector<ExtensionPackage> extension_packages(const Machine& machine, const std::string& site, std::string& doubt);

}  // namespace gpudoctor
