#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::loaders::strategies {

class WeightsFile;

/// A part of a tensor that one thread reads at once.
struct Piece {
  std::uint64_t offset = 0;  ///< In the file.
  std::span<std::byte> to;
};

/// Reads all pieces on several threads, including the caller's; each takes the next remaining
/// piece.
/// @throws what went wrong last on any of them, when all have ended
void read_in_parallel(const WeightsFile& file,
                      std::span<const Piece> pieces,
                      std::uint64_t threads);

}  // namespace tidemark::loaders::strategies
