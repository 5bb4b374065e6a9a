// SPDX-License-Identifier: Apache-2.0
// An inspected root cannot lead out of itself, hang or exhaust; both with openat2 and with the walking fallback.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <boost/filesystem/operations.hpp>
#include <boost/filesystem/string_file.hpp>

#include "file_tree.hpp"
#include "machines.hpp"

using namespace gpudoctor;
namespace fs = boost::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / fs::unique_path("gpudoctor-%%%%%%%%");
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  void file(const char* name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    fs::save_string_file(path / name, text);
  }
  void link(const char* name, const char* target) const {
    fs::create_directories((path / name).parent_path());
    REQUIRE(::symlink(target, (path / name).c_str()) == 0);
  }
};

void both(const std::string& root, void (*check)(const FileTree&)) {
  for (const bool openat2 : {true, false}) {
    CAPTURE(openat2);
    check(FileTree(root, openat2));
  }
}

}  // namespace

TEST_CASE("absolute links and dot-dots stay inside the root") {
  Folder root;
  root.file("etc/secret", "inside");
  root.link("absolute", "/etc/secret");
  root.link("up", "../../../../../../etc/secret");
  root.link("usr/lib/libcuda.so.1", "/etc/alternatives/libcuda");
  root.link("etc/alternatives/libcuda", "/etc/secret");
  both(root.path.string(), [](const FileTree& tree) {
    CHECK(tree.read("/absolute", 100).value_or("") == "inside");
    CHECK(tree.read("/up", 100).value_or("") == "inside");
    CHECK(tree.read("/../../etc/secret", 100).value_or("") == "inside");
    CHECK(tree.real("/usr/lib/libcuda.so.1").value_or("") == "/etc/secret");
    CHECK(tree.read("/usr/lib/libcuda.so.1", 100).value_or("") == "inside");
    CHECK(tree.link("/absolute").value_or("") == "/etc/secret");
    CHECK_FALSE(tree.read("/etc/passwd", 1 << 20));
  });
}

TEST_CASE("loops, FIFOs, folders and absences are told apart") {
  Folder root;
  root.link("a", "b");
  root.link("b", "a");
  root.file("plain/file", "x");
  REQUIRE(::mkfifo((root.path / "pipe").c_str(), 0600) == 0);
  both(root.path.string(), [](const FileTree& tree) {
    CHECK(tree.read("/a", 10).miss().why == Why::loop);
    CHECK(tree.read("/pipe", 10).miss().why == Why::not_regular);   // and does not wait for a writer
    CHECK(tree.read("/plain", 10).miss().why == Why::not_regular);
    CHECK(tree.read("/none", 10).is_absent());
    CHECK(tree.read("/plain/file/below", 10).is_absent());
    CHECK(tree.info("/pipe")->kind == Kind::other);
    CHECK(tree.list("/plain")->at(0).name == "file");
    CHECK(tree.link("/plain/file").is_absent());
  });
}

TEST_CASE("short and long paths are the same in both ways") {
  const Folder root;
  root.file("opt/a-folder-with-a-long-name/and-another-one/file", "x");
  root.file("o/f", "x");
  both(root.path.string(), [](const FileTree& tree) {
    for (const char* folder : {"/", "/o", "/opt", "/opt/a-folder-with-a-long-name", "/opt/a-folder-with-a-long-name/and-another-one"}) {
      CAPTURE(folder);
      const auto entries = tree.list(folder);
      REQUIRE(entries);
      CHECK_FALSE(entries->empty());
    }
    CHECK(tree.read("/o/f", 10).value_or("") == "x");
    CHECK(tree.read("/opt/a-folder-with-a-long-name/and-another-one/file", 10).value_or("") == "x");
  });
}

TEST_CASE("a sparse file of 10 GB is refused by its size, not read") {
  Folder root;
  root.file("huge", "");
  REQUIRE(::truncate((root.path / "huge").c_str(), 10LL << 30) == 0);
  both(root.path.string(), [](const FileTree& tree) { CHECK(tree.read("/huge", 1 << 20).miss().why == Why::too_large); });
}

TEST_CASE("a root that is none is an error that names it") {
  CHECK_THROWS_WITH_AS(FileTree("/no/such/root"), doctest::Contains("/no/such/root"), std::runtime_error);
}

TEST_CASE("a root has no variables, runs nothing and is not running") {
  Folder root;
  const auto machine = open_root(root.path.string());
  CHECK_FALSE(machine->running());
  CHECK_FALSE(machine->variable("PATH"));
  CHECK(machine->run({"/bin/true"}).miss().why == Why::not_running);
}
