// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <doctest/doctest.h>

#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("os-release: quotes, comments and escapes") {
  const auto release = parse_os_release("# a comment\nID=ubuntu\nVERSION_ID=\"22.04\"\nNAME='Linux \\\"X\\\"'\r\nbroken\n");
  CHECK(release.at("ID") == "ubuntu");
  CHECK(release.at("VERSION_ID") == "22.04");
  CHECK(release.at("NAME") == "Linux \"X\"");
  CHECK(release.size() == 3);
}

TEST_CASE("the L4T release of a Jetson") {
  CHECK(parse_tegra_release("# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64\n") == "R36.4.3");
  CHECK(parse_tegra_release("# R32 (release), REVISION: 7.1, GCID: 29818004, BOARD: t210ref") == "R32.7.1");
  CHECK(parse_tegra_release("something else") == "");
}

TEST_CASE("glibc by the file that libc.so.6 leads to") {
  CHECK(glibc_of_file_name("libc-2.31.so") == "2.31");
  CHECK(glibc_of_file_name("libc.so.6") == "");
}

TEST_CASE("WSL by the kernel's name") {
  CHECK(wsl_of_kernel("5.15.153.1-microsoft-standard-WSL2", false) == "2");
  CHECK(wsl_of_kernel("4.4.0-19041-Microsoft", false) == "1");
  CHECK(wsl_of_kernel("6.6.1-custom", true) == "2");
  CHECK(wsl_of_kernel("6.8.0-45-generic", false) == "no");
}

TEST_CASE("an Ubuntu machine") {
  const auto facts = look_at(*machine("ubuntu2204-rtx4090-sound"));
  CHECK(told(facts, "host", "distribution") == "ubuntu");
  CHECK(told(facts, "host", "distribution_version") == "22.04");
  CHECK(told(facts, "host", "distribution_like") == "ubuntu debian");
  CHECK(told(facts, "host", "distribution_name") == "Ubuntu 22.04");
  CHECK(told(facts, "host", "kernel") == "6.5.0-41-generic");
  CHECK(told(facts, "host", "arch") == "x86_64");
  CHECK(told(facts, "host", "glibc") == "2.35");
  CHECK(told(facts, "host", "wsl") == "no");
  CHECK(told(facts, "host", "jetson") == "absent");
  CHECK(told(facts, "host", "immutable") == "no");
  CHECK(told(facts, "host", "headers") == "yes");
  CHECK(told(facts, "host", "sudo") == "no");
  CHECK(told(facts, "host", "cuda_home") == "absent");
  CHECK(told(facts, "host", "path_nvcc") == "absent");
}

TEST_CASE("what the caller's variables say, and what sudo takes away") {
  auto facts = look_at(*machine_of("[files]\n\"/opt/cuda/bin/nvcc\" = \"\"\n[variables]\nPATH = \"relative:/usr/bin:/opt/cuda/bin\"\n"
                                   "CUDA_PATH = \"/opt/cuda\"\nCUDA_VISIBLE_DEVICES = \"\"\nLD_LIBRARY_PATH = \"/a::/b\"\n"));
  CHECK(told(facts, "host", "path_nvcc") == "/opt/cuda/bin/nvcc");
  CHECK(told(facts, "host", "cuda_home") == "/opt/cuda");
  CHECK(told(facts, "host", "visible_devices") == "");
  CHECK(facts.find("host")->has("visible_devices"));   // hides every GPU: known, and empty
  CHECK(told(facts, "host", "library_path") == "/a /b");
  facts = look_at(*machine_of("[variables]\nSUDO_USER = \"x\"\nPATH = \"/usr/bin\"\n"));
  CHECK(told(facts, "host", "sudo") == "yes");
  CHECK(told(facts, "host", "cuda_home") == "unknown: sudo drops the caller's variables");
}

TEST_CASE("glibc before 2.34, and musl") {
  auto facts = look_at(*machine_of("[files]\n\"/lib/x86_64-linux-gnu/libc-2.31.so\" = \"\"\n"
                                   "[links]\n\"/lib/x86_64-linux-gnu/libc.so.6\" = \"libc-2.31.so\"\n"));
  CHECK(told(facts, "host", "glibc") == "2.31");
  facts = look_at(*machine_of("[files]\n\"/lib/ld-musl-x86_64.so.1\" = \"\"\n"));
  CHECK(told(facts, "host", "glibc") == "absent");
  CHECK(told(facts, "host", "arch") == "x86_64");
}

TEST_CASE("a root that is not running has no kernel and no variables") {
  const auto root = open_recording(parse_toml("[recording]\nrunning = false\n[files]\n\"/etc/os-release\" = \"ID=debian\\n\"\n", "root"), "root");
  const auto facts = look_at(*root);
  CHECK(told(facts, "host", "distribution") == "debian");
  CHECK(told(facts, "host", "running") == "no");
  CHECK(told(facts, "host", "kernel") == "unknown: only the running system can tell");
  CHECK(told(facts, "host", "cuda_home").starts_with("unknown: "));
  CHECK(told(facts, "driver", "loaded").starts_with("unknown: "));
  CHECK(told(facts, "driver", "on_disk") == "absent");
  CHECK(told(facts, "driver", "nvml_error") == "unknown: only the running system can tell");
  CHECK_FALSE(facts.was_looked("gpu"));
  CHECK(facts.why_not("gpu") == "an unpacked root has no bus");
}
