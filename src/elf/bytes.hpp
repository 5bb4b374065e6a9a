// SPDX-License-Identifier: Apache-2.0
// Random access to a file's bytes, for readers that need a few hundred bytes out of hundreds of megabytes.
// Offsets and counts are in bytes. Nothing here throws for bad input: what cannot be read is simply not there.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gpudoctor {

class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::uint64_t size() const = 0;
  /// Copies up to `count` bytes from `offset`; returns how many: fewer at the end, at an error, or beyond the size.
  virtual std::size_t read(std::uint64_t offset, void* to, std::size_t count) const = 0;
};

/// Bytes that are already in memory: an unpacked module, or a test's file.
class MemoryBytes final : public Bytes {
 public:
  explicit MemoryBytes(std::string held) : held_(std::move(held)) {}
  std::uint64_t size() const override { return held_.size(); }
  std::size_t read(std::uint64_t offset, void* to, std::size_t count) const override;

 private:
  std::string held_;
};

/// An open regular file, read by pread. Owns the descriptor. The size is what it was at construction.
class FileBytes final : public Bytes {
 public:
  explicit FileBytes(int descriptor);
  ~FileBytes() override;
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  std::uint64_t size() const override { return size_; }
  std::size_t read(std::uint64_t offset, void* to, std::size_t count) const override;
  /// The sum of all counts asked for so far; readers are held to a share of the size by their tests.
  std::uint64_t requested() const { return requested_; }

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
  mutable std::uint64_t requested_ = 0;
};

/// Another file's bytes by pages of 4 KiB, a few of which are kept: for tables that are read entry by entry.
class PagedBytes final : public Bytes {
 public:
  explicit PagedBytes(const Bytes& bytes) : bytes_(&bytes) {}
  std::uint64_t size() const override { return bytes_->size(); }
  std::size_t read(std::uint64_t offset, void* to, std::size_t count) const override;

 private:
  struct Page {
    std::uint64_t number = ~std::uint64_t{0};
    std::string bytes;
  };
  const Page& page(std::uint64_t number) const;
  const Bytes* bytes_;
  mutable std::array<Page, 8> pages_;
  mutable std::size_t oldest_ = 0;
};

/// Exactly `count` bytes, or nothing. Asks the size first, so a lying count costs no memory.
std::optional<std::string> read_exactly(const Bytes& bytes, std::uint64_t offset, std::uint64_t count);

/// The text from `offset` to the next NUL, at most `limit` bytes, with control characters replaced by '?', so that it
/// can stand on a line of its own. Empty beyond the end.
std::string text_at(const Bytes& bytes, std::uint64_t offset, std::size_t limit = 4096);

/// The text with control characters replaced by '?'.
std::string one_line(std::string_view text);

/// Whether [offset, offset+count) lies inside [0, size), without overflow.
constexpr bool inside(std::uint64_t offset, std::uint64_t count, std::uint64_t size) {
  return offset <= size && count <= size - offset;
}

/// Little-endian numbers from unaligned memory.
inline std::uint16_t le16(const char* at) {
  const auto* u = reinterpret_cast<const unsigned char*>(at);
  return static_cast<std::uint16_t>(u[0] | u[1] << 8);
}
inline std::uint32_t le32(const char* at) {
  return static_cast<std::uint32_t>(le16(at)) | static_cast<std::uint32_t>(le16(at + 2)) << 16;
}
inline std::uint64_t le64(const char* at) {
  return static_cast<std::uint64_t>(le32(at)) | static_cast<std::uint64_t>(le32(at + 4)) << 32;
}

}  // namespace gpudoctor
