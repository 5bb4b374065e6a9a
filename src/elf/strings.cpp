// SPDX-License-Identifier: Apache-2.0
#include "strings.hpp"

#include <algorithm>
#include <cstring>

namespace gpudoctor {
namespace {

constexpr std::size_t chunk = 64u << 10;    // small enough to stay in the cache; touching a megabyte costs more than the calls
constexpr std::size_t context = 128;        // bytes after an anchor
constexpr std::size_t longest_list = 4096;  // bytes of one arch list
constexpr std::uint64_t most_rodata = 64u << 20;
constexpr std::uint64_t most_file = 256u << 20;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool word(char c) { return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Calls look(part, own) with overlapping chunks of the range. What begins in the first `own` bytes of a part is whole
/// in it when it is not longer than `overlap`; what begins later comes again in the next part.
bool chunks(const Bytes& bytes, std::uint64_t begin, std::uint64_t size, std::size_t overlap,
            const std::function<bool(std::string_view, std::size_t)>& look) {
  std::string buffer(static_cast<std::size_t>(std::min<std::uint64_t>(size, chunk)), '\0');
  for (std::uint64_t done = 0; done < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, buffer.size()));
    const std::size_t got = bytes.read(begin + done, buffer.data(), wanted);
    if (got == 0) return false;
    const bool last = got < wanted || done + got >= size;
    const std::size_t own = last ? got : got - overlap;  // a chunk that is not the last is far longer than the overlap
    if (look(std::string_view(buffer.data(), got), own)) return true;
    if (last) return false;
    done += own;
  }
  return false;
}

bool find_in_elf(const Elf& elf, std::string_view anchor, const std::function<bool(std::string_view)>& found) {
  const Section* rodata = elf.section(".rodata");
  if (rodata) return find_text(elf.bytes(), rodata->offset, std::min(rodata->size, most_rodata), anchor, found);
  return find_text(elf.bytes(), 0, std::min(elf.bytes().size(), most_file), anchor, found);
}

/// Takes "13.0.88" from the front of the text: numbers of up to 5 digits, at least two, joined by `dot`.
std::string take_version(std::string_view& text, char dot = '.') {
  std::string out;
  std::size_t at = 0, numbers = 0;
  while (numbers < 6) {
    std::size_t end = at;
    while (end < text.size() && end - at < 5 && digit(text[end])) ++end;
    if (end == at) break;
    if (numbers++) out += '.';
    out += text.substr(at, end - at);
    at = end;
    if (at + 1 >= text.size() || text[at] != dot || !digit(text[at + 1])) break;
    ++at;
  }
  if (numbers < 2) return {};
  text.remove_prefix(at);
  return out;
}

bool take(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text.remove_prefix(front.size());
  return true;
}

/// The length of one arch word at the front, or 0.
std::size_t arch_word(std::string_view text) {
  const std::size_t prefix = text.starts_with("sm_") ? 3 : text.starts_with("compute_") ? 8 : 0;
  std::size_t end = prefix;
  while (prefix && end < text.size() && end - prefix < 4 && digit(text[end])) ++end;
  if (end == prefix) return 0;
  if (end < text.size() && (text[end] == 'a' || text[end] == 'f')) ++end;
  return end < text.size() && word(text[end]) ? 0 : end;
}

/// The length of a list of arch words at the front, or 0.
std::size_t arch_list(std::string_view text) {
  std::size_t end = arch_word(text);
  while (end && end < text.size() && text[end] == ' ') {
    const std::size_t next = arch_word(text.substr(end + 1));
    if (!next) break;
    end += 1 + next;
  }
  return end;
}

}  // namespace

bool find_text(const Bytes& bytes, std::uint64_t begin, std::uint64_t size, std::string_view anchor,
               const std::function<bool(std::string_view)>& found) {
  return chunks(bytes, begin, size, anchor.size() + context, [&](std::string_view part, std::size_t own) {
    for (std::size_t at = 0; at < own;) {
      const void* hit = ::memmem(part.data() + at, part.size() - at, anchor.data(), anchor.size());
      if (!hit) return false;
      at = static_cast<std::size_t>(static_cast<const char*>(hit) - part.data());
      if (at < own && found(part.substr(at + anchor.size(), context))) return true;
      at += anchor.size();
    }
    return false;
  });
}

Result<std::vector<std::string>> torch_archs(const Elf& elf) {
  const Section* rodata = elf.section(".rodata");
  std::string longest;
  if (rodata) {
    const std::uint64_t size = std::min(rodata->size, most_rodata);
    chunks(elf.bytes(), rodata->offset, size, longest_list, [&](std::string_view part, std::size_t own) {
      for (std::size_t at = part.find('_'); at != part.npos; at = part.find('_', at + 1)) {
        const std::string_view before = part.substr(0, at);
        const std::size_t prefix = before.ends_with("sm") ? 2 : before.ends_with("compute") ? 7 : 0;
        const std::size_t start = at - prefix;
        if (!prefix || start >= own) continue;
        const std::size_t length = arch_list(part.substr(start, longest_list));
        // A single word must stand alone; before a list may lie any byte of other data (torch 2.9.1: a letter).
        const bool list = part.substr(start, length).find(' ') != std::string_view::npos;
        if (!list && start > 0 && word(part[start - 1])) continue;
        if (length > longest.size()) longest = part.substr(start, length);
        if (length) at = start + length - 1;
      }
      return false;
    });
  }
  std::vector<std::string> out;
  for (std::string_view rest = longest; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (out.empty()) return Miss{Why::malformed, "holds no list of architectures"};
  return out;
}

Result<NcclVersion> nccl_version(const Elf& elf) {
  NcclVersion out;
  find_in_elf(elf, "NCCL version ", [&](std::string_view text) {
    NcclVersion here;
    here.version = take_version(text);
    if (here.version.empty()) return false;
    if (take(text, "+cuda") || take(text, " compiled with CUDA ")) here.cuda = take_version(text);
    if (out.version.empty() || !here.cuda.empty()) out = here;
    return !out.cuda.empty();
  });
  if (out.version.empty()) return Miss{Why::malformed, "holds no NCCL version"};
  return out;
}

Result<NvccRelease> nvcc_release(const Elf& elf) {
  NvccRelease out;
  find_in_elf(elf, "release ", [&](std::string_view text) {
    out.release = take_version(text);
    out.build = take(text, ", V") ? take_version(text) : std::string();
    return !out.release.empty() && !out.build.empty();
  });
  if (out.release.empty() || out.build.empty()) return Miss{Why::malformed, "holds no CUDA release"};
  return out;
}

Result<std::string> cudnn_version(const Elf& elf) {
  std::string out;
  find_in_elf(elf, "cudnn_version_", [&](std::string_view text) {
    std::string version = take_version(text, '_');
    if (std::count(version.begin(), version.end(), '.') != 3) return false;
    out = version.substr(0, version.rfind('.'));  // without the build number, as file names and headers give it
    return true;
  });
  if (out.empty()) return Miss{Why::malformed, "holds no cuDNN version"};
  return out;
}

}  // namespace gpudoctor
