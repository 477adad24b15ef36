// The loaders that read through a ring of staging buffers: chunk-ring and direct.
#include "reference_loaders/strategies/loaders.hpp"
#include "reference_loaders/strategies/read_index.hpp"
#include "reference_loaders/strategies/staging_ring.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <algorithm>

#include <tidemark/marks.h>

namespace tidemark::loaders::strategies {
namespace {

/// Weights whose tensors lie in one block, at the distances that they have in the file.
Weights one_block_for(WeightsIndex index) {
  const Phase phase("allocate device memory");
  Weights weights;
  const Block& block = weights.blocks.emplace_back(index.data_end - index.data_begin);
  for (const TensorEntry& tensor : index.tensors) {
    weights.data.emplace_back(
        block.bytes().subspan(tensor.offset - index.data_begin, tensor.bytes));
  }
  weights.index = std::move(index);
  return weights;
}

}  // namespace

Weights load_chunk_ring(const std::filesystem::path& file) {
  WeightsFile source(file);
  Weights weights = one_block_for(read_header(source));
  std::byte* const device = weights.blocks.front().bytes().data();

  const Phase phase("upload");
  StagingRing ring(kRingBuffers, kChunkBytes);
  for (const TensorEntry& tensor : weights.index.tensors) {
    for (std::uint64_t done = 0; done < tensor.bytes;) {
      const auto buffer = ring.acquire();
      const auto chunk = buffer.first(std::min<std::uint64_t>(buffer.size(), tensor.bytes - done));
      source.read_exactly(tensor.offset + done, chunk);
      ring.submit(chunk, device + (tensor.offset - weights.index.data_begin) + done);
      done += chunk.size();
    }
  }
  ring.drain();
  return weights;
}

Weights load_direct(const std::filesystem::path& file) {
  WeightsFile source(file);
  Weights weights = one_block_for(read_header(source));
  const WeightsIndex& index = weights.index;
  std::byte* const device = weights.blocks.front().bytes().data();

  const Phase phase("upload");
  DirectFile direct(source);
  StagingRing ring(kRingBuffers, kDirectBytes);
  for (std::uint64_t at = index.data_begin & ~(DirectFile::kAlignment - 1); at < index.data_end;
       at += kDirectBytes) {
    const auto buffer = ring.acquire();
    direct.read_up_to(at, buffer);
    // The first buffer begins in the header, the last ends behind the data.
    const std::uint64_t begin = std::max(at, index.data_begin);
    const std::uint64_t end = std::min<std::uint64_t>(at + buffer.size(), index.data_end);
    ring.submit(buffer.subspan(begin - at, end - begin), device + (begin - index.data_begin));
  }
  ring.drain();
  weights.notes.push_back({"direct reads", direct.refusal().empty()
                                               ? "yes"
                                               : "refused by the file system (" + direct.refusal() +
                                                     "), so through the page cache"});
  return weights;
}

}  // namespace tidemark::loaders::strategies
