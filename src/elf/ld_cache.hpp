// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "gpudoctor/result.hpp"

namespace gpudoctor {

/// One library that /etc/ld.so.cache names.
struct CachedLibrary {
  std::string soname, path;
  std::string level;   ///< "x86-64-v3": only for processors that have it; empty for all
};

/// The 64-bit libraries (x86_64, aarch64) of an ld.so.cache, in its order: those of a level stand before the plain one.
/// The form of glibc 2.2 and later, alone or after the older table, and the older table where it stands alone.
/// Layout: glibc, sysdeps/generic/dl-cache.h.
/// Every offset is held against the size; what points outside is left out. malformed: no such cache.
Result<std::vector<CachedLibrary>> parse_ld_cache(std::string_view bytes);

}  // namespace gpudoctor
