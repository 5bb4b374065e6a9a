// SPDX-License-Identifier: Apache-2.0
// The one compile of {fmt}. All other files include <fmt/core.h> only, whose functions live here: so no shared or
// static libfmt is needed (Debian ships no static one), and its heavy headers are read once.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace {
[[gnu::used]] std::string (*const keep_vformat)(fmt::string_view, fmt::format_args) = &fmt::vformat;
[[gnu::used]] void (*const keep_vprint)(std::FILE*, fmt::string_view, fmt::format_args) = &fmt::vprint;
}  // namespace
