// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "bytes.hpp"
#include "gpudoctor/result.hpp"

namespace gpudoctor {

/// What a kernel module says of itself: "version=…", "license=…", "vermagic=…", "srcversion=…", "depends=…", in this
/// order, each as it first stands in the module, and "signer=…" from its signature. A key that the module lacks has no
/// line. Plain, .xz, .zst and .gz modules, told apart by their first bytes; a packed one is unpacked in memory, at
/// most 256 MiB.
/// malformed: no ELF file, no .modinfo section, damaged packing. too_large: see unpack().
Result<std::vector<std::string>> modinfo(const Bytes& bytes);

}  // namespace gpudoctor
