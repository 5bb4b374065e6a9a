// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/facts.hpp"

namespace gpudoctor {

/// One line of a pasted text, as its author saw it on the screen: without quote marks, colours, fences, HTML, log prefixes
/// and the space that a terminal pads it with.
struct Line {
  int number = 0;               ///< in the text as it came, 1 first
  int block = 0;                ///< lines of one fence, <details> or paragraph of code share it
  bool code = false;            ///< fenced or indented: output or input of a program rather than prose
  std::string text;
};

/// A text that somebody pasted. Decodes UTF-8 and UTF-16, bounded in lines and in their length; what was cut is said.
class Paste {
 public:
  /// `name` is how evidence calls it: a file's name, or "standard input".
  Paste(std::string_view bytes, std::string name);

  const std::vector<Line>& lines() const { return lines_; }
  const Line& operator[](std::size_t index) const { return lines_[index]; }
  std::size_t size() const { return lines_.size(); }
  /// Whether it was longer than what is read.
  bool cut() const { return cut_; }

  /// Marks a line as understood, so that the readers of prose leave it alone.
  void take(std::size_t index) { taken_[index] = true; }
  bool taken(std::size_t index) const { return taken_[index]; }

  /// Where a line stands: "ticket.md:12 (nvidia-smi)".
  Witness witness(std::size_t index, std::string_view reader, Rank rank = Rank::tool) const;

 private:
  void add(std::string_view line, int number);
  std::string name_;
  std::vector<Line> lines_;
  std::vector<bool> taken_;
  int block_ = 0;
  char fence_ = 0;
  bool cut_ = false;
};

/// The text without ANSI colours, carriage returns that redraw a line, control characters, zero-width characters and
/// no-break spaces; box-drawing bars become '|'.
std::string plain_line(std::string_view line);

/// UTF-16 with a byte-order mark as UTF-8; a UTF-8 mark is dropped; other bytes as they are.
std::string decoded(std::string_view bytes);

/// Cuts from the front of a line what a log or a launcher puts before each: "(RayWorkerWrapper pid=3, ip=10.0.0.2) ",
/// "app-1  | ", "2026-01-02T03:04:05.678Z ", "[    7.85] ", "Jan 09 10:24:03 host kernel: ".
std::string_view without_prefix(std::string_view line);

}  // namespace gpudoctor
