// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "examples.hpp"
#include "formats.hpp"
#include "judge.hpp"
#include "matrix.hpp"
#include "plan.hpp"
#include "text.hpp"

using namespace gpudoctor;

namespace {

std::string report_of(const std::string& example, const Style& style) {
  const Facts facts = test::derived(test::toml(example));
  Report report;
  report.tool_version = "0.1.0", report.matrix_date = "2026-11-30", report.facts = &facts;
  report.judgement = judge(test::knowledge(), facts);
  report.plan = plan(Matrix(test::knowledge()), facts, report.judgement, report.world);
  report.verdicts = verdicts(facts, report.judgement);
  return text_report(report, style);
}

const char* broken =
    "gpu = 'NVIDIA GeForce RTX 5090'\ndriver = { loaded = '570.133.07', flavour = 'open' }\nenv = { path = '/srv/venv', active = 'yes', python = '3.11' }\n"
    "torch = { version = '2.5.1+cu124', active = 'yes', archs = ['sm_50', 'sm_60', 'sm_70', 'sm_75', 'sm_80', 'sm_86', 'sm_90'] }\n"
    "toolkit = []\ncontainer = { inside = 'no' }\nhost = { wsl = 'no' }";

}  // namespace

TEST_CASE("a broken machine: the verdict first, the cause with its evidence, one command") {
  const auto text = report_of(broken, {});
  CHECK(contains(text, "BLOCKED  torch 2.5.1+cu124 in /srv/venv (active) on GPU 0 RTX 5090"));
  CHECK(contains(text, "ERROR  torch-gpu-not-in-build"));
  CHECK(contains(text, "To do, nothing needs a reboot:"));
  CHECK(contains(text, "\n     /srv/venv/bin/python -m pip install torch=="));
}

TEST_CASE("80 columns for all but commands and what cannot be broken; no colour and no control characters in a pipe") {
  const auto report = report_of(broken, {});
  for (const auto line : lines(report)) {
    if (line.starts_with("     ")) continue;
    CAPTURE(std::string(line));
    CHECK(width(line) <= 80);
    CHECK(line.find('\033') == std::string_view::npos);
  }
}

TEST_CASE("ASCII where the locale is not UTF-8") {
  Style style;
  style.utf8 = false;
  for (const char c : report_of(broken, style)) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("a sound machine fits in 24 lines and is READY") {
  const auto text = report_of(
      "gpu = 'NVIDIA GeForce RTX 4090'\ndriver = { loaded = '550.54.15', on_disk = '550.54.15', libraries = '550.54.15', flavour = 'open', uvm = 'yes' }\n"
      "env = { path = '/srv/venv', active = 'yes' }\ntorch = { version = '2.6.0+cu124', active = 'yes' }\ntoolkit = []\ncontainer = { inside = 'no' }", {});
  CHECK(contains(text, "READY    torch 2.6.0+cu124 in /srv/venv (active) on GPU 0 RTX 4090"));
  CHECK(lines(text).size() <= 24);
  CHECK_FALSE(contains(text, "To do"));
}
