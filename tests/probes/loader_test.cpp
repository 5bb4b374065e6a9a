// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "loader.hpp"
#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

namespace {

LoaderFolders folders_of(const std::string& tables) {
  const auto machine = machine_of(tables);
  return loader_folders(*machine, Facts());
}

}  // namespace

TEST_CASE("files that include each other are each read once") {
  const auto loader = folders_of(
      "[files]\n'/etc/ld.so.conf' = '''include ld.so.conf.d/*.conf\n/opt/b'''\n"
      "'/etc/ld.so.conf.d/a.conf' = '''include /etc/ld.so.conf\ninclude *.conf\n/opt/a'''\n"
      "'/opt/a/x' = ''\n'/opt/b/x' = ''\n");
  REQUIRE(loader.folders.size() == 2);
  CHECK(loader.folders[0].path == "/opt/a");
  CHECK(loader.folders[1].path == "/opt/b");
  CHECK(loader.doubt.empty());
}

TEST_CASE("a pattern of folders is not followed, and that is said") {
  const auto loader = folders_of("[files]\n'/etc/ld.so.conf' = 'include /*/*/*.conf'\n'/a/b/c.conf' = '/a'\n");
  CHECK(loader.folders.empty());
  CHECK(loader.doubt == "/*/*/*.conf: a pattern of folders is not followed");
}

TEST_CASE("a folder's own name is no pattern") {
  const auto machine = machine_of("[files]\n'/opt/*/lib/a' = ''\n'/opt/x/lib/b' = ''\n");
  const std::vector<std::string> found{"/opt/*/lib/a"};
  CHECK(glob_in(*machine, "/opt/*", "lib/*") == found);
}
