// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bytes.hpp"

namespace gpudoctor {

/// A small buffer over Bytes for a walk that goes forward: consecutive looks share one read.
class Window {
 public:
  explicit Window(const Bytes& bytes) : bytes_(bytes) {}

  /// `need` bytes at `offset`, or null when the file does not have them. A miss reads `chunk` bytes (at least `need`).
  /// The pointer holds until the next call.
  const char* at(std::uint64_t offset, std::size_t need, std::size_t chunk) {
    if (offset < start_ || !inside(offset - start_, need, held_)) {
      if (!inside(offset, need, bytes_.size())) return nullptr;
      chunk = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(chunk, need), bytes_.size() - offset));
      buffer_.resize(std::max(buffer_.size(), chunk));
      start_ = offset;
      held_ = bytes_.read(offset, buffer_.data(), chunk);
      if (held_ < need) return nullptr;
    }
    return buffer_.data() + (offset - start_);
  }

 private:
  const Bytes& bytes_;
  std::vector<char> buffer_;
  std::uint64_t start_ = 0;
  std::size_t held_ = 0;
};

}  // namespace gpudoctor
