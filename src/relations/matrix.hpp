// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/facts.hpp"
#include "gpudoctor/node.hpp"
#include "knowledge.hpp"

namespace gpudoctor {

/// A row of a table, with what a verdict may rest on it.
struct Row {
  const Node* node = nullptr;
  explicit operator bool() const { return node != nullptr; }
  std::string get(std::string_view key) const { return node ? node->get(key) : std::string(); }
  std::vector<std::string> list(std::string_view key) const { return node ? node->list(key) : std::vector<std::string>(); }
  /// False for low confidence: a verdict is then only likely.
  bool sure() const { return get("confidence") != "low" && verified(); }
  /// False for a row that must be treated as unknown.
  bool verified() const { return get("confidence") != "unverified"; }
};

/// The compatibility matrix as questions that relations ask. Never answers with a neighbouring row.
class Matrix {
 public:
  explicit Matrix(const Knowledge& knowledge) : knowledge_(knowledge) {}
  const Knowledge& knowledge() const { return knowledge_; }

  // GPUs (gpu.toml, driver.toml)
  Row nvidia_by_id(std::string_view device) const;        ///< "2684", in any case
  /// By the name that a driver prints or a person writes ("NVIDIA GeForce RTX 4090", "RTX 4090", "A100"); only where
  /// all boards of that name have one compute capability.
  Row nvidia_by_name(std::string_view name) const;
  Row amd_by_id(std::string_view device) const;
  Row amd_by_name(std::string_view name) const;
  Row capability(std::string_view cc) const;              ///< gpu.toml [[cc]]
  Row architecture(std::string_view cc) const;            ///< driver.toml [[arch]]

  // Drivers and CUDA (driver.toml, cuda.toml); branch 535, CUDA "12.4"
  Row branch(long number) const;
  long newest_branch() const;
  /// The branch of a driver by the numbers of Linux. On Windows a branch counts on: 581.80 is of 580, 566.36 of 565.
  long branch_of(const Version& driver, bool windows) const;
  Row first_driver(std::string_view device) const;        ///< driver.toml [[first]]
  /// The first driver of a branch that lists a device; "none" where the branch has none; empty where the table does not say.
  std::string first_driver_of(std::string_view device, long branch) const;
  std::string level(long branch) const;                   ///< CUDA that the branch reports, empty when unlisted
  /// Lowest driver that runs this CUDA; empty when the major is not listed. `system` is linux or windows.
  /// `sure` becomes false where the row is of low confidence.
  std::string floor(const Version& cuda, const std::string& system, bool* sure = nullptr) const;
  /// The driver of the toolkit's own release, or its branch alone ("615"); empty when unlisted.
  std::string own(const Version& cuda, const std::string& system, bool* sure = nullptr) const;
  std::string newest_cuda() const;

  // PyTorch (torch.toml)
  Row torch(const std::string& release) const;
  Row variant(const Row& release, const std::string& tag) const;
  std::string newest_torch() const;                       ///< newest release with a verified row
  std::vector<Row> torches() const;
  Row conda_forge(const Version& release, const Version& cuda) const;
  Row rocm(const std::string& tag) const;
  /// The gfx targets in the wheel of a torch release: those of its tag less those that this release lacks.
  std::vector<std::string> rocm_targets(const Row& row, const std::string& torch) const;

  // Other frameworks (framework.toml)
  /// The rows of a release: several where it exists for several CUDAs. Rows of open ranges give way to later ones.
  std::vector<Row> framework(const std::string& name, const std::string& version) const;

  /// All rows of a list of a table, in the order of its file.
  std::vector<Row> rows(const std::string& table, const std::string& list) const;

  /// The witness of a row: table, source text and date.
  Witness witness(const std::string& table, const Row& row) const;

 private:
  struct Needed {
    std::string driver;
    bool sure = true;
  };
  Row find_nvidia(std::string_view name) const;
  Row find_amd(std::string_view name) const;
  Row remembered(const std::string& key, std::string_view name, Row (Matrix::*find)(std::string_view) const) const;
  Needed find_floor(const Version& cuda, const std::string& system) const;
  Needed find_own(const Version& cuda, const std::string& system) const;
  const Knowledge& knowledge_;
  mutable std::map<std::string, Row> by_name_;
  mutable std::map<std::string, Needed> floors_, owns_;   ///< asked again for every build of every release
};

/// "1.9-1.12" from, to; "2.3-" from there on; "-1.9.1" up to it; "2.3" all that begin with it. Empty holds everything.
bool in_range(const std::string& range, const std::string& version);
/// "7.5 8.0 9.0+PTX" → sm_75 sm_80 sm_90 compute_90.
std::vector<std::string> arch_words(std::string_view list);
/// "9.0" → "90"; "sm_90a" → "9.0".
std::string sm_digits(std::string_view cc);
std::string cc_of_sm(std::string_view sm);
/// The family's name without the maker: "GeForce RTX 4090" and "RTX 4090" become "rtx 4090".
std::string plain_gpu_name(std::string_view name);

}  // namespace gpudoctor
