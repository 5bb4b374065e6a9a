// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <unordered_set>

#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// An open file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  bool good() const { return fd_ >= 0; }
  int release() { const int fd = fd_; fd_ = -1; return fd; }

 private:
  int fd_;
};

/// A tree of files below a folder. Every link, absolute ones too, resolves inside it; ".." stops at its top.
/// Uses openat2(RESOLVE_IN_ROOT) (Linux 5.6); where the kernel lacks it, walks the path part by part without following.
class FileTree {
 public:
  /// Throws std::runtime_error when `root` is no folder that can be opened.
  explicit FileTree(const std::string& root, bool allow_openat2 = true);

  Result<std::string> read(const std::string& path, std::size_t limit) const;
  Result<std::vector<Entry>> list(const std::string& path) const;
  Result<Info> info(const std::string& path) const;
  Result<std::string> link(const std::string& path) const;
  Result<std::string> real(const std::string& path) const;
  /// A regular file, open for reading; never a FIFO or device, which it does not open at all.
  Result<Descriptor> open_file(const std::string& path) const;

 private:
  Descriptor open(const std::string& path, int flags) const;   // errno says why not
  Descriptor walk(const std::string& path, int flags) const;
  int resolve(std::string path, std::string& result) const;    // errno, or 0

  Descriptor root_;
  bool is_system_;         // the root is "/": plain system calls do
  bool allow_openat2_;
  mutable bool openat2_ = true;   // until the kernel says ENOSYS
  mutable std::unordered_set<std::string> folders_;   // known to be no links: most paths begin alike
};

Miss miss_of(int error);

}  // namespace gpudoctor
