// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace gpudoctor {

/// Why something could not be read. `absent` is knowledge ("looked, is not there"); all others leave the fact unknown.
enum class Why {
  absent,       ///< ENOENT, ENOTDIR: it does not exist
  refused,      ///< EACCES, EPERM: this user may not look
  loop,         ///< a cycle of symbolic links
  not_regular,  ///< a FIFO, socket, device or folder where a file was expected
  too_large,    ///< beyond the bound that the reader set
  malformed,    ///< read, but not in the expected form
  not_running,  ///< only a running system can tell (an inspected root has no loaded module)
  not_looked,   ///< the recording does not say
  failed,       ///< an I/O error, a deadline, an abandoned child
};

/// A failed look: the kind of failure and one phrase for people, without the path ("permission denied").
struct Miss {
  Why why = Why::failed;
  std::string says;
};

/// One word per Why, as recordings and JSON write it ("absent", "refused", …).
const char* word(Why why);
/// The inverse; `failed` for a word that is none.
Why why_from_word(const std::string& word);

/// A value, or the reason why there is none. Never throws; ask before you take.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: conversions are the point
  Result(Miss miss) : held_(std::in_place_index<1>, std::move(miss)) {}  // NOLINT

  explicit operator bool() const { return held_.index() == 0; }
  const T& operator*() const { return std::get<0>(held_); }
  T& operator*() { return std::get<0>(held_); }
  const T* operator->() const { return &std::get<0>(held_); }
  T* operator->() { return &std::get<0>(held_); }
  const Miss& miss() const { return std::get<1>(held_); }
  bool is_absent() const { return held_.index() == 1 && miss().why == Why::absent; }
  T value_or(T other) const { return *this ? **this : std::move(other); }

 private:
  std::variant<T, Miss> held_;
};

}  // namespace gpudoctor
