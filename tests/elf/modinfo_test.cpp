// SPDX-License-Identifier: Apache-2.0
#include "modinfo.hpp"

#include <doctest/doctest.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "make_elf.hpp"

using namespace gpudoctor;
using Lines = std::vector<std::string>;

namespace {

const std::string nul(1, '\0');
const std::string info = "license=Dual MIT/GPL" + nul + "version=580.105.08" + nul + nul + "license=second" + nul +
                         "parm=x:y" + nul + "srcversion=ABC" + nul + "depends=" + nul +
                         "vermagic=6.8.0-48-generic SMP preempt mod_unload" + nul;
const Lines expected = {"version=580.105.08", "license=Dual MIT/GPL",
                        "vermagic=6.8.0-48-generic SMP preempt mod_unload", "srcversion=ABC", "depends="};

std::string module() { return make::Elf().add(".modinfo", info).add(".text", std::string(3000, 't')).build(); }

std::string xz(const std::string& plain) {
  std::string out(plain.size() + 4096, '\0');
  std::size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const uint8_t*>(plain.data()),
                                  plain.size(), reinterpret_cast<uint8_t*>(out.data()), &size, out.size()) == LZMA_OK);
  return out.substr(0, size);
}
std::string zst(const std::string& plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  return out.substr(0, ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 1));
}
std::string gz(const std::string& plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()), '\0'), in = plain;
  stream.next_in = reinterpret_cast<Bytef*>(in.data()), stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data()), stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A signature as sign-file appends it: the message, struct module_signature, the mark.
std::string signature(const std::string& message) {
  std::string size;
  for (int shift = 24; shift >= 0; shift -= 8) size += static_cast<char>(message.size() >> shift & 0xff);
  return message + std::string("\0\0\x02\0\0\0\0\0", 8) + size + "~Module signature appended~\n";
}

}  // namespace

TEST_CASE("modinfo: plain and packed modules say the same") {
  for (const auto& bytes : {module(), xz(module()), zst(module()), gz(module())}) {
    CHECK(modinfo(MemoryBytes(bytes)).value_or({}) == expected);
  }
}

TEST_CASE("modinfo: packed modules longer than one piece") {
  make::Elf big;
  for (unsigned i = 0, x = 1; i < 8; ++i) {
    std::string noise(100000, '\0');
    for (char& c : noise) c = static_cast<char>((x = x * 1103515245 + 12345) >> 16);
    big.add(".text", noise);
  }
  const std::string plain = big.add(".modinfo", info).build();
  for (const auto& bytes : {xz(plain), zst(plain), gz(plain)})
    CHECK(modinfo(MemoryBytes(bytes)).value_or({}) == expected);
}

TEST_CASE("modinfo: the signer, by the issuer's common name") {
  const auto signer = [](const std::string& message) {
    return modinfo(MemoryBytes(module() + signature(message)))->back();
  };
  const std::string named =
      "\x30\x1f\x06\x03\x55\x04\x03\x0c\x16"
      "DKMS module signing ke"
      "\x02\x01\x05";
  CHECK(signer(named) == "signer=DKMS module signing ke");
  CHECK(signer("\x30\x03 no name in it") == "signer=unnamed");
  CHECK(signer(std::string("\x06\x03\x55\x04\x03\x0c\x7f", 7) + "short") == "signer=unnamed");
  CHECK(signer("") == "signer=unnamed");
  CHECK(modinfo(MemoryBytes(module())).value_or({}).back() == "depends=");
}

TEST_CASE("modinfo: a signature that claims to be longer than the file") {
  std::string bytes = module() + signature("x");
  bytes[bytes.size() - 29] = '\x7f';
  bytes[bytes.size() - 32] = '\x7f';
  CHECK(modinfo(MemoryBytes(bytes))->back() == "signer=unnamed");
}

TEST_CASE("modinfo: bombs are left early") {
  const std::string zeros(48u << 20, '\0');
  for (const auto& bytes : {xz(zeros), zst(zeros), gz(zeros)}) {
    CHECK(modinfo(MemoryBytes(bytes)).miss().why == Why::too_large);
  }
}

TEST_CASE("modinfo: damaged and cut-off packing, files that are no module") {
  for (const auto& bytes : {xz(module()), zst(module()), gz(module())}) {
    for (const std::size_t keep : {std::size_t{6}, bytes.size() / 2, bytes.size() - 9}) {
      CHECK(modinfo(MemoryBytes(bytes.substr(0, keep))).miss().why == Why::malformed);
    }
    std::string damaged = bytes;
    for (std::size_t i = bytes.size() / 3; i < bytes.size() / 2; ++i) damaged[i] = '\x55';
    CHECK_FALSE(modinfo(MemoryBytes(damaged)));
  }
  CHECK(modinfo(MemoryBytes("text")).miss().says == "not an ELF file");
  CHECK(modinfo(MemoryBytes(gz("text"))).miss().says == "not an ELF file");
  CHECK(modinfo(MemoryBytes(make::Elf().add(".text", "x").build())).miss().says == "no .modinfo section");
}
