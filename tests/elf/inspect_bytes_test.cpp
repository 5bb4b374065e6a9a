// SPDX-License-Identifier: Apache-2.0
#include "inspect_bytes.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "elf.hpp"
#include "fatbin.hpp"
#include "make_elf.hpp"

using namespace gpudoctor;
using Lines = std::vector<std::string>;

namespace {

const std::string nul(1, '\0');
constexpr Inspect elf_questions[] = {Inspect::modinfo,       Inspect::dynamic,      Inspect::cuda_archs,
                                     Inspect::torch_archs,   Inspect::nccl_version, Inspect::nvcc_release,
                                     Inspect::cudnn_version, Inspect::compat_note};

/// A file that has an answer to every question.
std::string everything(bool wide) {
  make::Elf made;
  made.wide = wide;
  make::DynamicParts parts;
  parts.soname = "libx.so.1";
  parts.needed = {"libcuda.so.1", "libc.so.6"};
  parts.runpath = "$ORIGIN";
  parts.versions = {{"libc.so.6", {"GLIBC_2.4", "GLIBC_2.34"}}};
  const std::string blob = make::blob(make::sm(80) + make::sm(90, 'a') + make::ptx(90));
  made.dynamic(parts)
      .add(".nv_fatbin", blob + std::string(24, '\0') + blob)
      .add(".rodata", "sm_80 sm_90 compute_90" + nul + "NCCL version 2.28.9+cuda13.0" + nul +
                          "release 12.4, V12.4.131" + nul + "cudnn_version_9_10_2_21_" + nul)
      .add(".modinfo", "version=1.0" + nul + "license=GPL" + nul)
      .add(".note.cuda.fwd_compatibility", make::note("NVIDIA Corporation", "{\"format\":1}"), 7, 4);
  return made.build();
}

Lines ask(const Bytes& bytes, Inspect what) { return inspect_bytes(bytes, what, "/x").value_or({"miss"}); }

const char* nccl = "/usr/local/cuda/lib64/libnccl.so.2";
const char* nvcc = "/usr/local/cuda/bin/nvcc";

/// Exact values are those of the machine on which this was written, told by the size of the file.
bool there(const char* path, std::uint64_t size) {
  return FileBytes(::open(path, O_RDONLY | O_CLOEXEC)).size() == size;
}

}  // namespace

TEST_CASE("inspect: the lines of each question") {
  for (const bool wide : {true, false}) {
    const MemoryBytes bytes(everything(wide));
    CHECK(ask(bytes, Inspect::modinfo) == Lines{"version=1.0", "license=GPL"});
    CHECK(ask(bytes, Inspect::dynamic) == Lines{"machine=x86_64", "soname=libx.so.1", "needed=libcuda.so.1",
                                                "needed=libc.so.6", "runpath=$ORIGIN", "glibc=2.34"});
    CHECK(ask(bytes, Inspect::cuda_archs) == Lines{"sm_80", "sm_90a", "compute_90"});
    CHECK(ask(bytes, Inspect::torch_archs) == Lines{"sm_80", "sm_90", "compute_90"});
    CHECK(ask(bytes, Inspect::nccl_version) == Lines{"version=2.28.9", "cuda=13.0"});
    CHECK(ask(bytes, Inspect::nvcc_release) == Lines{"release=12.4", "build=12.4.131"});
    CHECK(ask(bytes, Inspect::cudnn_version) == Lines{"version=9.10.2"});
    CHECK(ask(bytes, Inspect::compat_note) == Lines{"{\"format\":1}"});
  }
}

