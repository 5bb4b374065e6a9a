// SPDX-License-Identifier: Apache-2.0
// Streaming decompression by liblzma, libzstd and zlib: the only file that sees their headers.
#include "decompress.hpp"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <vector>

namespace gpudoctor {
namespace {

constexpr std::size_t piece = 64 << 10;  // bytes read, and bytes unpacked, at a time
constexpr std::uint64_t decoder_memory = 128 << 20;
constexpr std::uint64_t free_bytes = 1 << 20;  // unpacked before the ratio counts
constexpr std::uint64_t most_ratio = 100;

/// One decoder. `step` takes from [in, in_left) and gives to [out, out_left).
struct Decoder {
  enum class Says { more, done, broken };
  const unsigned char* in = nullptr;
  std::size_t in_left = 0;
  unsigned char* out = nullptr;
  std::size_t out_left = 0;

  virtual ~Decoder() = default;
  virtual Says step(bool last) = 0;
};

struct Xz final : Decoder {
  lzma_stream stream = LZMA_STREAM_INIT;
  bool ready = lzma_stream_decoder(&stream, decoder_memory, 0) == LZMA_OK;
  ~Xz() override { lzma_end(&stream); }
  Says step(bool last) override {
    if (!ready) return Says::broken;
    stream.next_in = in, stream.avail_in = in_left, stream.next_out = out, stream.avail_out = out_left;
    const lzma_ret said = lzma_code(&stream, last ? LZMA_FINISH : LZMA_RUN);
    in = stream.next_in, in_left = stream.avail_in, out = stream.next_out, out_left = stream.avail_out;
    return said == LZMA_OK ? Says::more : said == LZMA_STREAM_END ? Says::done : Says::broken;
  }
};

struct Zstd final : Decoder {
  ZSTD_DStream* stream = ZSTD_createDStream();  // its window limit is 128 MiB by default
  ~Zstd() override { ZSTD_freeDStream(stream); }
  Says step(bool) override {
    if (!stream) return Says::broken;
    ZSTD_inBuffer from{in, in_left, 0};
    ZSTD_outBuffer to{out, out_left, 0};
    const std::size_t said = ZSTD_decompressStream(stream, &to, &from);
    in += from.pos, in_left -= from.pos, out += to.pos, out_left -= to.pos;
    if (ZSTD_isError(said)) return Says::broken;
    return said == 0 ? Says::done : Says::more;
  }
};

struct Gzip final : Decoder {
  z_stream stream{};
  bool ready = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK;  // 16: a gzip header, not zlib's
  ~Gzip() override { inflateEnd(&stream); }
  Says step(bool) override {
    if (!ready) return Says::broken;
    stream.next_in = const_cast<unsigned char*>(in), stream.avail_in = static_cast<uInt>(in_left);
    stream.next_out = out, stream.avail_out = static_cast<uInt>(out_left);
    const int said = inflate(&stream, Z_NO_FLUSH);
    in = stream.next_in, in_left = stream.avail_in, out = stream.next_out, out_left = stream.avail_out;
    return said == Z_OK || said == Z_BUF_ERROR ? Says::more : said == Z_STREAM_END ? Says::done : Says::broken;
  }
};

std::unique_ptr<Decoder> decoder(Packing packing) {
  switch (packing) {
    case Packing::xz:
      return std::make_unique<Xz>();
    case Packing::zstd:
      return std::make_unique<Zstd>();
    case Packing::gzip:
      return std::make_unique<Gzip>();
    case Packing::none:
      break;
  }
  return nullptr;
}

}  // namespace

Packing packing_of(const Bytes& bytes) {
  char head[6] = {};
  const std::string_view start(head, bytes.read(0, head, sizeof head));
  if (start == std::string_view("\xfd"
                                "7zXZ\0",
                                6))
    return Packing::xz;
  if (start.starts_with("\x28\xb5\x2f\xfd")) return Packing::zstd;
  if (start.starts_with("\x1f\x8b")) return Packing::gzip;
  return Packing::none;
}

Result<std::string> unpack(const Bytes& bytes, Packing packing, std::uint64_t limit) {
  const auto with = decoder(packing);
  if (!with) return Miss{Why::malformed, "not a compressed file"};
  std::vector<unsigned char> from(piece), to(piece);
  std::string out;
  for (std::uint64_t taken = 0;;) {
    if (with->in_left == 0) {
      with->in = from.data();
      with->in_left = bytes.read(taken, from.data(), from.size());
      taken += with->in_left;
    }
    const bool dry = with->in_left == 0;
    with->out = to.data(), with->out_left = to.size();
    const Decoder::Says says = with->step(dry);
    const std::size_t made = to.size() - with->out_left;
    out.append(reinterpret_cast<const char*>(to.data()), made);
    if (out.size() > limit) return Miss{Why::too_large, "unpacks to more than the bound"};
    if (out.size() > free_bytes && out.size() / most_ratio > taken) {
      return Miss{Why::too_large, "unpacks to more than a hundred times its size"};
    }
    if (says == Decoder::Says::done) return out;
    if (says == Decoder::Says::broken) return Miss{Why::malformed, "damaged compressed data"};
    if (dry && made == 0) return Miss{Why::malformed, "cut-off compressed data"};
  }
}

}  // namespace gpudoctor
