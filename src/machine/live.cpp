// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <ctime>

#include "child.hpp"
#include "file_tree.hpp"
#include "inspect.hpp"
#include "libraries.hpp"
#include "machines.hpp"

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

class Live final : public Files {
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
std::unique_ptr<Machine> open_root(const std::string& folder, bool allow_openat2) {
  return std::make_unique<Root>(folder, allow_openat2);
}

}  // namespace gpudoctor
