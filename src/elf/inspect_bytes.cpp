// SPDX-License-Identifier: Apache-2.0
#include "inspect_bytes.hpp"

#include "elf.hpp"
#include "fatbin.hpp"
#include "modinfo.hpp"
#include "note.hpp"
#include "strings.hpp"
#include "symbols.hpp"

namespace gpudoctor {
namespace {

using Lines = std::vector<std::string>;

void add(Lines& lines, std::string_view key, const std::string& value) {
  if (!value.empty()) lines.push_back(std::string(key) + "=" + value);
}

Lines dynamic_lines(const Elf& elf) {
  const Dynamic dynamic = elf.dynamic();
  Lines out;
  add(out, "machine", elf.machine());
  add(out, "soname", dynamic.soname);
  for (const std::string& library : dynamic.needed) add(out, "needed", library);
  add(out, "rpath", dynamic.rpath);
  add(out, "runpath", dynamic.runpath);
  add(out, "glibc", glibc_floor(elf.version_needs()));
  return out;
}

Result<Lines> cuda_arch_lines(const Elf& elf) {
  const auto fatbins = read_fatbins(elf);
  if (!fatbins) return fatbins.miss();
  if (fatbins->device_blobs == 0) return Miss{Why::malformed, "device code of an unknown form"};
  if (split_by_arch(*fatbins)) return Miss{Why::malformed, "its kernels are split by architecture"};
  return archs_in_most(*fatbins);
}

Result<Lines> nccl_lines(const Elf& elf) {
  const auto nccl = nccl_version(elf);
  if (!nccl) return nccl.miss();
  Lines out;
  add(out, "version", nccl->version);
  add(out, "cuda", nccl->cuda);
  return out;
}

Result<Lines> nvcc_lines(const Elf& elf) {
  const auto nvcc = nvcc_release(elf);
  if (!nvcc) return nvcc.miss();
  return Lines{"release=" + nvcc->release, "build=" + nvcc->build};
}

Result<Lines> cudnn_lines(const Elf& elf) {
  const auto version = cudnn_version(elf);
  if (!version) return version.miss();
  return Lines{"version=" + *version};
}

Result<Lines> abi_lines(const Elf& elf) {
  const auto symbols = Symbols::open(elf);
  if (!symbols) return symbols.miss();
  const auto abi = string_abi(*symbols);
  if (!abi) return abi.miss();
  Lines out;
  add(out, "abi", *abi);
  return out;
}

Result<Lines> note_lines(const Elf& elf) {
  const auto json = compat_note(elf);
  if (!json) return json.miss();
  return Lines{*json};
}

}  // namespace

Result<Lines> inspect_bytes(const Bytes& bytes, Inspect what, std::string_view) {
  if (what == Inspect::modinfo) return modinfo(bytes);
  if (what == Inspect::dpkg_status || what == Inspect::dpkg_files) return Miss{Why::failed, "not about an ELF file"};
  const PagedBytes pages(bytes);
  // Tables of headers are read entry by entry; the other readers take large pieces.
  const Result<Elf> elf = Elf::open(what == Inspect::dynamic ? static_cast<const Bytes&>(pages) : bytes);
  if (!elf) return elf.miss();
  switch (what) {
    case Inspect::dynamic:
      return dynamic_lines(*elf);
    case Inspect::cuda_archs:
      return cuda_arch_lines(*elf);
    case Inspect::torch_archs:
      return torch_archs(*elf);
    case Inspect::nccl_version:
      return nccl_lines(*elf);
    case Inspect::nvcc_release:
      return nvcc_lines(*elf);
    case Inspect::cudnn_version:
      return cudnn_lines(*elf);
    case Inspect::compat_note:
      return note_lines(*elf);
    case Inspect::string_abi:
      return abi_lines(*elf);
    case Inspect::ld_cache:
    case Inspect::wheel_files:
    case Inspect::modinfo:
    case Inspect::dpkg_status:
    case Inspect::dpkg_files:
    case Inspect::libc_version:
    case Inspect::version_macros:
    case Inspect::kernel_log:
    case Inspect::build_log:
    case Inspect::efi_keys:
    case Inspect::rpm_packages:
      break;
  }
  return Miss{Why::failed, "not about an ELF file"};
}

}  // namespace gpudoctor
