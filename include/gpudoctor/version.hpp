// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpudoctor {

/// How a version is ordered.
enum class Scheme {
  dotted,  ///< numbers and dots: NVIDIA drivers, CUDA releases and builds, cuDNN, NCCL, kernels, glibc
  pep440,  ///< Python packages: 2.8.0.dev20250527 < 2.8.0rc1 < 2.8.0 < 2.8.0.post1; a local label (+cu124) never orders
  dpkg,    ///< Debian packages: epoch, upstream, revision, ~
};

enum class Order { less, equal, greater, unknown };

/// A version as it was seen. Never a float; `unknown` is an answer.
/// A dotted version with fewer parts is a prefix: "525" against "525.60.13" is unknown, against "535.54.03" it is less.
/// NVML prints two of a driver's three parts, so "580.159" and "580.159.03" are not known to differ.
class Version {
 public:
  Version() = default;
  explicit Version(std::string text, Scheme scheme = Scheme::dotted);

  const std::string& text() const { return text_; }
  Scheme scheme() const { return scheme_; }
  /// False when the text is no version of its scheme ("TempVersion", "N/A").
  bool valid() const { return valid_; }
  /// The numbers of a dotted version or of a PEP 440 release, in order.
  const std::vector<unsigned long>& parts() const { return parts_; }
  /// The first number; 0 when invalid.
  unsigned long major() const { return parts_.empty() ? 0 : parts_[0]; }
  unsigned long minor() const { return parts_.size() > 1 ? parts_[1] : 0; }
  /// "12.4" of "12.4.131"; the text itself when it has fewer parts.
  std::string first(std::size_t count) const;
  /// PEP 440: what follows "+" ("cu124"), empty when there is none.
  std::string local() const;
  /// PEP 440: the text without the local label.
  std::string without_local() const;
  /// PEP 440: a dev, alpha, beta or candidate release.
  bool pre_release() const;

 private:
  std::string text_;
  Scheme scheme_ = Scheme::dotted;
  bool valid_ = false;
  std::vector<unsigned long> parts_;
};

Order compare(const Version& a, const Version& b);

/// cuDNN's number of itself, as cudnnGetVersion and torch.backends.cudnn.version() give it: 91002 is 9.10.2, 8907 is 8.9.7
/// (cudnn_version.h: major * 1000 up to 8, major * 10000 from 9 on). Empty for other numbers.
std::string cudnn_of_number(unsigned long number);

/// The first dotted number with at least `least` parts in a text; empty when there is none.
std::string find_version(std::string_view text, std::size_t least = 2);

}  // namespace gpudoctor
