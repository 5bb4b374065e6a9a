// SPDX-License-Identifier: Apache-2.0
// Expectations from public sources: pytorch RELEASE.md (tags, Pythons, arch lists), NVIDIA's CUDA release notes (floors
// 450.80.02, 525.60.13, 580.65.06), the driver-branch and architecture matrix, cuDNN's support matrices.
#include <doctest/doctest.h>

#include <algorithm>

#include "chooser.hpp"
#include "examples.hpp"
#include "text.hpp"

using namespace gpudoctor;

namespace {

Recommendation ask(const std::string& machine, Wish wish = {}) {
  static const Matrix matrix(test::knowledge());
  if (wish.product.empty()) wish.product = "torch";
  return recommend(matrix, test::derived(test::toml(machine)), wish, Machine::World::live);
}

std::string torch(const std::string& machine, const std::string& python = "3.11", const std::vector<std::string>& with = {}) {
  const auto one = ask(machine, {"torch", "", python, "", with});
  return one.found() ? one.version + "+" + one.tag : "none: " + one.none;
}

bool says(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(), [&text](const auto& line) { return contains(line, text); });
}

const std::string x86 = "host = { arch = 'x86_64', glibc = '2.35' }\n";

}  // namespace

TEST_CASE("torch for one GPU and its driver") {
  CHECK(torch("gpu = 'NVIDIA GeForce GTX 1080'\ndriver = '580.95.05'") == "2.14.1+cu126");      // the last tag with Pascal
  CHECK(torch("gpu = 'Tesla V100-SXM2-16GB'\ndriver = '580.95.05'") == "2.14.1+cu126");         // Volta left cu128 with 2.11
  CHECK(torch("gpu = 'NVIDIA GeForce RTX 5090'\ndriver = { loaded = '570.133.07', flavour = 'open' }") == "2.11.0+cu128");
  CHECK(torch("gpu = 'NVIDIA GeForce RTX 5090'\ndriver = { loaded = '580.95.05', flavour = 'open' }") == "2.15.0+cu132");
  CHECK(torch("gpu = 'NVIDIA GeForce RTX 5090'\ndriver = { loaded = '580.95.05', flavour = 'open' }", "3.10") == "2.14.1+cu130");
  CHECK(torch("gpu = 'NVIDIA GeForce RTX 4090'\ndriver = '535.183.01'") == "2.14.1+cu126");     // minor-version compatibility
  CHECK(torch("gpu = 'NVIDIA GeForce RTX 3090'\ndriver = '470.82.01'") == "2.7.1+cu118");       // floor 450.80.02
  CHECK(torch("gpu = 'Tesla K80'\ndriver = '470.82.01'", "3.10") == "2.3.1+cu118");             // cuDNN 8.7: the last for Kepler
  CHECK(torch("gpu = 'Tesla K80'\ndriver = '440.33.01'", "3.8") == "1.12.1+cu102");
  CHECK(torch("gpu = 'NVIDIA GeForce RTX 4090'\ndriver = '580.95.05'", "3.7") == "1.13.1+cu117");
}

TEST_CASE("torch for the C library, the architecture, AMD, and the packages beside it") {
  CHECK(torch("host = { arch = 'x86_64', glibc = '2.17' }\ngpu = 'NVIDIA L4'\ndriver = '580.95.05'").starts_with("2.6.0+cu124"));
  CHECK(torch("host = { arch = 'aarch64', glibc = '2.39' }\ngpu = 'NVIDIA GH200 480GB'\ndriver = '550.54.15'") == "2.14.1+cu126");
  CHECK(torch(x86 + "gpu = { vendor = 'amd', gfx = 'gfx1100' }") == "2.14.1+rocm7.14");
  CHECK(torch(x86 + "gpu = { vendor = 'amd', gfx = 'gfx906' }") == "2.14.1+rocm7.2");
  CHECK(torch("gpu = 'NVIDIA L4'\ndriver = '580.95.05'", "3.11", {"xformers==0.0.30"}).starts_with("2.7.0+"));
  CHECK(torch("gpu = 'NVIDIA L4'\ndriver = '535.183.01'", "3.11", {"vllm"}) == "2.10.0+cu128");
  CHECK(torch("gpu = 'NVIDIA L4'\ndriver = '580.95.05'\nenv = { path = '/srv/v', active = 'yes', packages = ['xformers==0.0.31'] }").starts_with("2.7.1+"));
}

