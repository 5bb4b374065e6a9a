// SPDX-License-Identifier: Apache-2.0
// Environments and the PyTorch in them, on recorded machines.
#include "environments.hpp"

#include <doctest/doctest.h>

#include "recorded.hpp"
#include "text.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

namespace {

const std::string venv = "/home/user/venv", venv_torch = venv + "/lib/python3.12/site-packages/torch";

Facts look_with(const Machine& machine, const Scope& scope) {
  Facts facts;
  look(machine, scope, facts);
  return facts;
}

}  // namespace

TEST_CASE("an active venv") {
  const auto facts = look_at(*machine("python-venv-active"));
  CHECK(told(facts, "env", "kind", venv) == "venv");
  CHECK(told(facts, "env", "manager", venv) == "pip");
  CHECK(told(facts, "env", "active", venv) == "yes");
  CHECK(told(facts, "env", "python", venv) == "3.12.3");
  CHECK(told(facts, "env", "torches", venv) == "1");
  CHECK(told(facts, "env", "duplicates", venv) == "absent");
  CHECK(contains(told(facts, "env", "packages", venv), "torchvision==0.21.0+cu124"));  // the label that PyPI cut off
  CHECK(told(facts, "torch", "version", venv_torch) == "2.6.0+cu124");
  CHECK(told(facts, "torch", "release", venv_torch) == "2.6.0");
  CHECK(told(facts, "torch", "tag", venv_torch) == "cu124");
  CHECK(told(facts, "torch", "backend", venv_torch) == "cuda");
  CHECK(told(facts, "torch", "archs", venv_torch) == "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90");
  CHECK(told(facts, "torch", "cudnn", venv_torch) == "9.1.0.70");
  CHECK(told(facts, "torch", "rocm", venv_torch) == "absent");
  CHECK(told(facts, "torch", "active", venv_torch) == "yes");
  CHECK(told(facts, "env", "active", "/usr/lib/python3/dist-packages") == "no");
  CHECK(facts.was_looked("env"));
  CHECK(facts.was_looked("torch"));
  CHECK(facts.was_looked("libtorch"));
}

TEST_CASE("a project of uv, found upward, is not the active one") {
  const auto facts = look_at(*machine("python-uv-project"));
  const std::string env = "/home/user/project/.venv";
  CHECK(told(facts, "env", "kind", env) == "uv");
  CHECK(told(facts, "env", "manager", env) == "uv");
  CHECK(told(facts, "env", "active", env) == "no");
  CHECK(told(facts, "env", "active", "/usr/lib/python3/dist-packages") == "yes");
  CHECK(told(facts, "torch", "installer", env + "/lib/python3.12/site-packages/torch") == "uv");
}

TEST_CASE("--env makes it the one that counts") {
  const auto recorded = machine("python-uv-project");
  for (const char* path :
       {"/home/user/project/.venv", "/home/user/project/.venv/", "/home/user/project/.venv/bin/python3",
        "/home/user/project/.venv/lib/python3.12/site-packages", "../.venv"}) {
    CAPTURE(path);
    const auto facts = look_with(*recorded, {.envs = {path}, .deep = false});
    CHECK(told(facts, "env", "active", "/home/user/project/.venv") == "yes");
    CHECK(told(facts, "env", "active", "/usr/lib/python3/dist-packages") == "no");
  }
  const auto facts = look_with(*recorded, {.envs = {"/nowhere"}, .deep = false});
  CHECK_FALSE(facts.was_looked("env"));
  CHECK(facts.why_not("env") == "--env /nowhere: there is no Python environment");
}

