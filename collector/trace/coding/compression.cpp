#include "collector/trace/coding/compression.hpp"

#include <xxhash.h>
#include <zstd.h>

#include <new>

namespace tidemark::trace {
namespace {

// Measured on recorded programs: against level 1, level 3 saves 4 to 7 % for 1 to 6 ns an event;
// higher levels cost far more than they save, since the predictions have already taken most of what
// they would find.
constexpr int kLevel = 3;

}  // namespace

std::uint64_t checksum_of(ByteView bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Compressor::Compressor() : context_(ZSTD_createCCtx()) {
  if (!context_)
    throw std::bad_alloc();
}

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

bool Compressor::append(ByteView raw, ByteBuffer& out, std::size_t max_ratio) {
  const auto start = out.size();
  out.resize(start + ZSTD_compressBound(raw.size()));
  const auto packed = ZSTD_compressCCtx(context_.get(), out.data() + start, out.size() - start,
                                        raw.data(), raw.size(), kLevel);
  const bool smaller = ZSTD_isError(packed) == 0 && packed < raw.size();
  if (smaller && packed >= raw.size() / max_ratio + 1) {
    out.resize(start + packed);
    return true;
  }
  out.resize(start);
  out.insert(out.end(), raw.begin(), raw.end());
  return false;
}

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {
  if (!context_)
    throw std::bad_alloc();
}

void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

bool Decompressor::unpack(ByteView packed, std::span<std::uint8_t> out) {
  const auto unpacked =
      ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), packed.data(), packed.size());
  return ZSTD_isError(unpacked) == 0 && unpacked == out.size();
}

}  // namespace tidemark::trace
