// The loaders that read: blob, stream, parallel.
#include "reference_loaders/strategies/loaders.hpp"
#include "reference_loaders/strategies/parallel_read.hpp"
#include "reference_loaders/strategies/read_index.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <algorithm>

#include <tidemark/marks.h>

namespace tidemark::loaders::strategies {
namespace {

std::vector<Piece> pieces_of(const WeightsIndex& index, const std::vector<Block>& blocks) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    std::uint64_t offset = index.tensors[at].offset;
    for (auto left = blocks[at].bytes(); !left.empty();) {
      const auto piece = left.first(std::min(kParallelChunkBytes, left.size()));
      pieces.push_back({offset, piece});
      offset += piece.size();
      left = left.subspan(piece.size());
    }
  }
  return pieces;
}

/// An empty block for each tensor.
void allocate(Weights& weights) {
  const Phase phase("allocate tensors");
  for (const TensorEntry& tensor : weights.index.tensors) {
    weights.add_block(tensor.bytes);
  }
}

}  // namespace

Weights load_blob(const std::filesystem::path& file) {
  const WeightsFile source(file);
  const Block blob(source.size());
  {
    const Phase phase("read file");
    source.read_exactly(0, blob.bytes());
  }
  const Phase phase("copy tensors");
  MemorySource memory(blob.bytes());
  Weights weights{.index = read_index(memory, source.name())};
  for (const TensorEntry& tensor : weights.index.tensors) {
    memory.read_at(tensor.offset, weights.add_block(tensor.bytes));
  }
  return weights;
}

Weights load_stream(const std::filesystem::path& file) {
  WeightsFile source(file);
  Weights weights{.index = read_header(source)};
  const Phase phase("read tensors");
  for (const TensorEntry& tensor : weights.index.tensors) {
    source.read_exactly(tensor.offset, weights.add_block(tensor.bytes));
  }
  return weights;
}

Weights load_pread_parallel(const std::filesystem::path& file, std::uint64_t threads) {
  WeightsFile source(file);
  Weights weights{.index = read_header(source)};
  allocate(weights);
  const Phase phase("read tensors");
  const std::vector<Piece> pieces = pieces_of(weights.index, weights.blocks);
  read_in_parallel(source, pieces, threads);
  return weights;
}

}  // namespace tidemark::loaders::strategies
