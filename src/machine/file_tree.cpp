// SPDX-License-Identifier: Apache-2.0
#include "file_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "text.hpp"

namespace gpudoctor {
namespace {

constexpr int max_links = 40;           // as the kernel's own limit
constexpr std::size_t max_entries = 200'000;

Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return Kind::file;
  if (S_ISDIR(mode)) return Kind::folder;
  if (S_ISLNK(mode)) return Kind::link;
  if (S_ISCHR(mode)) return Kind::character;
  if (S_ISBLK(mode)) return Kind::block;
  return Kind::other;
}

std::string relative(const std::string& path) {
  const auto start = path.find_first_not_of('/');
  return start == std::string::npos ? "." : path.substr(start);
}

bool has_null(const std::string& path) { return path.find('\0') != std::string::npos; }

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = other.release();
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Miss miss_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR: return {Why::absent, "not there"};
    case EACCES:
    case EPERM: return {Why::refused, "permission denied"};
    case ELOOP: return {Why::loop, "a loop of links"};
    default: return {Why::failed, std::strerror(error)};
  }
}

FileTree::FileTree(const std::string& root, bool allow_openat2)
    : root_(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), is_system_(root == "/"), allow_openat2_(allow_openat2) {
  if (!root_.good() || ::faccessat(root_.get(), ".", R_OK | X_OK, AT_EACCESS) != 0)
    throw std::runtime_error(root + ": " + std::strerror(errno));
}

Descriptor FileTree::open(const std::string& path, int flags) const {
  if (has_null(path)) return errno = ENOENT, Descriptor();
  flags |= O_CLOEXEC;
  if (is_system_) return Descriptor(::open(path.c_str(), flags));
  if (allow_openat2_ && openat2_) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags);
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    const long fd = ::syscall(SYS_openat2, root_.get(), relative(path).c_str(), &how, sizeof how);
    if (fd >= 0) return Descriptor(static_cast<int>(fd));
    // ENOSYS: an old kernel; EPERM: a container's filter that does not know the call.
    if (errno != ENOSYS && errno != EPERM && errno != E2BIG) return Descriptor();
    openat2_ = false;
  }
  return walk(path, flags);
}

