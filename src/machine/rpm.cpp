// SPDX-License-Identifier: Apache-2.0
#include "rpm.hpp"

#include <cstdint>
#include <map>

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr std::uint32_t most_entries = 1 << 16, most_data = 256u << 20;   // rpm's own limits: hdrblobInit
constexpr std::size_t most_files = 200'000;
enum Tag : std::uint32_t { name = 1000, version = 1001, release = 1002, epoch = 1003, architecture = 1022, dir_indexes = 1116, base_names = 1117, dir_names = 1118 };

std::uint32_t be32(std::string_view text, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(text[at + i]);
  return value;
}

/// The data of a header's entries. Every answer is inside the data, whatever the entries claim.
class Header {
 public:
  explicit Header(std::string_view blob) {
    if (blob.size() < 8) return;
    const std::uint32_t entries = be32(blob, 0), size = be32(blob, 4);
    if (entries > most_entries || size > most_data || 8 + std::size_t{entries} * 16 + size > blob.size()) return;
    data_ = blob.substr(8 + std::size_t{entries} * 16, size);
    for (std::uint32_t i = 0; i < entries; ++i) {
      const std::size_t at = 8 + std::size_t{i} * 16;
      if (be32(blob, at + 8) < size) entries_.emplace(be32(blob, at), Entry{be32(blob, at + 4), be32(blob, at + 8), be32(blob, at + 12)});
    }
  }

  std::vector<std::string> texts(Tag tag) const {
    std::vector<std::string> result;
    const auto found = entries_.find(tag);
    if (found == entries_.end() || (found->second.type != 6 && found->second.type != 8 && found->second.type != 9)) return result;
    std::size_t at = found->second.offset;
    for (std::uint32_t i = 0; i < found->second.count && i < most_files && at < data_.size(); ++i) {
      const auto end = data_.find('\0', at);
      if (end == std::string_view::npos) break;
      result.emplace_back(data_.substr(at, end - at));
      at = end + 1;
    }
    return result;
  }
  std::string text(Tag tag) const {
    const auto all = texts(tag);
    return all.empty() ? std::string() : printable(all.front());
  }
  std::vector<std::uint32_t> numbers(Tag tag) const {
    std::vector<std::uint32_t> result;
    const auto found = entries_.find(tag);
    if (found == entries_.end() || found->second.type != 4) return result;
    for (std::uint32_t i = 0; i < found->second.count && i < most_files; ++i) {
      const std::size_t at = found->second.offset + std::size_t{i} * 4;
      if (at + 4 > data_.size()) break;
      result.push_back(be32(data_, at));
    }
    return result;
  }

 private:
  struct Entry {
    std::uint32_t type, offset, count;
  };
  std::string_view data_;
  std::map<std::uint32_t, Entry> entries_;
};

}  // namespace

std::optional<RpmPackage> parse_rpm_header(std::string_view blob) {
  const Header header(blob);
  RpmPackage package{header.text(name), header.text(version), header.text(architecture), {}};
  if (package.name.empty() || package.version.empty()) return std::nullopt;
  if (const auto suffix = header.text(release); !suffix.empty()) package.version += "-" + suffix;
  if (const auto number = header.numbers(epoch); !number.empty()) package.version = std::to_string(number.front()) + ":" + package.version;
  const auto folders = header.texts(dir_names), names = header.texts(base_names);
  const auto folder_of = header.numbers(dir_indexes);
  for (std::size_t i = 0; i < names.size() && i < folder_of.size(); ++i)
    if (folder_of[i] < folders.size()) package.files.push_back(printable(folders[folder_of[i]] + names[i]));
  return package;
}

}  // namespace gpudoctor