TEST_CASE("conda: the official channel, and pip's torch over conda's") {
  auto facts = look_at(*machine("conda-official-channel"));
  std::string env = "/home/user/miniconda3/envs/ml", torch = env + "/lib/python3.11/site-packages/torch";
  CHECK(told(facts, "env", "kind", env) == "conda");
  CHECK(told(facts, "env", "python", env) == "3.11.9");
  CHECK(told(facts, "env", "torches", env) == "1");
  CHECK(told(facts, "torch", "origin", torch) == "conda");
  CHECK(told(facts, "torch", "tag", torch) == "absent");
  CHECK(told(facts, "torch", "cudnn", torch) == "9.1.0");
  CHECK(told(facts, "torch", "installer", torch) == "conda");

  facts = look_at(*machine("conda-pip-torch-over-conda"));
  env = "/home/user/miniforge3/envs/ml", torch = env + "/lib/python3.12/site-packages/torch";
  CHECK(told(facts, "env", "torches", env) == "2");
  CHECK(told(facts, "env", "conda_libraries", env) == "cuda-version==12.6 cudnn==9.7.1.26 libtorch==2.6.0 nccl==2.25.1.1 pytorch==2.6.0");
  CHECK(told(facts, "torch", "origin", torch) == "wheel");
  CHECK(told(facts, "torch", "installer", torch) == "pip");
}

TEST_CASE("two environments of two CUDA majors stay apart") {
  const auto facts = look_at(*machine("python-two-envs-two-cudas"));
  CHECK(told(facts, "torch", "cuda_major", "/home/user/new/lib/python3.12/site-packages/torch") == "12");
  CHECK(told(facts, "torch", "cuda_major", "/home/user/old/lib/python3.12/site-packages/torch") == "11");
  CHECK(told(facts, "torch", "active", "/home/user/old/lib/python3.12/site-packages/torch") == "no");
  CHECK(told(facts, "torch", "cudnn", "/home/user/new/lib/python3.12/site-packages/torch") == "9.10.2.21");
}

TEST_CASE("each --env counts") {
  const auto recorded = machine("python-two-envs-two-cudas");
  const auto facts = look_with(*recorded, {.envs = {"/home/user/old", "/home/user/new"}, .deep = false});
  CHECK(told(facts, "torch", "active", "/home/user/new/lib/python3.12/site-packages/torch") == "yes");
  CHECK(told(facts, "torch", "active", "/home/user/old/lib/python3.12/site-packages/torch") == "yes");
}

TEST_CASE("two dist-infos of torch") {
  const auto facts = look_at(*machine("python-torch-two-dist-infos"));
  CHECK(told(facts, "env", "torches", venv) == "2");
  CHECK(told(facts, "env", "torch_versions", venv) == "2.5.1 2.6.0+cu124");
  CHECK(told(facts, "env", "duplicates", venv) == "torch==2.5.1 torch==2.6.0+cu124");
}

TEST_CASE("NVIDIA's container, Debian's package, a nightly") {
  auto facts = look_at(*machine("container-ngc-pytorch"));
  std::string torch = "/usr/local/lib/python3.12/dist-packages/torch";
  CHECK(told(facts, "torch", "origin", torch) == "ngc");
  CHECK(told(facts, "torch", "tag", torch) == "absent");
  CHECK(told(facts, "torch", "cuda", torch) == "12.8");
  CHECK(told(facts, "torch", "active", torch) == "yes");

  facts = look_at(*machine("debian13-torch-package"));
  torch = "/usr/lib/python3/dist-packages/torch";
  CHECK(told(facts, "torch", "origin", torch) == "debian");
  CHECK(told(facts, "torch", "archs", torch) == "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90 compute_90");
  CHECK(told(facts, "torch", "pins", torch) == "absent");

  facts = look_at(*machine("python-nightly"));
  CHECK(told(facts, "torch", "origin", venv_torch) == "nightly");
  CHECK(told(facts, "torch", "tag", venv_torch) == "cu128");
}

TEST_CASE("a version.py that cannot be used leaves all of it unknown") {
  for (const auto& [name, says] : {std::pair("python-version-file-random-bytes", "not a version file"),
                                   std::pair("python-version-file-fifo", "not a regular file")}) {
    const auto facts = look_at(*machine(name));
    for (const char* fact : {"version", "release", "tag", "backend", "cuda", "cuda_major", "origin"})
      CHECK(told(facts, "torch", fact, venv_torch) == "unknown: " + venv_torch + "/version.py: " + says);
    CHECK(told(facts, "torch", "archs", venv_torch) == "unknown: the backend is unknown");
    CHECK(told(facts, "env", "torches", venv) == "1");
  }
}

