// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "bytes.hpp"
#include "gpudoctor/result.hpp"

namespace gpudoctor {

enum class Packing { none, xz, zstd, gzip };

/// From the first bytes, whatever the file is called.
Packing packing_of(const Bytes& bytes);

/// The unpacked bytes. Reads the packed file in pieces of 64 KiB.
/// too_large: more than `limit` bytes, or more than a hundredfold of what went in (a module packs three- to tenfold).
/// malformed: damaged or cut off; a decoder that wants more than 128 MiB for itself counts as damaged.
Result<std::string> unpack(const Bytes& bytes, Packing packing, std::uint64_t limit);

}  // namespace gpudoctor
