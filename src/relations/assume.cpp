// SPDX-License-Identifier: Apache-2.0
// --assume-gpu and --assume-driver: what the user says replaces what was seen, and says so as its source.
#include <stdexcept>

#include "relation.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

void assume_gpu(const std::string& text, int index, const Matrix& matrix, Facts& facts) {
  const Witness said{Rank::assumed, "--assume-gpu", 0, {}};
  Entity& gpu = facts.at("gpu", "assumed " + std::to_string(index));
  const auto plain = lower(trim(text));
  gpu.known("index", std::to_string(index), said);
  if (plain.starts_with("sm_") || plain.starts_with("compute_")) {
    const auto cc = cc_of_sm(plain);
    if (!matrix.capability(cc)) throw std::invalid_argument("--assume-gpu " + text + ": no such compute capability in the matrix of " + matrix.knowledge().date());
    gpu.known("vendor", "nvidia", said).known("compute_capability", cc, said).known("name", "sm_" + sm_digits(cc), said);
  } else if (plain.starts_with("gfx")) {
    gpu.known("vendor", "amd", said).known("gfx", plain, said).known("name", plain, said);
  } else if (plain.starts_with("10de:") || plain.starts_with("1002:")) {
    const bool nvidia = plain.starts_with("10de:");
    if (!(nvidia ? matrix.nvidia_by_id(plain.substr(5)) : matrix.amd_by_id(plain.substr(5))))
      throw std::invalid_argument("--assume-gpu " + text + ": no such device in the matrix of " + matrix.knowledge().date());
    gpu.known("vendor", nvidia ? "nvidia" : "amd", said).known("pci_id", plain, said);
  } else if (matrix.nvidia_by_name(text)) {
    gpu.known("vendor", "nvidia", said).known("name", text, said);
  } else if (matrix.amd_by_name(text)) {
    gpu.known("vendor", "amd", said).known("name", text, said);
  } else {
    throw std::invalid_argument("--assume-gpu " + text + ": not one GPU of the matrix of " + matrix.knowledge().date() +
                                " (try the full name, sm_89, or a PCI id such as 10de:2684)");
  }
}

}  // namespace

void assume(const Assumptions& assumptions, const Matrix& matrix, Facts& facts) {
  if (!assumptions.gpus.empty()) {
    for (const Entity* gpu : std::as_const(facts).of("gpu")) facts.drop(Id(gpu->id()));
    facts.look_anew("gpu");
    int index = 0;
    for (const auto& text : assumptions.gpus) assume_gpu(text, index++, matrix, facts);
  }
  if (!assumptions.driver.empty()) {
    const Version version(assumptions.driver);
    if (!version.valid()) throw std::invalid_argument("--assume-driver " + assumptions.driver + ": no version");
    for (const Entity* copy : std::as_const(facts).of("driver_copy")) facts.drop(Id(copy->id()));
    facts.drop({"driver", ""});
    Entity& driver = facts.at("driver");
    for (const char* fact : {"loaded", "on_disk", "libraries"}) driver.assume(fact, assumptions.driver, "--assume-driver");
    const Witness said{Rank::assumed, "--assume-driver", 0, {}};
    driver.known("uvm", "yes", said).known("nouveau", "no", said);
    facts.look_anew("driver");
    facts.look_anew("driver_copy");
  }
}

}  // namespace gpudoctor
