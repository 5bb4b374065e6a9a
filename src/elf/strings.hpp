// SPDX-License-Identifier: Apache-2.0
// Versions that stand as plain text inside a library. Searched for by a fixed anchor in .rodata (up to 64 MiB), or in a
// file without such a section from its start (up to 256 MiB), in chunks of 64 KiB: no regular expressions over hundreds
// of megabytes, and no search of a whole library for a text that is not there (1.2 s for cuFFT's 287 MB).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "elf.hpp"
#include "gpudoctor/result.hpp"

namespace gpudoctor {

/// Calls `found` with the text that follows each `anchor` in [begin, begin+size): up to 128 bytes, control characters
/// and all. Stops when it returns true; then the search returns true.
bool find_text(const Bytes& bytes, std::uint64_t begin, std::uint64_t size, std::string_view anchor,
               const std::function<bool(std::string_view)>& found);

/// The list that torch was built for ("sm_80", "sm_90", "compute_90"), from libtorch_python.so: the longest run of
/// (sm_|compute_)N[a|f] words with single spaces between, in .rodata. malformed: none.
Result<std::vector<std::string>> torch_archs(const Elf& elf);

/// "2.28.9" and "13.0" from "NCCL version 2.28.9+cuda13.0"; cuda is empty where it does not stand. malformed: none.
struct NcclVersion {
  std::string version, cuda;
};
Result<NcclVersion> nccl_version(const Elf& elf);

/// "12.4" and "12.4.131" from "release 12.4, V12.4.131". malformed: none.
struct NvccRelease {
  std::string release, build;
};
Result<NvccRelease> nvcc_release(const Elf& elf);

/// "9.19.0" from "cudnn_version_9_19_0_56_". That name stands in libcudnn_graph.so.9 and in libcudnn_ops_infer.so.8
/// (found in 9.19.0.56 and 8.5.0.96); libcudnn.so.8 and .9 are thin loaders that hold no version at all.
/// malformed: none.
Result<std::string> cudnn_version(const Elf& elf);

}  // namespace gpudoctor
