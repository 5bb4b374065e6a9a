// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/machine.hpp"

/// Where the parts of one CUDA toolkit lie.
namespace gpudoctor {

using Headers = std::vector<std::string>;

/// The real nvcc behind a path: links and the shell scripts of distributions are followed, nothing is run.
Result<std::string> find_compiler(const Machine& machine, std::string path);

/// "x86_64-linux-gnu": the folder in /usr/lib that Debian and its kin keep libraries of the machine in.
std::string triplet_of(const Facts& facts);

/// The folders of a toolkit's libraries and headers, likeliest first. They need not exist.
std::vector<std::string> toolkit_libraries(const std::string& root);
Headers toolkit_headers(const std::string& root);

struct Cudart {
  std::string path;                     ///< links resolved; empty when there is none
  Miss miss{Why::absent, "not there"};  ///< why there is none
};
/// libcudart in the first of the folders that has one.
Cudart find_cudart(const Machine& machine, const std::vector<std::string>& folders);
void say_cudart(const Machine& machine, Entity& toolkit, const Cudart& cudart);

/// The wheels that a toolkit unpacked from wheels was made of: its *.dist-info folders.
std::vector<std::string> toolkit_wheels(const Machine& machine, const std::string& root);

}  // namespace gpudoctor
