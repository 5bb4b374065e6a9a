// SPDX-License-Identifier: Apache-2.0
// How commands for one Python environment are written.
#pragma once
#include "actions.hpp"
#include "chooser.hpp"

namespace gpudoctor {

/// {env}, {python}, and what installs into it, best first.
void environment_values(const Entity& env, const Facts& facts, Machine::World world, Values& values, std::vector<std::string>& managers);
/// {torch}, {tag} and {index}; the index of a tag by the era of the release (torch.toml, index.pip).
void index_values(const Matrix& matrix, const std::string& torch, const std::string& tag, Values& values);
/// A choice as values; false where conda has none such.
bool torch_values_of(const Matrix& matrix, const TorchChoice& choice, Values& values, std::vector<std::string>& managers);
/// The old way to name an index, and an environment of its own where the system manages this Python (PEP 668).
void suit_environment(const Entity* env, const Values& values, Fix& fix);

/// The package of a native extension, and who installs it: pip, uv or conda. `gpu` may be null.
void extension_values(const Entity& extension, const Entity* gpu, Values& values, std::vector<std::string>& managers);

/// The wheels of torch's pins that bring the libraries it misses.
void wheels_of_missing(const Entity& torch, Values& values);
/// The folder that wins and the one that loses, for commands about LD_LIBRARY_PATH.
void shadow_values(const Entity& shadow, const Facts& facts, Machine::World world, Values& values);

/// The archive of LibTorch that goes with a program's ABI, or without one with the toolkit's CUDA; why there is none, else
/// empty.
std::string libtorch_values(const Matrix& matrix, const Facts& facts, const Entity& libtorch, const Entity* program, Values& values);

}  // namespace gpudoctor
