// The loaders that map the file.
#include "reference_loaders/strategies/loaders.hpp"
#include "reference_loaders/strategies/read_index.hpp"
#include "reference_loaders/strategies/weights_file.hpp"

#include <algorithm>

#include <tidemark/marks.h>

namespace tidemark::loaders::strategies {
namespace {

std::span<const std::byte> in(const Mapping& mapping, const TensorEntry& tensor) {
  return mapping.bytes().subspan(tensor.offset, tensor.bytes);
}

Mapping map(const WeightsFile& file, Mapping::Prefetch prefetch) {
  const Phase phase("map");
  return {file, prefetch};
}

}  // namespace

Weights load_mapped(const std::filesystem::path& file, Mapping::Prefetch prefetch) {
  WeightsFile source(file);
  Weights weights{.index = read_header(source)};
  const Mapping& mapping = weights.mapping.emplace(map(source, prefetch));
  for (const TensorEntry& tensor : weights.index.tensors) {
    weights.data.push_back(in(mapping, tensor));
  }
  return weights;
}

Weights load_mapped_copy(const std::filesystem::path& file) {
  WeightsFile source(file);
  Weights weights{.index = read_header(source)};
  const Mapping mapping = map(source, Mapping::Prefetch::kNone);
  const Phase phase("copy tensors");
  for (const TensorEntry& tensor : weights.index.tensors) {
    std::ranges::copy(in(mapping, tensor), weights.add_block(tensor.bytes).begin());
  }
  return weights;
}

}  // namespace tidemark::loaders::strategies
