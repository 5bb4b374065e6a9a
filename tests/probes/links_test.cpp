// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "loader_search.hpp"
#include "recorded.hpp"

using namespace gpudoctor;
using namespace gpudoctor::test;

namespace {

std::string found(const LoaderSearch& search, const std::string& name) {
  std::string out;
  for (const auto& one : search.copies(name)) out += one.path + " by " + one.via + "; ";
  return out;
}

}  // namespace

TEST_CASE("the loader: LD_LIBRARY_PATH, then the cache, then the default folders") {
  const auto one = machine_of(R"(
[files]
"/etc/ld.so.conf" = "include /etc/ld.so.conf.d/*.conf\n"
"/etc/ld.so.conf.d/cuda.conf" = "/usr/local/cuda/lib64\n"
"/etc/ld.so.cache" = { ld-cache = ["libcuda.so.1\t/usr/local/cuda/lib64/libcuda.so.1\t", "libcuda.so.1\t/gone/libcuda.so.1\t"] }
"/usr/local/cuda/lib64/libcuda.so.1" = ""
"/usr/local/cuda/lib64/libcudart.so.12" = ""
"/opt/mine/libcuda.so.1" = ""
"/usr/lib64/libcuda.so.1" = ""
[variables]
LD_LIBRARY_PATH = "/opt/mine:/opt/none"
)");
  const auto facts = look_at(*one);
  const LoaderSearch search(*one, facts);
  CHECK(found(search, "libcuda.so.1") ==
        "/opt/mine/libcuda.so.1 by LD_LIBRARY_PATH; /usr/local/cuda/lib64/libcuda.so.1 by /etc/ld.so.conf.d/cuda.conf; /usr/lib64/libcuda.so.1 by default; ");
  CHECK(found(search, "libcudart.so.12").empty());   // ldconfig was not run since: the loader knows nothing of it
  CHECK(search.doubt().empty());
  CHECK(told(facts, "driver_copy", "first", "/opt/mine/libcuda.so.1") == "yes");   // what the driver's probe says agrees
  CHECK(told(facts, "driver_copy", "first", "/usr/local/cuda/lib64/libcuda.so.1") == "no");
}

TEST_CASE("the loader: a cache that cannot be read leaves a doubt") {
  const auto one = machine_of(R"(
[files]
"/etc/ld.so.cache" = { error = "refused" }
[variables]
PATH = "/usr/bin"
)");
  const auto facts = look_at(*one);
  CHECK(LoaderSearch(*one, facts).doubt() == "/etc/ld.so.cache: permission denied");
}

TEST_CASE("the loader: tokens of a search path") {
  const auto one = machine_of(R"(
[files]
"/a/lib/libcudart.so.12" = ""
"/a/lib/glibc-hwcaps/x86-64-v3/libcublas.so.12" = ""
"/a/lib/libcublas.so.12" = ""
)");
  const LoaderSearch search(*one, Facts());
  CHECK(search.in_path("$ORIGIN/../lib", "/a/bin", "libcudart.so.12", "x")->path == "/a/bin/../lib/libcudart.so.12");
  CHECK(search.in_path("/b:${ORIGIN}", "/a/lib", "libcudart.so.12", "x")->path == "/a/lib/libcudart.so.12");
  CHECK_FALSE(search.in_path("lib:$PLATFORM:", "/a/lib", "libcudart.so.12", "x"));
  CHECK(search.in_path("/a/lib", "/", "libcublas.so.12", "x")->path == "/a/lib/libcublas.so.12");   // what processor it has is not known
}

TEST_CASE("links: what is known when LD_LIBRARY_PATH is not") {
  const auto one = open_recording(parse_toml(R"(
[recording]
format = 1
running = false
[files]
"/opt/v/pyvenv.cfg" = "home = /usr/bin\nversion = 3.11.2\n"
"/opt/v/lib/python3.11/site-packages/torch/version.py" = "__version__ = '2.7.1+cu128'\ncuda = '12.8'\n"
"/opt/v/lib/python3.11/site-packages/torch-2.7.1.dist-info/METADATA" = "Name: torch\n"
"/opt/v/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so" = { dynamic = ["machine=x86_64", "needed=libcudart.so.12", "needed=libcublas.so.12", "rpath=$ORIGIN"] }
"/opt/v/lib/python3.11/site-packages/torch/lib/libcudart.so.12" = { dynamic = ["machine=x86_64"] }
[links]
"/usr/bin/python3" = "/opt/v/bin/python3"
)", "root"), "root");
  Facts facts;
  look(*one, {.envs = {"/opt/v"}}, facts);
  const std::string torch = "/opt/v/lib/python3.11/site-packages/torch";
  CHECK(told(facts, "link", "chosen", torch + " libcudart.so.12") == torch + "/lib/libcudart.so.12");
  CHECK(told(facts, "link", "chosen", torch + " libcublas.so.12").starts_with("unknown: LD_LIBRARY_PATH: "));
  CHECK(told(facts, "torch", "missing_libraries", torch).starts_with("unknown: LD_LIBRARY_PATH: "));
}
