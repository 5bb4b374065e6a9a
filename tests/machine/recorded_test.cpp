// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "machines.hpp"

using namespace gpudoctor;

namespace {

std::unique_ptr<Machine> machine(const std::string& text, const char* world = "closed") {
  return open_recording(parse_toml(std::string("[recording]\nformat = 1\nworld = \"") + world + "\"\n" + text, "m.toml"), "m.toml");
}

std::string complaint(const std::string& text) {
  try {
    machine(text);
  } catch (const BadDocument& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("in a closed world what is not listed is absent, in an open one it was not looked at") {
  CHECK(machine("")->read("/etc/os-release").is_absent());
  CHECK(machine("", "open")->read("/etc/os-release").miss().why == Why::not_looked);
}

TEST_CASE("files imply their folders, links are followed") {
  const auto one = machine("[files]\n'/usr/lib/a.so.1' = 'x'\n[links]\n'/lib' = 'usr/lib'\n'/usr/lib/a.so' = 'a.so.1'\n'/x' = '/y'\n'/y' = '/x'\n");
  CHECK(one->list("/usr")->at(0).name == "lib");
  CHECK(one->read("/lib/a.so").value_or("") == "x");
  CHECK(one->real("/lib/a.so").value_or("") == "/usr/lib/a.so.1");
  CHECK(one->read("/x").miss().why == Why::loop);
  CHECK(one->info("/usr/lib")->kind == Kind::folder);
  CHECK(one->link("/lib/a.so").value_or("") == "a.so.1");
}

TEST_CASE("answers and errors of files") {
  const auto one = machine("[files]\n'/m.ko' = { modinfo = { version = '535.1', license = 'NVIDIA' } }\n'/f' = { error = 'not-regular' }\n'/b' = { hex = '00ff' }\n");
  CHECK(one->inspect("/m.ko", Inspect::modinfo)->at(0) == "version=535.1");
  CHECK(one->read("/f").miss().why == Why::not_regular);
  CHECK(one->read("/b").value_or("").size() == 2);
}

TEST_CASE("what a recording should not hold is named with its place") {
  CHECK(complaint("[files]\n'/a' = { nonsense = 1 }\n").starts_with("m.toml:5:"));
  CHECK(complaint("[filez]\n'/a' = 'x'\n").find("no table [filez]") != std::string::npos);
  CHECK(complaint("[files]\n'a' = 'x'\n").find("no absolute path") != std::string::npos);
  CHECK(complaint("[info]\n'/dev/null' = { kind = 'spoon' }\n").find("unknown kind 'spoon'") != std::string::npos);
  CHECK(complaint("[files]\n'/a' = { error = 'spoon' }\n").find("unknown error 'spoon'") != std::string::npos);
}

TEST_CASE("a value of another type is named with its place") {
  for (const char* text : {"[files]\n'/a' = { text = ['x'] }", "[files]\n'/a' = { hex = '0' }", "[folders]\n'/a' = [1]", "[folders]\n'/a' = ['../b']",
                           "[folders]\n'/a' = ['/']", "[info]\n'/a' = { size = -1 }", "[info]\n'/a' = { mode = 'rwx' }", "[info]\n'/a' = { owner = 'me' }",
                           "[commands]\na = { exit = 'x' }", "[commands]\na = { end = 'x' }", "[commands]\na = { truncated = 1 }"}) {
    CAPTURE(text);
    CHECK(complaint(text).starts_with("m.toml:5:"));
  }
}

TEST_CASE("commands are replayed by their words") {
  const auto one = machine("[commands]\n'nvidia-smi -L' = { exit = 9, err = 'no' }\n");
  CHECK(one->run({"nvidia-smi", "-L"})->code == 9);
  CHECK_FALSE(one->run({"nvidia-smi"}));
}
