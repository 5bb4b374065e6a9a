// SPDX-License-Identifier: Apache-2.0
#include "prose.hpp"

#include <algorithm>

#include "text.hpp"

namespace gpudoctor {

bool speaks_of_another(std::string_view sentence) {
  static constexpr std::string_view words_of_another[] = {
      " works", " worked", "working", " upgrade", " downgrade", " updat", "previous", " before ", " used to ", " if ", "instead", " try ", " tried", " would ", " should ",
      " could ", " rather ", " another machine", " other machine", " on a machine with", " want ", " need", " require", " support", " instead of", " until ", " no longer ",
      " not ", "n't ", " without ", " except ", " unlike ", " than ", " older ", " newer ", " earlier ", " later ", " same ", " suspect", " maybe ", " perhaps ", " e.g.", "for example", "?"};
  const auto text = " " + lower(sentence) + " ";
  return std::any_of(std::begin(words_of_another), std::end(words_of_another), [&text](std::string_view word) { return contains(text, word); });
}

std::vector<Sentence> sentences(const Paste& paste) {
  std::vector<Sentence> result;
  for (std::size_t i = 0; i < paste.size(); ++i) {
    const auto& line = paste[i];
    if (paste.taken(i) || line.code || line.text.empty() || line.text.size() > 2000) continue;
    std::string_view rest = line.text;
    while (!rest.empty()) {
      auto end = std::min({rest.find(". "), rest.find("; "), rest.find("! "), rest.find(" - "), rest.find(", but "), rest.find(" but ")});
      const auto piece = trim(rest.substr(0, end));
      if (piece.size() > 2) result.push_back({i, std::string(piece)});
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
    }
  }
  return result;
}

}  // namespace gpudoctor
