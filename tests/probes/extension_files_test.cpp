// SPDX-License-Identifier: Apache-2.0
#include "extension_files.hpp"

#include <doctest/doctest.h>

#include "loader_search.hpp"
#include "recorded.hpp"
#include "sonames.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

TEST_CASE("the CPython that a module is for") {
  CHECK(python_of_file_name("flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so") == "3.10");
  CHECK(python_of_file_name("_C.cpython-38-x86_64-linux-gnu.so") == "3.8");
  CHECK(python_of_file_name("x.cpython-37m-x86_64-linux-gnu.so") == "3.7");
  CHECK(python_of_file_name("x.cpython-313t-x86_64-linux-gnu.so") == "3.13");
  CHECK(python_of_file_name("_C.abi3.so").empty());
  CHECK(python_of_file_name("_C.so").empty());
  CHECK(python_of_file_name("x.cpython-3.so").empty());
  CHECK(python_of_file_name("x.cpython-99999.so").empty());
}

TEST_CASE("names of libraries") {
  CHECK(library_stem("libcublas.so.12") == "libcublas");
  CHECK(library_stem("libcudart-e409450e.so.11.0") == "libcudart");     // torch 1.13's own
  CHECK(library_stem("libcudart.3eda8113.so.13") == "libcudart");       // torchvision 0.29's own
  CHECK(library_stem("libnvrtc-builtins.so.12.4") == "libnvrtc-builtins");
  CHECK(is_bundled_name("libcudart-e409450e.so.11.0"));
  CHECK_FALSE(is_bundled_name("libnvrtc-builtins.so.12.4"));
  CHECK(is_cuda_library("libcudnn_ops_infer.so.8"));
  CHECK(is_cuda_library("libcuda.so.1"));
  CHECK_FALSE(is_cuda_library("libcudf.so"));
  CHECK_FALSE(is_cuda_library("libc10_cuda.so"));
  CHECK(is_gpu_library("libc10_cuda.so"));
  CHECK(is_gpu_library("libamdhip64.so.6"));
  CHECK_FALSE(is_gpu_library("libc.so.6"));
  CHECK(runtime_major("libcudart.so.12") == "12");
  CHECK(runtime_major("libcudart.so.11.0") == "11");
  CHECK(runtime_major("libcublas.so.12").empty());
  CHECK(runtime_major("libcudart.so").empty());
}

TEST_CASE("levels of a processor") {
  const std::string v2 = "fpu cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3", v3 = v2 + " avx avx2 bmi1 bmi2 f16c fma abm movbe xsave";
  CHECK(levels_of_flags("processor\t: 0\nflags\t\t: " + v2 + "\n") == std::vector<std::string>{"x86-64-v2"});
  CHECK(levels_of_flags("processor\t: 0\nflags\t\t: " + v3 + "\nbugs\t: \n") == std::vector<std::string>{"x86-64-v3", "x86-64-v2"});
  CHECK(levels_of_flags("processor\t: 0\nflags\t\t: fpu\n").empty());
  CHECK(levels_of_flags("").empty());
}

namespace {

const std::string head = R"(
[files]
"/v/pyvenv.cfg" = "home = /usr/bin\nversion = 3.11.2\n"
"/v/lib/python3.11/site-packages/torch/version.py" = "__version__ = '2.7.1+cu128'\ncuda = '12.8'\n"
"/v/lib/python3.11/site-packages/torch/lib/libc10.so" = { string-abi = ["abi=cxx11"], dynamic = ["machine=x86_64"] }
"/v/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so" = ""
"/v/lib/python3.11/site-packages/torch-2.7.1.dist-info/METADATA" = "Name: torch\n"
)";
const std::string tail = R"(
[variables]
VIRTUAL_ENV = "/v"
PATH = "/v/bin"
)";
const std::string site = "/v/lib/python3.11/site-packages";

}  // namespace

