// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <map>
#include <stdexcept>

#include "child.hpp"
#include "file_tree.hpp"
#include "inspect.hpp"
#include "libraries.hpp"
#include "machines.hpp"
#include "text.hpp"

namespace gpudoctor {
namespace {

/// What the live machine and an unpacked root have in common: files.
class Files : public Machine {
 public:
  Files(const std::string& root, bool allow_openat2) : tree_(root, allow_openat2) {}
  Result<std::string> read(const std::string& path, std::size_t limit) const override { return tree_.read(path, limit); }
  Result<std::vector<Entry>> list(const std::string& path) const override { return tree_.list(path); }
  Result<Info> info(const std::string& path) const override { return tree_.info(path); }
  Result<std::string> link(const std::string& path) const override { return tree_.link(path); }
  Result<std::string> real(const std::string& path) const override { return tree_.real(path); }
  Result<std::vector<std::string>> inspect(const std::string& path, Inspect what) const override {
    auto file = tree_.open_file(path);
    if (!file) return file.miss();
    return inspect_file(file->release(), what, path);
  }
  Result<std::vector<std::string>> unresolved(const std::string& path,
                                              const std::vector<std::string>& libraries) const override {
    auto file = tree_.open_file(path);
    if (!file) return file.miss();
    return libraries_.unresolved(file->release(), libraries, [this](const std::string& other) { return tree_.open_file(other); });
  }
  std::uint32_t user_id() const override { return ::geteuid(); }
  std::int64_t now() const override { return std::time(nullptr); }

 private:
  FileTree tree_;
  mutable Libraries libraries_;
};

class Live : public Files {
 public:
  Live() : Files("/", true) {}
  World world() const override { return World::live; }
  bool running() const override { return true; }
  bool asks() const override { return true; }
  Result<std::string> variable(const std::string& name) const override {
    const char* value = std::getenv(name.c_str());
    if (!value) return Miss{Why::absent, "not set"};
    return std::string(value);
  }
  Result<Output> run(const std::vector<std::string>& argv, unsigned deadline_ms) const override {
    return run_child(argv, {.deadline = std::chrono::milliseconds(deadline_ms)});
  }
  std::string working_folder() const override {
    std::array<char, PATH_MAX> buffer;
    return ::getcwd(buffer.data(), buffer.size()) ? buffer.data() : "/";
  }
};

/// This machine as another process of it sees it: that process's variables, folder, user and groups.
class OfProcess final : public Live {
 public:
  explicit OfProcess(const std::string& process) : self_("/proc/" + process) {
    const auto text = Live::read(self_ + "/environ", 1 << 21);
    if (!text) throw std::runtime_error("process " + process + ": " + (text.is_absent() ? "there is none" : text.miss().says));
    const auto mine = Live::link("/proc/self/ns/mnt"), its = Live::link(self_ + "/ns/mnt");
    if (mine && its && *mine != *its)
      throw std::runtime_error("process " + process + " has mounts of its own, as in a container: gpudoctor check --root " + self_ + "/root");
    for (const auto part : split(*text, '\0'))
      if (const auto sign = part.find('='); sign != std::string_view::npos && sign > 0) variables_.emplace(part.substr(0, sign), part.substr(sign + 1));
    const std::string status = Live::read(self_ + "/status", 1 << 16).value_or("");
    for (const auto line : lines(status))
      if (line.starts_with("Uid:"))
        if (const auto ids = words(line.substr(4)); ids.size() > 1) user_ = static_cast<std::uint32_t>(to_number(ids[1]));   // the effective one
  }
  Result<std::string> variable(const std::string& name) const override {
    const auto found = variables_.find(name);
    if (found == variables_.end()) return Miss{Why::absent, "not set"};
    return found->second;
  }
  Result<std::string> read(const std::string& path, std::size_t limit) const override { return Live::read(own(path), limit); }
  std::string working_folder() const override { return Live::link(self_ + "/cwd").value_or("/"); }
  std::uint32_t user_id() const override { return user_; }

 private:
  std::string own(const std::string& path) const { return path.starts_with("/proc/self/") ? self_ + path.substr(10) : path; }
  std::string self_;
  std::map<std::string, std::string> variables_;
  std::uint32_t user_ = ::geteuid();
};

class Root final : public Files {
 public:
  Root(const std::string& folder, bool allow_openat2) : Files(folder, allow_openat2) {}
  World world() const override { return World::root; }
  bool running() const override { return false; }
  bool asks() const override { return false; }
  Result<std::string> variable(const std::string&) const override { return Miss{Why::not_running, "a root has no variables"}; }
  Result<Output> run(const std::vector<std::string>&, unsigned) const override {
    return Miss{Why::not_running, "nothing of a root is run"};
  }
  std::string working_folder() const override { return "/"; }
};

}  // namespace

std::unique_ptr<Machine> open_live() { return std::make_unique<Live>(); }
std::unique_ptr<Machine> open_process(long process) { return std::make_unique<OfProcess>(std::to_string(process)); }
std::unique_ptr<Machine> open_root(const std::string& folder, bool allow_openat2) {
  return std::make_unique<Root>(folder, allow_openat2);
}

}  // namespace gpudoctor
