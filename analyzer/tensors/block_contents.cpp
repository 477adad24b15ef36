#include "analyzer/tensors/block_contents.hpp"

#include "analyzer/tensors/tensor_places.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::analyzer {

std::unordered_map<trace::AllocationNumber, std::vector<TensorPart>> tensors_by_block(
    const trace::Definitions& definitions) {
  std::unordered_map<trace::AllocationNumber, std::vector<const trace::Origin*>> origins;
  for (const trace::Origin& origin : definitions.origins) {
    origins[origin.allocation].push_back(&origin);
  }
  const TensorPlaces places(definitions);
  std::unordered_map<trace::AllocationNumber, std::vector<TensorPart>> blocks;
  for (auto& [allocation, stretches] : origins) {
    std::ranges::sort(stretches, {}, &trace::Origin::begin);
    std::vector<TensorPart> parts;
    for (const trace::Origin* origin : stretches) {
      places.visit(origin->file, origin->offset, origin->offset + origin->bytes,
                   [&parts](std::uint32_t tensor, std::uint64_t bytes) {
                     parts.push_back({trace::TensorId{tensor}, bytes});
                   });
    }
    if (!parts.empty()) {
      blocks.emplace(allocation, std::move(parts));
    }
  }
  return blocks;
}

std::string content_text(const trace::Definitions& definitions,
                         const std::vector<TensorPart>& parts) {
  if (parts.empty()) {
    return {};
  }
  const auto name_of = [&](const TensorPart& part) {
    return definitions.tensors[trace::index(part.tensor)].name;
  };
  if (parts.size() > 1) {
    return fmt::format("{} tensors, {} to {}", format_count(parts.size()), name_of(parts.front()),
                       name_of(parts.back()));
  }
  const bool is_whole = parts[0].bytes == definitions.tensors[trace::index(parts[0].tensor)].bytes;
  return (is_whole ? "" : "part of ") + name_of(parts[0]);
}

std::string part_text(const trace::Definitions& definitions, const TensorPart& part) {
  const trace::Tensor& tensor = definitions.tensors[trace::index(part.tensor)];
  const std::string bytes =
      part.bytes == tensor.bytes
          ? format_size(part.bytes)
          : fmt::format("{} of {}", format_size(part.bytes), format_size(tensor.bytes));
  return fmt::format("{}, {}: {}", tensor.name, tensor.type, bytes);
}

}  // namespace tidemark::analyzer
