// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpudoctor/result.hpp"

namespace gpudoctor {

/// What kind of thing a path names. Links are followed by `info`, not by `list`.
enum class Kind { file, folder, link, character, block, other };

struct Entry {
  std::string name;
  Kind kind = Kind::other;
};

struct Info {
  Kind kind = Kind::other;
  std::uint64_t size = 0;   ///< bytes
  std::uint32_t mode = 0;   ///< permission bits, as in chmod
  std::uint32_t owner = 0;  ///< user id
  std::uint32_t group = 0;  ///< group id
};

/// What a child left behind. Exactly one of the first four says how it ended.
struct Output {
  enum class End { exited, signalled, timed_out, not_started } end = End::exited;
  int code = 0;            ///< exit status, or the signal's number
  bool truncated = false;  ///< more output came than was kept
  bool abandoned = false;  ///< it could not be killed in time and was left
  std::string out, err;
  std::string says;        ///< why it was not started
};

/// Bounded questions about files that are too large to read or to record: the answer is a few lines of text.
/// Answers are "key=value" or plain lines; see src/elf and src/machine/inspect.cpp for each.
enum class Inspect {
  modinfo,       ///< a kernel module's .modinfo, plain or .xz/.zst/.gz: "version=…", "license=…", "vermagic=…", "signer=…"
  dynamic,       ///< an ELF file's dynamic section: "soname=…", "needed=…", "rpath=…", "runpath=…", and "machine=x86_64"
  cuda_archs,    ///< cubins and PTX in .nv_fatbin/__nv_relfatbin: "sm_90", "sm_90a", "compute_90", each in most of the blobs
  torch_archs,   ///< libtorch_python.so's own list, one word a line
  nccl_version,  ///< "version=2.28.9", "cuda=13.0"
  nvcc_release,  ///< "release=12.4", "build=12.4.131"
  cudnn_version, ///< "version=9.10.2" from a libcudnn whose file name does not say
  compat_note,   ///< CUDA compat libcuda's .note.cuda.fwd_compatibility, its JSON on one line
  dpkg_status,   ///< packages of interest in /var/lib/dpkg/status: "name\tversion\tstatus\tarchitecture"
  dpkg_files,    ///< paths of interest in a dpkg .list file
  rpm_packages,  ///< packages of interest in rpmdb.sqlite: "package\tname\tversion\tarchitecture", "file\tname\tpath"
  libc_version,  ///< "version=2.36", as glibc's own banner in libc.so.6 says it
  string_abi,    ///< "abi=cxx11" or "abi=pre-cxx11", by the file's own and needed names of PyTorch; nothing where none tells
  ld_cache,      ///< /etc/ld.so.cache: "soname\tpath\tlevel" of this machine's GPU libraries, in the loader's order
  wheel_files,   ///< a dist-info's RECORD: the shared libraries among its files, as written there
  version_macros,  ///< a C header's numeric macros of versions in its first 64 KiB: "CUDA_VERSION=13000", "CUDNN_MAJOR=9"
  kernel_log,    ///< the lines of interest of the current boot in a kernel log (src/machine/kept.hpp)
  build_log,     ///< DKMS' make.log: "kernel=6.16.3", then its first errors, "error=…"
  efi_keys,      ///< an EFI variable with a list of keys: the names of their owners and issuers, "key=…"
};

/// The name that recordings use ("modinfo", "cuda_archs", …), and the inverse.
const char* word(Inspect what);
std::optional<Inspect> inspect_from_word(const std::string& word);

/// The outside, as every probe sees it: a live machine, an unpacked root, an image, or a recording.
/// Paths are absolute and belong to the machine looked at; nothing here writes or raises.
class Machine {
 public:
  enum class World { live, root, recorded, pasted };

  virtual ~Machine() = default;
  virtual World world() const = 0;
  /// Whether /proc, /sys, variables and commands describe a running system (false for a root or image).
  virtual bool running() const = 0;
  /// Whether `run` may start programs of the looked-at machine (only live; a recording replays).
  virtual bool asks() const = 0;

  /// A whole regular file, at most `limit` bytes (default 1 MiB); never blocks on a FIFO or device.
  virtual Result<std::string> read(const std::string& path, std::size_t limit = 1 << 20) const = 0;
  /// The entries of a folder, sorted by name, without "." and "..".
  virtual Result<std::vector<Entry>> list(const std::string& path) const = 0;
  virtual Result<Info> info(const std::string& path) const = 0;
  /// Where a symbolic link points, as written.
  virtual Result<std::string> link(const std::string& path) const = 0;
  /// The path with every link resolved inside this machine.
  virtual Result<std::string> real(const std::string& path) const = 0;
  virtual Result<std::vector<std::string>> inspect(const std::string& path, Inspect what) const = 0;
  /// The undefined names of PyTorch in an ELF file that none of these libraries defines; a library that is not there or
  /// cannot be read is a miss of the whole, since any name might be its.
  virtual Result<std::vector<std::string>> unresolved(const std::string& path,
                                                      const std::vector<std::string>& libraries) const = 0;

  /// An environment variable of the caller; absent when unset.
  virtual Result<std::string> variable(const std::string& name) const = 0;
  /// Runs a program by absolute path or by name from PATH. Deadline in milliseconds.
  virtual Result<Output> run(const std::vector<std::string>& argv, unsigned deadline_ms = 5000) const = 0;

  virtual std::string working_folder() const = 0;
  virtual std::uint32_t user_id() const = 0;
  /// Seconds since 1970, from the machine: a recording gives the time it was made.
  virtual std::int64_t now() const = 0;
};

// ── helpers over the interface (src/core/paths.cpp) ──

/// Paths that match a pattern with * and ? in any of its parts, sorted; a bounded number of them. Folders that are there
/// but cannot be read are skipped and, where `missed` is given, named there with the reason.
std::vector<std::string> glob(const Machine& machine, const std::string& pattern,
                              std::vector<std::string>* missed = nullptr);
/// The same below a folder whose own name, taken from what was looked at, is no pattern.
std::vector<std::string> glob_in(const Machine& machine, const std::string& folder, const std::string& pattern,
                                 std::vector<std::string>* missed = nullptr);
bool matches(std::string_view text, std::string_view pattern);
bool exists(const Machine& machine, const std::string& path);
bool is_folder(const Machine& machine, const std::string& path);
std::string join(std::string_view folder, std::string_view name);
std::string parent(std::string_view path);
std::string base_name(std::string_view path);

}  // namespace gpudoctor
