// The loaders that make a model of random weights before they read one.
#include "reference_loaders/strategies/loaders.hpp"
#include "reference_loaders/strategies/random_tensor.hpp"
#include "reference_loaders/strategies/read_index.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <utility>

#include <tidemark/marks.h>

namespace tidemark::loaders::strategies {
namespace {

/// What a model's constructor does if it does not know that its weights will come from a file.
Weights randomly_initialised(WeightsIndex index) {
  constexpr std::uint64_t kSeed = 0;
  const Phase phase("random init");
  Weights weights;
  for (std::size_t at = 0; at < index.tensors.size(); ++at) {
    const TensorEntry& tensor = index.tensors[at];
    RandomTensor(*tensor.type, kSeed, at).fill(weights.add_block(tensor.bytes));
  }
  weights.index = std::move(index);
  return weights;
}

std::vector<Block> read_tensors(const WeightsFile& source, const WeightsIndex& index) {
  const Phase phase("read tensors");
  std::vector<Block> blocks;
  for (const TensorEntry& tensor : index.tensors) {
    source.read_exactly(tensor.offset, blocks.emplace_back(tensor.bytes).bytes());
  }
  return blocks;
}

}  // namespace

Weights load_init_overwrite(const std::filesystem::path& file) {
  WeightsFile source(file);
  Weights weights = randomly_initialised(read_header(source));
  const Phase phase("overwrite tensors");
  for (std::size_t at = 0; at < weights.blocks.size(); ++at) {
    source.read_exactly(weights.index.tensors[at].offset, weights.blocks[at].bytes());
  }
  return weights;
}

Weights load_init_replace(const std::filesystem::path& file) {
  WeightsFile source(file);
  Weights weights = randomly_initialised(read_header(source));
  std::vector<Block> loaded = read_tensors(source, weights.index);
  const Phase phase("replace tensors");
  for (std::size_t at = 0; at < loaded.size(); ++at) {
    weights.blocks[at] = std::move(loaded[at]);
    weights.data[at] = weights.blocks[at].bytes();
  }
  return weights;
}

}  // namespace tidemark::loaders::strategies