TEST_CASE("the system's Python belongs to the distribution") {
  const auto facts = look_at(*machine("ubuntu2404-system-python"));
  const std::string env = "/usr/lib/python3/dist-packages";
  CHECK(told(facts, "env", "kind", env) == "system");
  CHECK(told(facts, "env", "python", env) == "3.12");
  CHECK(told(facts, "env", "externally_managed", env) == "yes");
  CHECK(told(facts, "env", "externally_managed", "/usr/local/lib/python3.12/dist-packages") == "yes");
  CHECK(facts.of("torch").empty());
  CHECK(facts.was_looked("torch"));
}

TEST_CASE("the user's folder comes before the system's") {
  const auto facts = look_at(*machine("python-user-site-shadows"));
  const std::string user = "/home/user/.local/lib/python3.10/site-packages",
                    local = "/usr/local/lib/python3.10/dist-packages";
  CHECK(told(facts, "env", "kind", user) == "user");
  CHECK(told(facts, "env", "order", user) == "1");
  CHECK(told(facts, "env", "order", local) == "2");
  CHECK(told(facts, "env", "active", "/home/user/.local/lib/python3.9/site-packages") == "no");
  CHECK(told(facts, "torch", "active", user + "/torch") == "yes");
  CHECK(told(facts, "torch", "active", local + "/torch") == "no");
  CHECK(told(facts, "torch", "backend", local + "/torch") == "cpu");
  CHECK(told(facts, "torch", "archs", local + "/torch") == "absent");
}

TEST_CASE("which Python answers") {
  const std::string pyenv =
      "[files]\n\"/home/u/.pyenv/shims/python3\" = \"\"\n\"/home/u/.pyenv/version\" = \"3.11.7\\n\"\n"
      "\"/home/u/.pyenv/versions/3.11.7/bin/python3.11\" = \"\"\n\"/usr/bin/python3.12\" = \"\"\n"
      "[links]\n\"/usr/bin/python3\" = \"python3.12\"\n[variables]\nHOME = \"/home/u\"\nPATH = "
      "\"/home/u/.pyenv/shims:/usr/bin\"\n";
  CHECK(active_python(*machine_of(pyenv)).prefix == "/home/u/.pyenv/versions/3.11.7");
  CHECK(active_python(*machine_of(pyenv + "PYENV_VERSION = \"system\"\n")).prefix == "/usr");
  CHECK(active_python(*machine_of(pyenv + "PYENV_VERSION = \"3.9.1\"\n")).reason ==
        "/home/u/.pyenv/shims/python3 is a shim for 3.9.1, which is not installed");
  CHECK(active_python(*machine_of("[variables]\nPATH = \"/usr/bin\"\n")).reason == "no python3 on PATH");
  CHECK(active_python(*machine_of("running = false\n")).reason == "not a running system");
  // A variable that outlived its environment.
  CHECK(active_python(*machine_of(pyenv + "VIRTUAL_ENV = \"/home/u/gone\"\n")).prefix ==
        "/home/u/.pyenv/versions/3.11.7");
}

TEST_CASE("a venv with the packages of its base; a root where nothing is active") {
  const std::string files =
      "[files]\n\"/home/u/venv/pyvenv.cfg\" = \"home = /usr/bin\\nversion = 3.12.3\\ninclude-system-site-packages = "
      "true\\n\"\n"
      "\"/home/u/venv/lib/python3.12/site-packages/x\" = \"\"\n\"/usr/bin/python3.12\" = \"\"\n"
      "\"/usr/lib/python3/dist-packages/torch/version.py\" = \"__version__ = '2.6.0+debian'\\ncuda = None\\n\"\n"
      "[links]\n\"/usr/bin/python3\" = \"python3.12\"\n";
  auto facts = look_at(*machine_of(files + "[variables]\nHOME = \"/home/u\"\nVIRTUAL_ENV = \"/home/u/venv\"\n"));
  const Entity* env = facts.find("env", "/home/u/venv");
  REQUIRE(env);
  REQUIRE(env->parents().size() == 1);
  CHECK(env->parents()[0].key == "/usr/lib/python3/dist-packages");
  CHECK(told(facts, "torch", "active", "/usr/lib/python3/dist-packages/torch") == "yes");

  facts = look_at(*machine_of("running = false\n" + files));
  CHECK(told(facts, "env", "active", "/home/u/venv") == "unknown: not a running system");
  CHECK(told(facts, "torch", "active", "/usr/lib/python3/dist-packages/torch") == "unknown: not a running system");
}

