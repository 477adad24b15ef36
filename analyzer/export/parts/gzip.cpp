#include "analyzer/export/parts/gzip.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <zlib.h>

namespace tidemark::exports {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 16 asks zlib for gzip's header and trailer.
constexpr int kMemoryLevel = 8;

/// zlib counts in 32 bits: longer input goes in pieces.
constexpr std::size_t kPieceBytes = std::size_t{1} << 30U;

void append(z_stream& stream, int flush, std::string& out) {
  std::array<Bytef, 65536> buffer{};
  do {
    stream.next_out = buffer.data();
    stream.avail_out = static_cast<uInt>(buffer.size());
    deflate(&stream, flush);
    out.append(reinterpret_cast<const char*>(buffer.data()), buffer.size() - stream.avail_out);
  } while (stream.avail_out == 0);
}

}  // namespace

std::string gzipped(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();  // The only way to fail with arguments like these.
  }
  std::string out;
  do {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    bytes.remove_prefix(piece.size());
    // zlib only reads from here; its type is older than const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    append(stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH, out);
  } while (!bytes.empty());
  deflateEnd(&stream);
  return out;
}

}  // namespace tidemark::exports
