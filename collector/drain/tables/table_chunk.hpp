/// Memory for tables with random access.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace tidemark {

struct FreeChunk {
  void operator()(std::byte* chunk) const { std::free(chunk); }
};
using TableChunk = std::unique_ptr<std::byte, FreeChunk>;

constexpr std::size_t kSmallChunkBytes = std::size_t{32} << 10U;
constexpr std::size_t kLargeChunkBytes = std::size_t{2} << 20U;

/// With random access, 4 KiB pages cost TLB misses. Huge pages halve the cost of a random release
/// among 8 million blocks; small tables do without them.
/// @param table_bytes size of the table so far. @return kSmallChunkBytes or kLargeChunkBytes.
constexpr std::size_t next_chunk_bytes(std::size_t table_bytes, std::size_t large_from_bytes) {
  return table_bytes >= large_from_bytes ? kLargeChunkBytes : kSmallChunkBytes;
}

/// Not initialised. Throws std::bad_alloc.
/// @param bytes kSmallChunkBytes, to lie at a multiple of 4 KiB, or kLargeChunkBytes, of itself.
inline TableChunk make_table_chunk(std::size_t bytes) {
  constexpr std::size_t kPageBytes = 4096;
  const bool is_large = bytes == kLargeChunkBytes;
  TableChunk chunk(
      static_cast<std::byte*>(std::aligned_alloc(is_large ? kLargeChunkBytes : kPageBytes, bytes)));
  if (chunk == nullptr)
    throw std::bad_alloc();
  if (is_large)
    (void)madvise(chunk.get(), bytes, MADV_HUGEPAGE);
  return chunk;
}

}  // namespace tidemark
