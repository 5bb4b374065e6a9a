// SPDX-License-Identifier: Apache-2.0
// digest FOLDER FILE: checks a rules folder and writes its digest. Faults go to stderr, and the build stops.
#include <cstdio>
#include <exception>
#include <fstream>

#include "rule_files.hpp"

int main(int count, char** words) {
  using namespace gpudoctor;
  if (count != 3) return std::fputs("usage: digest FOLDER FILE\n", stderr), 2;
  try {
    const auto documents = read_rule_folder(words[1]);
    const auto faults = verify(documents);
    for (const auto& fault : faults) std::fprintf(stderr, "%s/%s\n", words[1], fault.c_str());
    if (!faults.empty()) return 1;
    const Knowledge check(documents);   // throws what only typed loading sees
    std::ofstream file(words[2], std::ios::binary);
    file << fold(documents);
    return file.good() ? 0 : 1;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
