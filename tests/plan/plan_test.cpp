// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "actions.hpp"
#include "chooser.hpp"
#include "examples.hpp"
#include "judge.hpp"
#include "plan.hpp"
#include "text.hpp"

using namespace gpudoctor;

namespace {

const Matrix& matrix() {
  static const Matrix one(test::knowledge());
  return one;
}

std::string commands(const std::string& example, Machine::World world = Machine::World::live) {
  const Facts facts = test::derived(test::toml(example));
  Judgement judgement = judge(test::knowledge(), facts);
  std::vector<std::string> all;
  for (const auto& fix : plan(matrix(), facts, judgement, world))
    for (const auto& command : fix.commands) all.push_back(command);
  return joined(all, "\n");
}

TorchChoice choice(const std::string& example, const std::string& python = "3.11") { return choose_torch(matrix(), test::derived(test::toml(example)), python); }

}  // namespace

// pytorch RELEASE.md: cu126 is the last tag with Pascal, 2.14 the last release of it; CUDA 13 needs driver 580.
TEST_CASE("the newest build that suits GPU, driver and Python") {
  CHECK(choice("gpu = 'NVIDIA GeForce GTX 1080'\ndriver = '580.95.05'").tag == "cu126");
  CHECK(choice("gpu = 'NVIDIA GeForce RTX 4090'\ndriver = '535.183.01'").tag == "cu126");
  CHECK(choice("gpu = 'NVIDIA GeForce RTX 5090'\ndriver = '580.95.05'").tag.starts_with("cu13"));
  CHECK(choice("gpu = 'NVIDIA GeForce RTX 5090'\ndriver = '570.124.06'").torch == "2.11.0");   // cu128 ended there
  CHECK(choice("gpu = 'NVIDIA GeForce RTX 4090'\ndriver = '580.95.05'", "3.7").torch == "1.13.1");
}

TEST_CASE("when nothing serves, it says so") {
  const auto none = choice("gpu = ['Tesla K80', 'NVIDIA GeForce RTX 5090']\ndriver = '580.95.05'");
  CHECK_FALSE(none.found());
  CHECK(contains(none.refused, "compute capability"));
}

TEST_CASE("one command for an RTX 5090 with a build before it, by the installer of the environment") {
  const std::string machine = "gpu = 'NVIDIA GeForce RTX 5090'\ndriver = { loaded = '570.133.07', flavour = 'open' }\ntorch = { version = '2.5.1+cu124', archs = ['sm_80', 'sm_90'] }\n";
  const auto pip = commands(machine + "env = { path = '/srv/venv', manager = 'pip', active = 'yes', python = '3.11' }");
  CHECK(pip == "/srv/venv/bin/python -m pip install torch==2.11.0+cu128 torchvision==0.26.0+cu128 --index-url https://download.pytorch.org/whl/cu128");
  const auto uv = commands(machine + "env = { path = '/srv/venv', manager = 'uv', active = 'yes', python = '3.11' }");
  CHECK(contains(uv, "uv pip install --python /srv/venv/bin/python torch==2.11.0 torchvision==0.26.0 --torch-backend=cu128"));
  const auto conda = commands(machine + "env = { path = '/srv/c', manager = 'conda', active = 'yes', python = '3.11' }");
  CHECK(contains(conda, "conda install -p /srv/c"));
  CHECK_FALSE(contains(conda, "pip install"));
}

TEST_CASE("an externally managed Python is never forced") {
  const auto text = commands("gpu = 'NVIDIA L4'\ndriver = '550.54.15'\ntorch = { version = '2.6.0+cpu' }\nenv = { kind = 'system', manager = 'pip', externally_managed = 'yes', active = 'yes', python = '3.12' }");
  CHECK(contains(text, "python3 -m venv ~/gpu-venv"));
  CHECK_FALSE(contains(text, "break-system-packages"));
}

TEST_CASE("an NGC image is not mended with pip, a container gets no driver, WSL no Linux driver") {
  CHECK(commands("gpu = 'NVIDIA GeForce GTX 1080'\ndriver = '580.95.05'\ntorch = { version = '2.6.0a0+ecf3bae40a.nv25.01', cuda = '12.8', archs = ['sm_80'] }\nenv = { path = '/usr', active = 'yes' }") == "");
  CHECK_FALSE(contains(commands("gpu = { name = 'NVIDIA L4' }\ncontainer = { inside = 'yes' }\ndriver = { loaded = '470.82.01' }\ntorch = { version = '2.6.0+cu124' }"), "apt"));
}