int FileTree::resolve(std::string path, std::string& result) const {
  std::string done;                // resolved so far, without a leading slash
  std::vector<std::string> todo;   // next part last
  const auto push = [&todo](std::string_view text) {
    auto parts = split(text, '/');
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      if (!part->empty() && *part != ".") todo.emplace_back(*part);
  };
  push(path);
  int links = 0;
  while (!todo.empty()) {
    const std::string part = std::move(todo.back());
    todo.pop_back();
    const std::size_t before = done.size();
    if (part == "..") {
      const auto slash = done.rfind('/');
      done.resize(slash == std::string::npos ? 0 : slash);
      continue;
    }
    done.append(before ? "/" : "").append(part);
    if (folders_.contains(done)) continue;
    struct stat status {};
    if (::fstatat(root_.get(), done.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (S_ISLNK(status.st_mode)) {
      if (++links > max_links) return ELOOP;
      std::array<char, PATH_MAX> target;
      const ssize_t size = ::readlinkat(root_.get(), done.c_str(), target.data(), target.size());
      if (size < 0) return errno;
      const std::string_view text(target.data(), static_cast<std::size_t>(size));
      done.resize(text.starts_with('/') ? 0 : before);
      push(text);
    } else if (S_ISDIR(status.st_mode)) {
      folders_.insert(done);
    } else if (!todo.empty()) {
      return ENOTDIR;
    }
  }
  result = "/" + done;
  return 0;
}

Descriptor FileTree::walk(const std::string& path, int flags) const {
  std::string plain;
  if (const int error = resolve(path, plain); error != 0) return errno = error, Descriptor();
  // Opened part by part without following: what changed since `resolve` fails instead of leading out.
  Descriptor at(::openat(root_.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string below = relative(plain);   // outlives its parts
  const auto parts = split(below, '/');
  for (std::size_t i = 0; at.good() && i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    at = Descriptor(::openat(at.get(), std::string(parts[i]).c_str(), O_NOFOLLOW | (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC)));
  }
  return at;
}

Result<Info> FileTree::info(const std::string& path) const {
  struct stat status {};
  if (is_system_) {   // one call instead of three, for what is asked most
    if (has_null(path) || ::stat(path.c_str(), &status) != 0) return miss_of(has_null(path) ? ENOENT : errno);
  } else if (const Descriptor file = open(path, O_PATH); !file.good() || ::fstat(file.get(), &status) != 0) {
    return miss_of(errno);
  }
  return Info{kind_of(status.st_mode), static_cast<std::uint64_t>(status.st_size), status.st_mode & 07777, status.st_uid, status.st_gid};
}

Result<Descriptor> FileTree::open_file(const std::string& path) const {
  const auto before = info(path);   // looked at without opening: opening a device can have effects
  if (!before) return before.miss();
  if (before->kind != Kind::file) return Miss{Why::not_regular, before->kind == Kind::folder ? "a folder, not a file" : "not a regular file"};
  Descriptor file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  if (!file.good() || ::fstat(file.get(), &status) != 0) return miss_of(errno);
  if (!S_ISREG(status.st_mode)) return Miss{Why::not_regular, "not a regular file"};
  return file;
}

Result<std::string> FileTree::read(const std::string& path, std::size_t limit) const {
  auto file = open_file(path);
  if (!file) return file.miss();
  struct stat status {};
  ::fstat(file->get(), &status);
  if (static_cast<std::uint64_t>(status.st_size) > limit) return Miss{Why::too_large, "larger than " + std::to_string(limit) + " bytes"};
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {   // files of /proc and /sys say size 0
    const ssize_t got = ::read(file->get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return miss_of(errno);
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > limit) return Miss{Why::too_large, "larger than " + std::to_string(limit) + " bytes"};
  }
}

Result<std::vector<Entry>> FileTree::list(const std::string& path) const {
  Descriptor folder = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  if (!folder.good()) return miss_of(errno);
  DIR* stream = ::fdopendir(folder.get());
  if (!stream) return miss_of(errno);
  folder.release();
  std::vector<Entry> entries;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entries.size() == max_entries) {
      ::closedir(stream);
      return Miss{Why::too_large, "more than " + std::to_string(max_entries) + " entries"};
    }
    Kind kind = Kind::other;
    switch (entry->d_type) {
      case DT_REG: kind = Kind::file; break;
      case DT_DIR: kind = Kind::folder; break;
      case DT_LNK: kind = Kind::link; break;
      case DT_CHR: kind = Kind::character; break;
      case DT_BLK: kind = Kind::block; break;
      case DT_UNKNOWN: {
        struct stat status {};
        if (::fstatat(::dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) kind = kind_of(status.st_mode);
        break;
      }
      default: break;
    }
    entries.push_back({std::string(name), kind});
  }
  ::closedir(stream);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

Result<std::string> FileTree::link(const std::string& path) const {
  if (has_null(path)) return miss_of(ENOENT);
  const Descriptor folder = open(parent(path).empty() ? "/" : parent(path), O_PATH | O_DIRECTORY);
  if (!folder.good()) return miss_of(errno);
  std::array<char, PATH_MAX> target;
  const ssize_t size = ::readlinkat(folder.get(), base_name(path).c_str(), target.data(), target.size());
  if (size < 0) return errno == EINVAL ? Miss{Why::absent, "not a link"} : miss_of(errno);
  return std::string(target.data(), static_cast<std::size_t>(size));
}

Result<std::string> FileTree::real(const std::string& path) const {
  if (has_null(path)) return miss_of(ENOENT);
  std::string result;
  if (const int error = resolve(path, result); error != 0) return miss_of(error);
  return result;
}

}  // namespace gpudoctor