TEST_CASE("what is refused names its row and the fact") {
  const auto one = ask("gpu = 'NVIDIA GeForce RTX 5090'\ndriver = '570.133.07'");
  const auto row = std::find_if(one.refused.begin(), one.refused.end(), [](const Refusal& no) { return no.release == "2.14.1" && no.tag == "cu130"; });
  REQUIRE(row != one.refused.end());
  CHECK(row->why == "needs driver 580.65.06");
  CHECK(row->fact == "driver 570.133.07");
  CHECK(row->row == "cuda.toml, floor of CUDA 13");
  CHECK(one.refused.front().bar == Bar::release);   // never an unverified row
}

TEST_CASE("nothing fits: why, and the smallest change") {
  const auto mixed = ask(x86 + "gpu = ['NVIDIA GeForce GTX 1080', 'NVIDIA GeForce RTX 5090']\ndriver = '580.95.05'");
  CHECK(contains(mixed.none, "no kernel module serves both"));
  CHECK(says(mixed.help, "leave out GPU 0 NVIDIA GeForce GTX 1080: then torch 2.15.0+cu132"));
  const auto wsl = ask("host = { arch = 'x86_64', wsl = '2' }\ngpu = ['NVIDIA GeForce GTX 1080', 'NVIDIA GeForce RTX 5090']\ndriver = '580.95.05'");
  CHECK_FALSE(wsl.found());
  CHECK(says(wsl.help, "conda-forge"));
  const auto old = ask(x86 + "gpu = 'NVIDIA GeForce RTX 5090'\ndriver = '550.54.15'");
  CHECK(says(old.help, "driver 570.86.16 or newer"));
  const auto floor = ask(x86 + "gpu = 'NVIDIA GeForce RTX 3090'\ndriver = '460.32.03'", {"torch", "2.11", "3.11", "", {}});
  CHECK(says(floor.help, "driver 525.60.13 or newer"));
  const auto python = ask(x86 + "gpu = 'NVIDIA GeForce RTX 5090'\ndriver = '580.95.05'", {"torch", "", "3.7", "", {}});
  CHECK(says(python.help, "a Python of 3.11-3.15"));
  const auto closed = ask(x86 + "gpu = 'NVIDIA GeForce RTX 5090'\ndriver = { loaded = '580.95.05', flavour = 'proprietary' }");
  CHECK(says(closed.help, "the open flavour"));
  CHECK(says(ask(x86 + "gpu = []").help, "whl/cpu"));
}

TEST_CASE("no driver: the build, and what driver it needs") {
  const auto one = ask(x86 + "gpu = 'NVIDIA GeForce GTX 1080'");
  CHECK(one.version + one.tag == "2.14.1cu126");
  CHECK(says(one.notes, "525.60.13 or newer"));
}

TEST_CASE("commands by installer; another variant of the same release is replaced") {
  const std::string machine = "gpu = 'NVIDIA GeForce GTX 1080'\ndriver = '580.95.05'\nenv = { path = '/srv/v', manager = 'pip', active = 'yes', python = '3.11' }\n";
  CHECK(ask(machine).commands == std::vector<std::string>{"/srv/v/bin/python -m pip install torch==2.14.1+cu126 torchvision==0.29.1+cu126 --index-url https://download.pytorch.org/whl/cu126"});
  const auto uv = ask(machine + "torch = { version = '2.14.1+cpu', release = '2.14.1', tag = 'cpu' }", {"torch", "", "", "uv", {}});
  REQUIRE(uv.commands.size() == 1);
  CHECK(contains(uv.commands[0], "--reinstall-package torch"));
  CHECK(contains(ask(machine, {"torch", "", "", "conda", {}}).commands.at(0), "conda install"));
}

TEST_CASE("driver, toolkit and libraries") {
  const std::string ubuntu = "host = { arch = 'x86_64', distribution = 'ubuntu', distribution_version = '24.04', date = '2026-11-30' }\n";
  CHECK(ask(ubuntu + "gpu = 'NVIDIA GeForce GTX 1080'", {"driver", "", "", "", {}}).tag == "proprietary");
  CHECK(ask(ubuntu + "gpu = 'NVIDIA GeForce RTX 5090'", {"driver", "", "", "", {}}).tag == "open");
  CHECK_FALSE(ask(ubuntu + "gpu = ['NVIDIA GeForce GTX 1080', 'NVIDIA GeForce RTX 5090']", {"driver", "", "", "", {}}).found());
  CHECK(ask(ubuntu + "gpu = 'NVIDIA GeForce GTX 1080'\ndriver = '580.95.05'", {"cuda", "", "", "", {}}).version.starts_with("12.9"));   // 13 dropped Pascal
  CHECK(ask("gpu = 'NVIDIA L4'\ndriver = '550.54.15'", {"cuda", "", "", "", {}}).version.starts_with("12.4"));
  CHECK(ask("gpu = 'NVIDIA GeForce GTX 1080'\ndriver = '550.54.15'", {"cudnn", "", "", "", {}}).version.starts_with("9.10.2"));
  CHECK(contains(ask("gpu = 'NVIDIA L4'\ndriver = '550.54.15'", {"nccl", "", "", "", {}}).commands.at(0), "nvidia-nccl-cu12=="));
  const auto libtorch = ask(x86 + "gpu = 'NVIDIA L4'\ndriver = '550.54.15'", {"libtorch", "", "", "", {}});
  CHECK(contains(libtorch.commands.at(0), "https://download.pytorch.org/libtorch/cu126/libtorch-shared-with-deps-2.14.1%2Bcu126.zip"));
  CHECK_FALSE(ask("host = { arch = 'aarch64' }\ngpu = 'NVIDIA GH200 480GB'\ndriver = '580.95.05'", {"libtorch", "", "", "", {}}).found());
}

