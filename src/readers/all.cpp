// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

namespace gpudoctor {

const std::vector<Reader>& all_readers() {
  static const std::vector<Reader> readers = {
      {"nvidia-smi", read_nvidia_smi},   // the table, with its header of all ages
      {"packages", read_packages},       // pip list and freeze, conda list, uv pip list, collect_env's [pip3] lines
      {"labels", read_labels},           // "Label: value": collect_env and its kin, and the forms of issue trackers
  };
  return readers;
}

void read_paste(std::string_view bytes, const std::string& name, const Signatures& signatures, Facts& facts) {
  Paste paste(bytes, name);
  Said said(facts);
  Entity& host = said.host();
  host.known("running", "yes", {Rank::tool, name, 0, {}});
  for (const auto& reader : all_readers()) reader.run(paste, said);
  signatures.read(paste, said);
  signatures.read_prose(paste, said);
  said.finish();
}

}  // namespace gpudoctor
