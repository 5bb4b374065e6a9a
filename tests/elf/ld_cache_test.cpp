// SPDX-License-Identifier: Apache-2.0
#include "ld_cache.hpp"

#include <doctest/doctest.h>

#include "make_elf.hpp"

using namespace gpudoctor;
using make::le;

namespace {

struct Entry {
  std::uint32_t flags;
  std::string soname, path;
  std::uint64_t hardware = 0;
};
constexpr std::uint32_t x86_64 = 0x0303, i386 = 0x0003, aarch64 = 0x0a03;
constexpr std::uint64_t level = std::uint64_t{1} << 62;

/// glibc, sysdeps/generic/dl-cache.h: struct cache_file_new and file_entry_new; offsets from its own start.
std::string new_cache(const std::vector<Entry>& entries, const std::vector<std::string>& levels = {}) {
  const std::size_t strings_at = 48 + entries.size() * 24;
  std::string strings, table;
  const auto text = [&](const std::string& of) {
    const std::size_t at = strings_at + strings.size();
    strings += of + '\0';
    return at;
  };
  for (const auto& one : entries)
    table += le(one.flags, 4) + le(text(one.soname), 4) + le(text(one.path), 4) + le(0, 4) + le(one.hardware, 8);
  std::string offsets;
  for (const auto& one : levels) offsets += le(text(one), 4);
  const std::size_t strings_size = strings.size();
  strings.resize((strings.size() + 3) / 4 * 4);
  const std::size_t extension = strings_at + strings.size(), names = extension + 8 + 16;
  std::string tail;
  if (!levels.empty()) tail = le(0xeaa42174, 4) + le(1, 4) + le(1, 4) + le(0, 4) + le(names, 4) + le(offsets.size(), 4) + offsets;
  return "glibc-ld.so.cache1.1" + le(entries.size(), 4) + le(strings_size, 4) + le(2, 1) + std::string(3, '\0') +
         le(levels.empty() ? 0 : extension, 4) + std::string(12, '\0') + table + strings + tail;
}

std::string old_cache(const std::vector<Entry>& entries) {
  std::string strings, table;
  const auto text = [&](const std::string& of) {
    const std::size_t at = strings.size();
    strings += of + '\0';
    return at;
  };
  for (const auto& one : entries) table += le(one.flags, 4) + le(text(one.soname), 4) + le(text(one.path), 4);
  return std::string("ld.so-1.7.0") + '\0' + le(entries.size(), 4) + table + strings;
}

std::string shown(const std::string& bytes) {
  const auto cache = parse_ld_cache(bytes);
  if (!cache) return "miss: " + cache.miss().says;
  std::string out;
  for (const auto& one : *cache) out += one.soname + "=" + one.path + (one.level.empty() ? "" : "@" + one.level) + " ";
  return out;
}

const std::vector<Entry> two = {{x86_64, "libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1"},
                                {i386, "libcuda.so.1", "/usr/lib/i386-linux-gnu/libcuda.so.1"},
                                {x86_64, "libcudart.so.12", "/usr/local/cuda/lib64/libcudart.so.12"}};

}  // namespace

TEST_CASE("ld.so.cache: the form of glibc 2.32 and later") {
  CHECK(shown(new_cache(two)) == "libcuda.so.1=/usr/lib/x86_64-linux-gnu/libcuda.so.1 libcudart.so.12=/usr/local/cuda/lib64/libcudart.so.12 ");
  CHECK(shown(new_cache({{aarch64, "libcuda.so.1", "/usr/lib/aarch64-linux-gnu/libcuda.so.1"}})) == "libcuda.so.1=/usr/lib/aarch64-linux-gnu/libcuda.so.1 ");
  CHECK(shown(new_cache({})).empty());
}

TEST_CASE("ld.so.cache: the two tables of before, and the old one alone") {
  std::string both = old_cache({{x86_64, "libold.so.1", "/lib/libold.so.1"}});
  both.resize((both.size() - std::string("libold.so.1").size() - std::string("/lib/libold.so.1").size() - 2));   // its strings stand in the new one
  both.resize((both.size() + 7) / 8 * 8);
  CHECK(shown(both + new_cache(two)).starts_with("libcuda.so.1=/usr/lib/x86_64-linux-gnu/libcuda.so.1 "));
  CHECK(shown(old_cache(two)) == "libcuda.so.1=/usr/lib/x86_64-linux-gnu/libcuda.so.1 libcudart.so.12=/usr/local/cuda/lib64/libcudart.so.12 ");
}

TEST_CASE("ld.so.cache: levels of processors") {
  const auto cache = new_cache({{x86_64, "libcudart.so.12", "/opt/glibc-hwcaps/x86-64-v3/libcudart.so.12", level | 1},
                                {x86_64, "libcudart.so.12", "/opt/glibc-hwcaps/x86-64-v9/libcudart.so.12", level | 7},   // no such name
                                {x86_64, "libcudart.so.12", "/opt/tls/libcudart.so.12", 0x8000},                         // of before 2.33
                                {x86_64, "libcudart.so.12", "/opt/libcudart.so.12"}},
                               {"x86-64-v2", "x86-64-v3"});
  CHECK(shown(cache) == "libcudart.so.12=/opt/glibc-hwcaps/x86-64-v3/libcudart.so.12@x86-64-v3 libcudart.so.12=/opt/libcudart.so.12 ");
}

TEST_CASE("ld.so.cache: what is none, what lies, and what was cut off") {
  CHECK(shown("") == "miss: not a cache of the dynamic loader");
  CHECK(shown("#!/bin/sh\n") == "miss: not a cache of the dynamic loader");
  CHECK(shown(std::string("ld.so-1.7.0") + '\0' + le(0xffffffff, 4)) == "miss: a cut-off cache of the dynamic loader");
  auto lies = new_cache(two);
  lies.replace(20, 4, le(0xffffffff, 4));   // a count beyond the file
  CHECK(shown(lies).starts_with("libcuda.so.1="));
  const auto good = new_cache({{x86_64, "libcudart.so.12", "/opt/libcudart.so.12", level | 0}}, {"x86-64-v2"});
  for (std::size_t size = 0; size <= good.size(); ++size) (void)shown(good.substr(0, size));
  for (std::size_t at = 20; at < good.size(); ++at) {
    auto bad = good;
    bad[at] = '\xff';
    (void)shown(bad);
  }
}
