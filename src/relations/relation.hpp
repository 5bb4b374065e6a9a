// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "matrix.hpp"

namespace gpudoctor {

/// Facts × tables → derived facts. Writes only what it declares in src/core/declared.cpp, never judges.
struct Relation {
  const char* name;
  void (*derive)(const Matrix& matrix, Facts& facts);
};

/// All relations, in the order in which they run (src/relations/all.cpp).
const std::vector<Relation>& all_relations();
void derive(const Matrix& matrix, Facts& facts);

/// What the user says instead of what was seen; throws std::invalid_argument for a name that nothing knows.
struct Assumptions {
  std::vector<std::string> gpus;   ///< names, sm_89, 10de:2684, gfx1100
  std::string driver;
};
void assume(const Assumptions& assumptions, const Matrix& matrix, Facts& facts);

// One line a relation, each in its own file.
void gpu_identity(const Matrix& matrix, Facts& facts);
void driver_standing(const Matrix& matrix, Facts& facts);
void env_wheels(const Matrix& matrix, Facts& facts);
void torch_build(const Matrix& matrix, Facts& facts);
void torch_on_gpu(const Matrix& matrix, Facts& facts);
void gpu_health(const Matrix& matrix, Facts& facts);
void fabric(const Matrix& matrix, Facts& facts);
void gpu_on_driver(const Matrix& matrix, Facts& facts);
void cuda_on_driver(const Matrix& matrix, Facts& facts);
void extension_on_torch(const Matrix& matrix, Facts& facts);
void companion(const Matrix& matrix, Facts& facts);
void link_standing(const Matrix& matrix, Facts& facts);
void conda(const Matrix& matrix, Facts& facts);
void frameworks(const Matrix& matrix, Facts& facts);
void needs(const Matrix& matrix, Facts& facts);
void library_on_gpu(const Matrix& matrix, Facts& facts);
void asked(const Matrix& matrix, Facts& facts);
void jetson(const Matrix& matrix, Facts& facts);
void variable(const Matrix& matrix, Facts& facts);
void container_summary(const Matrix& matrix, Facts& facts);
void rocm(const Matrix& matrix, Facts& facts);
void requirement(const Matrix& matrix, Facts& facts);
void compat_on_gpu(const Matrix& matrix, Facts& facts);
void host_summary(const Matrix& matrix, Facts& facts);
void matrix_gap(const Matrix& matrix, Facts& facts);

/// A package of an environment, as its facts write it: name==version.
struct NamedVersion {
  std::string name, version;
};
std::vector<NamedVersion> named_versions(const Entity& env, const char* fact);

/// A variable that is set; null otherwise.
const Entity* variable_named(const Facts& facts, std::string_view name);

/// Whether a CUDA build (its facts archs and cuda) has code for a GPU: runs, jit, newer, older, gap or unknown; and what of
/// its archs serves.
std::string cuda_reach(const Facts& facts, const Entity& build, const Entity& gpu, std::vector<std::string>& serves);

/// "linux" or "windows"; and the platform of wheels: linux-x86_64 …
std::string system_of(const Facts& facts);
std::string platform_of(const Facts& facts);

}  // namespace gpudoctor