TEST_CASE("a folder of packages that may not be read is not an empty one") {
  const auto facts =
      look_at(*machine_of("[files]\n\"/home/u/venv/pyvenv.cfg\" = \"home = /usr/bin\\nversion = 3.12.3\\n\"\n"
                          "[folders]\n\"/home/u/venv/lib/python3.12/site-packages\" = { error = \"refused\" }\n"
                          "[info]\n\"/home/u/venv/lib/python3.12/site-packages\" = { kind = \"folder\" "
                          "}\n[variables]\nHOME = \"/home/u\"\n"));
  CHECK(told(facts, "env", "torches", "/home/u/venv") ==
        "unknown: /home/u/venv/lib/python3.12/site-packages: permission denied");
  CHECK_FALSE(facts.was_looked("torch"));
}

TEST_CASE("an editable install leads to its source tree") {
  const auto facts = look_at(*machine_of(
      "[files]\n\"/home/u/venv/pyvenv.cfg\" = \"home = /usr/bin\\nversion = 3.12.3\\n\"\n"
      "\"/home/u/venv/lib/python3.12/site-packages/__editable__.torch-2.9.0a0+git1234abc.pth\" = \"/src/pytorch\\n\"\n"
      "\"/home/u/venv/lib/python3.12/site-packages/torch-2.9.0a0+git1234abc.dist-info/INSTALLER\" = \"pip\\n\"\n"
      "\"/src/pytorch/torch/version.py\" = \"__version__ = '2.9.0a0+git1234abc'\\ncuda: str = '12.8'\\nhip = "
      "None\\n\"\n"
      "[variables]\nHOME = \"/home/u\"\n"));
  CHECK(told(facts, "torch", "origin", "/src/pytorch/torch") == "source");
  CHECK(told(facts, "torch", "cuda", "/src/pytorch/torch") == "12.8");
  CHECK(told(facts, "env", "torches", "/home/u/venv") == "1");
}

TEST_CASE("PYTHONPATH comes first") {
  const auto facts = look_at(*machine_of(
      "[files]\n\"/data/packages/torch/version.py\" = \"__version__ = '2.6.0+cpu'\\ncuda = "
      "None\\n\"\n\"/usr/bin/python3\" = \"\"\n"
      "\"/usr/lib/python3/dist-packages/torch/version.py\" = \"__version__ = '2.6.0+debian'\\ncuda = None\\n\"\n"
      "[variables]\nHOME = \"/home/u\"\nPYTHONPATH = \"/nowhere:/data/packages\"\nPATH = \"/usr/bin\"\n"));
  CHECK(told(facts, "env", "kind", "/data/packages") == "other");
  CHECK(told(facts, "env", "order", "/data/packages") == "1");
  CHECK(told(facts, "torch", "active", "/data/packages/torch") == "yes");
  CHECK(told(facts, "torch", "active", "/usr/lib/python3/dist-packages/torch") == "no");
}

TEST_CASE("--deep finds what lies off the known places; sudo looks into the caller's home") {
  const std::string text =
      "[files]\n\"/home/u/work/a/b/env/pyvenv.cfg\" = \"home = /usr/bin\\nversion = "
      "3.12.3\\n\"\n\"/home/u/venv/pyvenv.cfg\" = \"version = 3.12.3\\n\"\n"
      "\"/etc/passwd\" = \"root:x:0:0:root:/root:/bin/bash\\nu:x:1000:1000::/home/u:/bin/bash\\n\"\n"
      "[variables]\nHOME = \"/root\"\nSUDO_USER = \"u\"\n";
  auto facts = look_at(*machine_of(text));
  CHECK(facts.find("env", "/home/u/venv"));
  CHECK_FALSE(facts.find("env", "/home/u/work/a/b/env"));
  facts = look_with(*machine_of(text), {.envs = {}, .deep = true});
  CHECK(facts.find("env", "/home/u/work/a/b/env"));
}