TEST_CASE("frameworks, as far as the rows go") {
  CHECK(ask("gpu = 'NVIDIA L4'\ndriver = '550.54.15'", {"tensorflow", "", "3.11", "", {}}).version == "2.21");
  CHECK(ask("gpu = 'NVIDIA L4'\ndriver = '470.82.01'", {"tensorflow", "", "3.11", "", {}}).found() == false);   // 470 does not know Ada
  CHECK(ask("gpu = 'NVIDIA A100-SXM4-40GB'\ndriver = '470.82.01'", {"tensorflow", "", "3.11", "", {}}).version == "2.14");
  CHECK(ask("gpu = 'NVIDIA L4'\ndriver = '550.54.15'", {"jax", "", "3.12", "pip", {}}).commands.at(0) == "python3.12 -m pip install 'jax[cuda12]>=0.11.0'");   // CUDA 13 needs driver 580
  const auto vllm = ask("gpu = 'NVIDIA L4'\ndriver = '535.183.01'", {"vllm", "", "3.11", "", {}});
  CHECK(vllm.version.starts_with("0.19"));
}

// torch.toml, conda-forge: builds for CUDA 12.9 from 5.0 to 12.0, the last known release 2.13.0; the official channel ended
// with 2.5.1. cudnn.toml: 9.11 starts at 7.5.
TEST_CASE("conda has builds of its own") {
  const Wish conda{"torch", "", "3.11", "conda", {}};
  const auto mixed = ask("host = { arch = 'x86_64', wsl = '2' }\ngpu = ['NVIDIA GeForce GTX 1080', 'NVIDIA GeForce RTX 5090']\ndriver = '581.80'", conda);
  CHECK(mixed.version + " " + mixed.channel + " " + mixed.tag == "2.13.0 conda-forge cu129");
  CHECK(contains(mixed.commands.at(0), "cuda-version=12.9 'cudnn<9.11'"));
  CHECK_FALSE(mixed.sure);
  const auto old = ask(x86 + "gpu = 'NVIDIA GeForce GTX 1080'\ndriver = '470.82.01'", conda);   // CUDA 11.8: the official channel's last
  CHECK(old.version + " " + old.channel == "2.5.1 pytorch");
  CHECK(contains(old.commands.at(0), "pytorch-cuda=11.8 -c pytorch -c nvidia"));
  CHECK(contains(ask(x86 + "gpu = 'NVIDIA GeForce RTX 3090'\ndriver = '470.82.01'", {"torch", "1.12", "3.9", "conda", {}}).commands.at(0), "cudatoolkit=11.3 -c pytorch"));
  CHECK_FALSE(ask(x86 + "gpu = { vendor = 'amd', gfx = 'gfx1100' }", conda).found());
  CHECK(says(ask(x86 + "gpu = 'NVIDIA L4'\ndriver = '580.95.05'", {"torch", "", "3.11", "conda", {"vllm"}}).notes, "Unknown to the matrix"));
}

// NVIDIA CUDA Compatibility, forward compatibility: data-centre GPUs on Linux only; 13.0 over 535 and 570.
TEST_CASE("cuda-compat is an option for data-centre GPUs") {
  CHECK(says(ask(x86 + "gpu = 'NVIDIA A100-SXM4-40GB'\ndriver = '535.183.01'").notes, "cuda-compat-13-0"));
  CHECK_FALSE(says(ask(x86 + "gpu = 'NVIDIA GeForce RTX 3090'\ndriver = '535.183.01'").notes, "cuda-compat"));
  CHECK_FALSE(says(ask(x86 + "gpu = ['NVIDIA A100-SXM4-40GB', 'NVIDIA GeForce RTX 3090']\ndriver = '535.183.01'").notes, "cuda-compat"));
  CHECK_FALSE(says(ask("host = { arch = 'x86_64', wsl = '2' }\ngpu = 'NVIDIA A100-SXM4-40GB'\ndriver = '537.58'").notes, "cuda-compat"));
  CHECK(says(ask(x86 + "gpu = 'NVIDIA A100-SXM4-40GB'\ndriver = '470.82.01'", {"torch", "2.11", "3.11", "", {}}).help, "cuda-compat-12"));
}