TEST_CASE("nothing that is no version or package name enters a command, and paths are quoted") {
  CHECK(safe("2.6.0+cu124") == "2.6.0+cu124");
  CHECK(safe("nvidia-cudnn-cu12==9.1.0.70 x") != "");
  for (const char* bad : {"$(reboot)", "a;b", "`x`", "a|b", "-rf", "x --index-url http", "a'b", "a\nb", "<x>"}) {
    CAPTURE(bad);
    CHECK(safe(bad) == "");
  }
  const Facts facts = test::facts_of(test::toml("host = { home = '/home/ann' }"));
  CHECK(shell_path("/home/ann/venv", facts, Machine::World::live) == "~/venv");
  CHECK(shell_path("/srv/my env/$(x)'y", facts, Machine::World::live) == "'/srv/my env/$(x)'\\''y'");
  CHECK(shell_path("/srv/x", facts, Machine::World::recorded) == "<your environment>");
}

// Ubuntu serves 535, 570, 580 and 590; 580 is the long-term branch of 2026, and the last for Pascal.
TEST_CASE("a driver: the branch that is there, never an older one, else the long-term one") {
  const std::string ubuntu = "host = { distribution = 'ubuntu', distribution_version = '22.04', date = '2026-11-30', kernel = '6.8.0-45-generic', wsl = 'no' }\ncontainer = { inside = 'no' }\n";
  CHECK(contains(commands(ubuntu + "gpu = 'NVIDIA GeForce RTX 4090'\ndriver = { loaded = 'absent', on_disk = 'absent', libraries = 'absent', packages = [] }"), "nvidia-driver-580-open"));
  const auto pascal = commands(ubuntu + "gpu = 'NVIDIA GeForce GTX 1080'\ndriver = { loaded = '590.48.01', flavour = 'open' }");
  CHECK(contains(pascal, "nvidia-driver-580"));
  CHECK_FALSE(contains(pascal, "-open"));
}

TEST_CASE("a GPU that no table knows gets no driver by guess") {
  const std::string host = "host = { distribution = 'ubuntu', distribution_version = '22.04', date = '2026-11-30', kernel = '6.8.0-45-generic', wsl = 'no' }\ncontainer = { inside = 'no' }\n"
                           "driver = { loaded = 'absent', on_disk = 'absent', libraries = 'absent', packages = [] }\n";
  const std::string unknown = host + "gpu = { vendor = 'nvidia', pci_id = '10de:fffe' }";
  CHECK(contains(commands(host + "gpu = 'NVIDIA L4'"), "nvidia-driver-"));
  CHECK(test::has(judge(test::knowledge(), test::derived(test::toml(unknown))), "driver-missing"));
  CHECK_FALSE(contains(commands(unknown), "nvidia-driver-"));
}

TEST_CASE("headers alone build no module") {
  const auto text = commands(
      "host = { distribution = 'ubuntu', distribution_version = '22.04', kernel = '6.8.0-45-generic', headers = 'no', wsl = 'no' }\ncontainer = { inside = 'no' }\n"
      "gpu = 'NVIDIA GeForce RTX 4090'\ndriver = { libraries = '550.120', loaded = 'absent', on_disk = 'absent', dkms = 'added' }");
  CHECK(text.find("linux-headers-6.8.0-45-generic") < text.find("dkms"));
  CHECK(contains(text, "dkms"));
}

TEST_CASE("an installer's driver goes before the package manager finishes, whatever the risks") {
  const auto all = commands(
      "host = { wsl = 'no', distribution = 'ubuntu', distribution_like = ['ubuntu', 'debian'] }\ncontainer = { inside = 'no' }\ngpu = 'NVIDIA L4'\n"
      "driver = { loaded = '550.120', libraries = '535.183.01', packages = ['nvidia-driver-550=550.120-0ubuntu0.22.04.1'], packages_broken = ['nvidia-dkms-550:half-configured'] }\n"
      "driver_copy = [{ path = '/lib64/libcuda.so.535', version = '535.183.01', kind = 'driver', owner = 'runfile', reachable = 'yes' },"
      " { path = '/lib/libcuda.so.550', version = '550.120', kind = 'driver', owner = 'dpkg', first = 'yes' }]\n");
  const auto uninstall = all.find("sudo nvidia-uninstall"), finish = all.find("sudo dpkg --configure -a");
  REQUIRE(uninstall != std::string::npos);
  REQUIRE(finish != std::string::npos);
  CHECK(uninstall < finish);
}

TEST_CASE("a virtual GPU gets no ordinary driver") {
  const auto all = commands("host = { wsl = 'no', distribution = 'ubuntu', distribution_like = ['ubuntu'] }\ncontainer = { inside = 'no' }\n"
                            "gpu = { name = 'Tesla T4', vendor = 'nvidia', virtualization = 'vgpu' }\ndriver = { loaded = 'absent', on_disk = 'absent', libraries = 'absent', packages = [] }\n");
  CHECK_FALSE(contains(all, "install"));
}
