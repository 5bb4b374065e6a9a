// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "gpudoctor/machine.hpp"

namespace gpudoctor {

/// Answers the questions of enum Inspect that are about ELF files, from the file's bytes. The path is for messages
/// only, and no file is opened. Lines by question, in this order:
///   modinfo        "version=", "license=", "vermagic=", "srcversion=", "depends=", "signer=", those that are there
///   dynamic        "machine=", "soname=", "needed=" (each), "rpath=", "runpath=", "glibc=2.34" (the newest GLIBC_
///   need) cuda_archs     "sm_90", "sm_90a", "sm_100f", "compute_90": each in more than half of the blobs torch_archs
///   the same words, in torch's own order nccl_version   "version=2.28.9", "cuda=13.0" nvcc_release   "release=12.4",
///   "build=12.4.131" cudnn_version  "version=9.19.0"; ask libcudnn_graph.so.9 or libcudnn_ops_infer.so.8, which stand
///   beside libcudnn compat_note    the JSON
///   string_abi     "abi=cxx11" or "abi=pre-cxx11", or nothing
/// absent: the file is read and has no device code (cuda_archs) or no note (compat_note). malformed: no ELF file, or
/// without what was asked for; for cuda_archs also a library whose kernels are split by architecture (fatbin.hpp).
/// failed: the question is not about an ELF file (dpkg_*).
Result<std::vector<std::string>> inspect_bytes(const Bytes& bytes, Inspect what, std::string_view path);

}  // namespace gpudoctor
