// SPDX-License-Identifier: Apache-2.0
// Which GPU architectures a library carries code for, from the plain headers of its fatbins.
//
// Layout: DataDog/datadog-agent pkg/gpu/cuda/fatbin.go, n-eiling/cuda-fatbin-decompression fatbin-decompress.h, and
// 18 libraries of CUDA 11.7 to 13.0 walked without one unexplained byte. The flags that tell sm_90 from sm_90a and
// sm_100f were found by compiling one kernel with nvcc 13.0 for all of them: 0x100000 stands on every "a" entry and
// 0x200000 on every "f" entry, cubin and PTX, compressed or not, and on no other; cuobjdump 13.5 gives the same list
// for "a", and leaves the "f" of cubins out of its names. The cubin's own e_flags are the same for sm_90 and sm_90a.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "elf.hpp"
#include "gpudoctor/result.hpp"

namespace gpudoctor {

/// One architecture: machine code (sm_90) or PTX (compute_90).
struct Arch {
  bool ptx = false;
  unsigned number = 0;  ///< 90 for compute capability 9.0
  char suffix = 0;      ///< 'a': that exact chip only; 'f': that family only; 0: plain
  auto operator<=>(const Arch&) const = default;
  std::string text() const;
};

struct Fatbins {
  std::map<Arch, std::uint32_t> blobs;  ///< in how many blobs each architecture is
  std::uint32_t device_blobs = 0;       ///< blobs with at least one cubin or PTX
  std::uint32_t damaged = 0;            ///< blobs with a header or entry that cannot be true
  bool complete = true;  ///< false when a bound was met, or bytes between blobs were neither blob nor zero
};

/// Walks .nv_fatbin and __nv_relfatbin. Asks for 0.03 to 0.3 % of a real library's bytes.
/// absent: the file has neither section (so it has no device code of its own).
Result<Fatbins> read_fatbins(const Elf& elf);

/// The architectures in more than half of the blobs that hold device code, machine code first, then PTX, ascending.
/// One blob is one source file: what only single files have does not serve a GPU.
std::vector<std::string> archs_in_most(const Fatbins& fatbins);

/// Whether no architecture is in at least nine tenths of the blobs. Such libraries keep separate kernels for each
/// architecture, and a majority says nothing about them. Measured, the share of the commonest: torch 1.13 to 2.11
/// 95 to 100 %, NCCL 97 %, cuBLAS 99 %, cuDNN's ops 100 %; but cuBLASLt 86 % (12.1) and 49 % (13.0), cuSPARSE 85 %,
/// cuDNN's precompiled engines 51 %.
bool split_by_arch(const Fatbins& fatbins);

}  // namespace gpudoctor
