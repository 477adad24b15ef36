/// zstd and XXH3 behind the few calls that a trace needs.
#pragma once

#include "collector/trace/coding/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace tidemark::trace {

[[nodiscard]] std::uint64_t checksum_of(ByteView bytes);

/// Reuses its working memory from call to call.
class Compressor {
 public:
  enum class For : std::uint8_t {
    kColumns,  ///< Columns of events: many numbers with little repetition.
    kTables,   ///< Names and definitions.
  };
  explicit Compressor(For content);
  /// Appends `raw` as one zstd frame to `out` when that is smaller than `raw` (and not smaller than
  /// `raw.size() / max_ratio`), else unchanged. @return true for a frame.
  bool append(ByteView raw, ByteBuffer& out, std::size_t max_ratio = SIZE_MAX);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

/// Reuses its working memory from call to call.
class Decompressor {
 public:
  Decompressor();
  /// Unpacks one zstd frame that must fill `out` exactly. @return false for anything else.
  [[nodiscard]] bool unpack(ByteView packed, std::span<std::uint8_t> out);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace tidemark::trace
