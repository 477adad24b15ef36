#pragma once

#include "reference_loaders/strategies/weights_index.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tidemark::loaders::strategies {

/// What the JSON of a safetensors file says, in its order; only its form is checked, and that names
/// are unique. Offsets are from the end of the header.
struct SafetensorsHeader {
  struct Tensor {
    std::string name;
    std::string dtype = {};
    std::vector<std::int64_t> shape = {};
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;  ///< Where its fields end in the file, for messages.
  };
  std::vector<MetadataEntry> metadata;
  std::vector<Tensor> tensors;
};

/// Parses without building a tree of what may be anything: memory stays a small multiple of `json`.
/// @param offset where `json` begins in the file, for messages.
/// @throws BadInput
SafetensorsHeader parse_safetensors_header(std::string_view json,
                                           std::uint64_t offset,
                                           const std::string& file);

}  // namespace tidemark::loaders::strategies
