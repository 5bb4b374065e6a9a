// SPDX-License-Identifier: Apache-2.0
#include "python_files.hpp"

#include <doctest/doctest.h>

using namespace gpudoctor;
using Texts = std::vector<std::string>;

TEST_CASE("pyvenv.cfg of venv, virtualenv and uv") {
  const auto venv = parse_pyvenv(
      "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\nexecutable = /usr/bin/python3.11\n");
  CHECK(venv.home == "/usr/bin");
  CHECK(venv.python == "3.11.2");
  CHECK_FALSE(venv.uv);
  CHECK_FALSE(venv.system_site);
  const auto virtualenv = parse_pyvenv(
      "home = /usr/bin\r\nimplementation = CPython\r\nversion_info = 3.10.12.final.0\r\nvirtualenv = 20.24.5\r\n"
      "include-system-site-packages = true\r\n");
  CHECK(virtualenv.python == "3.10.12");
  CHECK(virtualenv.system_site);
  const auto uv = parse_pyvenv(
      "home = /home/u/.local/share/uv/python/cpython-3.12.7-linux-x86_64-gnu/bin\nuv = 0.9.5\nversion_info = 3.12.7\n");
  CHECK(uv.uv);
  CHECK(uv.python == "3.12.7");
  CHECK(parse_pyvenv("").home.empty());
}

TEST_CASE("versions of Python") {
  CHECK(python_version("3.11.7.final.0") == "3.11.7");
  CHECK(python_version("3.13t") == "3.13");
  CHECK(python_version("3") == "3");
  CHECK(python_version("3.12.") == "3.12");
  CHECK(python_version("myproject") == "");
  CHECK(python_minor("3.11.7") == "3.11");
  CHECK(python_minor("3.11") == "3.11");
  CHECK(python_minor("") == "");
}

TEST_CASE("users of /etc/passwd") {
  const auto users = parse_passwd(
      "root:x:0:0:root:/root:/bin/bash\nbroken "
      "line\nann:x:1000:1000:Ann,,,:/home/ann:/bin/zsh\nx:x:1:1::relative:/bin/sh\n");
  REQUIRE(users.size() == 2);
  CHECK(users[1].name == "ann");
  CHECK(users[1].home == "/home/ann");
  CHECK(users[1].id == 1000);
}

TEST_CASE("environments of conda's settings") {
  CHECK(condarc_paths("channels:\n  - conda-forge\nenvs_dirs:\n  - /data/envs   # big disk\n  - "
                      "\"~/envs\"\npkgs_dirs:\n  - /data/pkgs\n",
                      "envs_dirs") == Texts{"/data/envs", "~/envs"});
  CHECK(condarc_paths("envs_dirs: [/a, '/b c']\n", "envs_dirs") == Texts{"/a", "/b c"});
  CHECK(condarc_paths("channels:\n- defaults\n", "envs_dirs").empty());
}

TEST_CASE("the program of a Jupyter kernel") {
  CHECK(kernel_program("{\n \"argv\": [\n  \"/home/u/venv/bin/python\",\n  \"-m\",\n  \"ipykernel_launcher\"\n ],\n "
                       "\"display_name\": \"x\"\n}") == "/home/u/venv/bin/python");
  CHECK(kernel_program("{\"argv\": [") == "");
  CHECK(kernel_program("[]") == "");
}

TEST_CASE("editable installs") {
  CHECK(path_lines("/src/pytorch\n.\nimport sys\n") == Texts{"/src/pytorch"});
  CHECK(mapped_folder(
            "MAPPING: dict[str, str] = {'functorch': '/src/pytorch/functorch', 'torch': '/src/pytorch/torch'}\n",
            "torch") == "/src/pytorch/torch");
  CHECK(mapped_folder("MAPPING = {'torchvision': '/src/vision/torchvision'}\n", "torch") == "");
}