TEST_CASE("an extension: its package, and what it needs") {
  const auto one = machine_of(head + R"(
"/v/lib/python3.11/site-packages/ops-1.0.dist-info/RECORD" = { wheel-files = ["ops/_C.so", "ops/_plain.so", "../../../bin/tool.so"] }
"/v/lib/python3.11/site-packages/ops-1.0.dist-info/INSTALLER" = "uv"
"/v/lib/python3.11/site-packages/ops/_C.so" = { dynamic = ["machine=x86_64", "needed=libc10.so", "needed=libcudart.so.12", "glibc=2.32"], string-abi = ["abi=cxx11"], unresolved = [], cuda-archs = ["sm_90"] }
"/v/lib/python3.11/site-packages/ops/_plain.so" = { dynamic = ["machine=x86_64", "needed=libc.so.6", "glibc=2.99"] }
)" + tail);
  const auto facts = look_at(*one);
  const std::string key = site + "/ops-1.0.dist-info";
  REQUIRE(std::as_const(facts).of("extension").size() == 1);
  CHECK(told(facts, "extension", "name", key) == "ops 1.0");
  CHECK(told(facts, "extension", "installer", key) == "uv");
  CHECK(told(facts, "extension", "files", key) == site + "/ops/_C.so");   // the other has nothing to do with PyTorch
  CHECK(told(facts, "extension", "cuda_majors", key) == "12");
  CHECK(told(facts, "extension", "backend", key) == "cuda");
  CHECK(told(facts, "extension", "glibc", key) == "2.32");
  CHECK(told(facts, "extension", "pythons", key) == "absent");
  CHECK(told(facts, "extension", "abi", key) == "cxx11");
  CHECK(told(facts, "extension", "missing_names", key) == "absent");
  CHECK(told(facts, "torch", "abi", site + "/torch") == "cxx11");
}

TEST_CASE("an extension that cannot be read, and one that nobody owns") {
  const auto one = machine_of(head + R"(
"/v/lib/python3.11/site-packages/loose_ops.cpython-311-x86_64-linux-gnu.so" = { dynamic = ["machine=x86_64", "needed=libc10.so"], string-abi = { error = "too-large", says = "too many symbols" }, unresolved = { error = "malformed", says = "no dynamic symbols" }, cuda-archs = { error = "malformed", says = "its kernels are split by architecture" } }
"/v/lib/python3.11/site-packages/secret-1.0.dist-info/RECORD" = { wheel-files = { error = "refused" } }
)" + tail);
  const auto facts = look_at(*one);
  const std::string key = site + "/loose_ops.cpython-311-x86_64-linux-gnu.so";
  CHECK(told(facts, "extension", "name", key) == "loose_ops.cpython-311-x86_64-linux-gnu.so");
  CHECK(told(facts, "extension", "package", key) == "absent");
  CHECK(told(facts, "extension", "abi", key) == "unknown: " + key + ": too many symbols");
  CHECK(told(facts, "extension", "missing_names", key) == "unknown: " + key + ": no dynamic symbols");
  CHECK(told(facts, "extension", "archs", key) == "unknown: " + key + ": its kernels are split by architecture");
  CHECK_FALSE(facts.was_looked("extension"));
  CHECK(facts.why_not("extension") == site + "/secret-1.0.dist-info/RECORD: permission denied");
}

TEST_CASE("names that a library which is not there may define are no proof") {
  const auto one = machine_of(head + R"(
"/v/lib/python3.11/site-packages/ops-1.0.dist-info/RECORD" = { wheel-files = ["ops/_C.so"] }
"/v/lib/python3.11/site-packages/ops/_C.so" = { dynamic = ["machine=x86_64", "needed=libc10.so", "needed=libelse.so"], string-abi = [], unresolved = ["_ZN5torch4elseEv"], cuda-archs = { error = "absent" } }
)" + tail);
  const auto facts = look_at(*one);
  CHECK(told(facts, "extension", "missing_names", site + "/ops-1.0.dist-info").starts_with("unknown: "));
}
