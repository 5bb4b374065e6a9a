// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gpudoctor {
namespace {

constexpr std::size_t page_size = 4096;

}  // namespace

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

const PagedBytes::Page& PagedBytes::page(std::uint64_t number) const {
  for (const Page& one : pages_)
    if (one.number == number) return one;
  Page& one = pages_[oldest_];
  oldest_ = (oldest_ + 1) % pages_.size();
  one.number = number;
  one.bytes.resize(page_size);
  one.bytes.resize(bytes_->read(number * page_size, one.bytes.data(), page_size));
  return one;
}

std::size_t PagedBytes::read(std::uint64_t offset, void* to, std::size_t count) const {
  if (count > page_size) return bytes_->read(offset, to, count);
  std::size_t done = 0;
  while (done < count && offset + done >= offset) {
    const std::uint64_t at = offset + done;
    const Page& one = page(at / page_size);
    const std::size_t from = static_cast<std::size_t>(at % page_size);
    if (from >= one.bytes.size()) break;
    const std::size_t part = std::min(count - done, one.bytes.size() - from);
    std::memcpy(static_cast<char*>(to) + done, one.bytes.data() + from, part);
    done += part;
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
  return one_line(out);
}

std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

}  // namespace gpudoctor