// open-gpu-kernel-modules README: RTX 5050 from 575.64.03 on, in no 570; RTX PRO 6000 Server from 575.57.08; 5090 from 570.86.16.
TEST_CASE("Blackwell boards came one by one") {
  const std::string ubuntu = "host = { arch = 'x86_64', distribution = 'ubuntu', distribution_version = '24.04', date = '2026-11-30' }\n";
  CHECK_FALSE(ask(ubuntu + "gpu = 'NVIDIA GeForce RTX 5050'\ndriver = { loaded = '570.133.07', flavour = 'open' }").found());
  CHECK(ask(ubuntu + "gpu = 'NVIDIA GeForce RTX 5050'\ndriver = { loaded = '575.64.03', flavour = 'open' }").found());
  CHECK_FALSE(ask(ubuntu + "gpu = 'NVIDIA GeForce RTX 5090'\ndriver = { loaded = '570.86.15', flavour = 'open' }").found());
  CHECK_FALSE(ask(ubuntu + "gpu = 'NVIDIA GeForce RTX 5050'", {"driver", "570", "", "", {}}).found());
  CHECK(ask(ubuntu + "gpu = 'NVIDIA GeForce RTX 5090'", {"driver", "570", "", "", {}}).version == "570");
  CHECK(says(ask(ubuntu + "gpu = 'NVIDIA GeForce RTX 5090'", {"driver", "570", "", "", {}}).notes, "570.86.16 or newer"));
  CHECK(ask(ubuntu + "gpu = 'NVIDIA GeForce RTX 4090'", {"driver", "", "", "", {"cuda==13.0"}}).version == "580");
}

// METADATA of tensorflow[and-cuda]: 2.19 pins CUDA 12.5's wheels exactly, 2.20 and 2.21 take newer ones of CUDA 12; its own
// check wants cuDNN 9.3 at least. jax-cuda13-plugin needs driver 580 and compute capability 7.5 (docs.jax.dev).
TEST_CASE("frameworks beside a torch, and where they have no GPU build") {
  const std::string env = "env = { path = '/srv/v', manager = 'pip', active = 'yes', python = '3.12', packages = ['torch==2.6.0+cu124'] }\ntorch = { version = '2.6.0+cu124', release = '2.6.0', tag = 'cu124', cudnn = '9.1.0.70' }\n";
  const auto clash = ask(x86 + "gpu = 'NVIDIA L4'\ndriver = '580.95.05'\n" + env, {"tensorflow", "", "", "", {}});
  CHECK_FALSE(clash.found());
  CHECK(says(clash.help, "another torch beside it (--with torch): then tensorflow 2.21"));
  const auto both = ask(x86 + "gpu = 'NVIDIA L4'\ndriver = '580.95.05'", {"tensorflow", "", "3.12", "", {"torch"}});
  CHECK(contains(both.commands.at(0), "torch==2.14.1+cu126"));   // the last with CUDA 12
  CHECK(contains(both.commands.at(1), "'tensorflow[and-cuda]==2.21.*'"));
  CHECK_FALSE(ask(x86 + "gpu = 'NVIDIA L4'\ndriver = '580.95.05'", {"tensorflow", "2.19", "3.12", "", {"torch"}}).found());
  CHECK(contains(ask(x86 + "gpu = 'NVIDIA L4'\ndriver = '580.95.05'", {"jax", "", "3.12", "", {}}).commands.at(0), "jax[cuda13]"));
  CHECK(contains(ask(x86 + "gpu = 'NVIDIA GeForce GTX 1080'\ndriver = '580.95.05'", {"jax", "", "3.12", "", {}}).commands.at(0), "jax[cuda12]"));
  CHECK_FALSE(ask("host = { arch = 'aarch64' }\ngpu = 'NVIDIA GH200 480GB'\ndriver = '580.95.05'", {"tensorflow", "", "3.12", "", {}}).found());
  CHECK(ask("host = { arch = 'x86_64', system = 'windows' }\ngpu = 'NVIDIA GeForce RTX 3090'\ndriver = '581.80'", {"tensorflow", "", "3.10", "", {}}).version == "2.10");
  CHECK(says(ask(x86 + "gpu = 'NVIDIA GeForce RTX 5090'\ndriver = '580.95.05'", {"tensorflow", "", "3.12", "", {}}).notes, "PTX only"));
  CHECK_FALSE(ask("host = { arch = 'x86_64', glibc = 'absent' }\ngpu = 'NVIDIA L4'\ndriver = '580.95.05'").found());   // musl
}