TEST_CASE("inspect: what is not there, and what is not asked here") {
  const MemoryBytes bytes(make::Elf().add(".text", "x").build());
  CHECK(inspect_bytes(bytes, Inspect::cuda_archs, "").miss().why == Why::absent);
  CHECK(inspect_bytes(bytes, Inspect::compat_note, "").miss().why == Why::absent);
  CHECK(ask(bytes, Inspect::dynamic) == Lines{"machine=x86_64"});
  for (const Inspect what : elf_questions) {
    CHECK(inspect_bytes(MemoryBytes("#!/bin/sh\n"), what, "").miss().says == "not an ELF file");
  }
  CHECK(inspect_bytes(bytes, Inspect::dpkg_status, "").miss().why == Why::failed);
  CHECK(inspect_bytes(bytes, Inspect::dpkg_files, "").miss().why == Why::failed);
}

TEST_CASE("inspect: a library whose kernels are split by architecture gives no list") {
  const std::string split = make::blob(make::sm(80)) + make::blob(make::sm(90)) + make::blob(make::sm(80));
  const MemoryBytes bytes(make::Elf().add(".nv_fatbin", split).build());
  CHECK(inspect_bytes(bytes, Inspect::cuda_archs, "").miss().why == Why::malformed);
}

TEST_CASE("inspect: 40 MB of device code cost less than 1 % of its bytes") {
  std::string section;
  for (int i = 0; i < 200; ++i) section += make::blob(make::sm(80, 0, 100000) + make::sm(90, 0, 100000));
  const std::string built = make::Elf().add(".nv_fatbin", section).build();
  const int file = ::memfd_create("library", MFD_CLOEXEC);
  REQUIRE(::write(file, built.data(), built.size()) == static_cast<ssize_t>(built.size()));
  const FileBytes bytes(file);
  CHECK(bytes.size() == built.size());
  CHECK(ask(bytes, Inspect::cuda_archs) == Lines{"sm_80", "sm_90"});
  CHECK(bytes.requested() * 100 < bytes.size());
}

TEST_CASE("inspect: 10,000 mutations of a good file end, and nothing is read out of bounds") {
  std::mt19937_64 random(20261130);
  const std::string good[] = {everything(true), everything(false)};
  std::size_t answers = 0;
  for (int round = 0; round < 10000; ++round) {
    std::string bytes = good[random() % 2];
    for (std::uint64_t left = 1 + random() % 6; left > 0; --left) {
      // Half of the changes fall on the headers and tables at both ends, where they hurt most.
      const std::size_t span = random() % 2 ? bytes.size() : 700;
      const std::size_t at = random() % 2 ? random() % span : bytes.size() - 1 - random() % span;
      const std::uint64_t values[] = {random(), 0, ~0ull, 1, bytes.size(), 0x7fffffffffffffff, random() % bytes.size()};
      const int width = 1 << random() % 4;
      if (at + 8 <= bytes.size()) make::patch(bytes, at, values[random() % 7], width);
    }
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    const MemoryBytes held(bytes);
    for (const Inspect what : elf_questions) answers += inspect_bytes(held, what, "/x") ? 1 : 0;
  }
  CHECK(answers > 10000);  // most of a file still reads when a few of its bytes are wrong
}

TEST_CASE("inspect: NCCL 2.28.9 of CUDA 13.0" * doctest::skip(!there(nccl, 217995896))) {
  const FileBytes bytes(::open(nccl, O_RDONLY | O_CLOEXEC));
  CHECK(ask(bytes, Inspect::nccl_version) == Lines{"version=2.28.9", "cuda=13.0"});
  CHECK(ask(bytes, Inspect::dynamic).back() == "glibc=2.18");
  CHECK(ask(bytes, Inspect::cuda_archs) ==
        Lines{"sm_75", "sm_80", "sm_90", "sm_100", "sm_110", "sm_120", "compute_120"});
  CHECK(bytes.requested() * 100 < bytes.size());
}

TEST_CASE("inspect: nvcc of CUDA 13.0" * doctest::skip(!there(nvcc, 30153384))) {
  const FileBytes bytes(::open(nvcc, O_RDONLY | O_CLOEXEC));
  CHECK(ask(bytes, Inspect::nvcc_release) == Lines{"release=13.0", "build=13.0.88"});
}
