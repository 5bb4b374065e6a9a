// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/node.hpp"
#include "paste.hpp"
#include "said.hpp"

namespace gpudoctor {

/// One form in which people paste: recognises its own lines, marks them as taken, and states what they say.
/// It invents nothing: "N/A" and "Could not collect" are unknown.
struct Reader {
  const char* name;    ///< as evidence names it: "nvidia-smi"
  void (*run)(Paste& paste, Said& said);
};

/// All readers in the order in which they run: tools first, prose last (src/readers/all.cpp).
const std::vector<Reader>& all_readers();

/// The known error texts (rules/signatures.toml), compiled once; see signatures.cpp.
class Signatures {
 public:
  /// Throws BadDocument for a row that cannot be used.
  explicit Signatures(const Node& document);
  ~Signatures();
  Signatures(Signatures&&) noexcept;
  /// States each error text that is found as a symptom, with what it asserts.
  void read(Paste& paste, Said& said) const;
  /// States what people say in their own words ("I have a 3090, driver 470"), of what nothing else told.
  void read_prose(Paste& paste, Said& said) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

/// A pasted text → facts. `name` is how evidence calls it.
void read_paste(std::string_view bytes, const std::string& name, const Signatures& signatures, Facts& facts);

/// "- **OS**: Ubuntu", "OS = Ubuntu", "OS : Ubuntu": the label in lower case without its marks, and the value.
struct Labelled {
  std::string name, value;
};
std::optional<Labelled> labelled(std::string_view line);

// One reader each, in its own file.
void read_labels(Paste& paste, Said& said);
void read_packages(Paste& paste, Said& said);
void read_nvidia_smi(Paste& paste, Said& said);

}  // namespace gpudoctor
