// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "text.hpp"

namespace gpudoctor {

std::size_t MemoryBytes::read(std::uint64_t offset, void* to, std::size_t count) const {
  if (offset >= held_.size()) return 0;
  const std::size_t there = std::min<std::size_t>(count, held_.size() - static_cast<std::size_t>(offset));
  if (there) std::memcpy(to, held_.data() + offset, there);
  return there;
}

FileBytes::FileBytes(int descriptor) : descriptor_(descriptor) {
  struct stat about {};
  if (::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
    size_ = static_cast<std::uint64_t>(about.st_size);
  }
}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t FileBytes::read(std::uint64_t offset, void* to, std::size_t count) const {
  requested_ += count;
  if (offset >= size_) return 0;
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, size_ - offset));
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t got =
        ::pread(descriptor_, static_cast<char*>(to) + done, wanted - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::optional<std::string> read_exactly(const Bytes& bytes, std::uint64_t offset, std::uint64_t count) {
  if (!inside(offset, count, bytes.size())) return std::nullopt;
  std::string out(static_cast<std::size_t>(count), '\0');
  if (bytes.read(offset, out.data(), out.size()) != out.size()) return std::nullopt;
  return out;
}

std::string text_at(const Bytes& bytes, std::uint64_t offset, std::size_t limit) {
  std::string out;
  char part[128];
  while (out.size() < limit) {
    const std::size_t got = bytes.read(offset + out.size(), part, std::min(sizeof part, limit - out.size()));
    const std::string_view read(part, got);
    const std::size_t end = read.find('\0');
    out.append(read.substr(0, end));
    if (end != std::string_view::npos || got == 0) break;
  }
  return printable(out);
}

}  // namespace gpudoctor
