// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "paste.hpp"

using namespace gpudoctor;

TEST_CASE("a paste is read as its author saw it on the screen") {
  const Paste paste("\xEF\xBB\xBF> ```text\r\n> \x1b[1mOS\x1b[0m:\xC2\xA0Ubuntu   \r\n> >>> import torch\r\n```\n<details><summary>log</summary>\n&gt; a &amp; b\n", "ticket.md");
  REQUIRE(paste.size() == 4);
  CHECK(paste[0].text == "OS: Ubuntu");
  CHECK(paste[0].number == 2);
  CHECK(paste[0].code);
  CHECK(paste[1].text == ">>> import torch");
  CHECK(paste[2].text == "log");
  CHECK_FALSE(paste[2].code);
  CHECK(paste[3].text == "a & b");
  CHECK(paste.witness(0, "collect_env").source == "ticket.md:2 (collect_env)");
}

TEST_CASE("UTF-16 of both orders is decoded") {
  const std::string little("\xFF\xFE" "G\0P\0U\0\xE4\0", 10), big("\xFE\xFF" "\0G\0P\0U\0\xE4", 10);
  CHECK(decoded(little) == "GPU\xC3\xA4");
  CHECK(decoded(big) == "GPU\xC3\xA4");
}

TEST_CASE("what a log puts before each line is cut, and nothing else") {
  CHECK(without_prefix("(RayWorkerWrapper pid=3125, ip=10.0.0.2) OS: Ubuntu") == "OS: Ubuntu");
  CHECK(without_prefix("app-1  | No CUDA GPUs are available") == "No CUDA GPUs are available");
  CHECK(without_prefix("2026-01-02T03:04:05.678Z app-1  | text") == "text");
  CHECK(without_prefix("[    7.850292] NVRM: loading") == "NVRM: loading");
  CHECK(without_prefix("[Tue Jan  6 10:24:03 2026] NVRM: loading") == "NVRM: loading");
  CHECK(without_prefix("Jan 09 10:24:03 host kernel: [    7.8] NVRM: loading") == "NVRM: loading");
  CHECK(without_prefix("[pip3] torch==2.5.1") == "[pip3] torch==2.5.1");
  CHECK(without_prefix("(base) user@host:~$ nvidia-smi") == "(base) user@host:~$ nvidia-smi");
  CHECK(without_prefix("|   0  NVIDIA A10G         Off  | 00000000:01:00.0 Off |") == "|   0  NVIDIA A10G         Off  | 00000000:01:00.0 Off |");
  CHECK(without_prefix("torch          | 2.5.1 | x") == "torch          | 2.5.1 | x");
}

TEST_CASE("a progress bar leaves what it drew last") {
  CHECK(plain_line("10%\r50%\r100% done\r") == "100% done");
  CHECK(plain_line("a\x1b]0;title\x07" "b\x1b[2K") == "ab");
}
