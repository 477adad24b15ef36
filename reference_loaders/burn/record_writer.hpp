#pragma once

#include "reference_loaders/burn/random_tensor.hpp"
#include "reference_loaders/burn/resnet.hpp"

#include <cstdint>

namespace tidemark::loaders::burn {

/// Writes a NamedMpkGz record: maps as the dotted names nest, arrays where a segment is an index,
/// and a param for every tensor. Linear weights are announced transposed, and must be written so.
/// @param as_bytes a binary for every tensor, else a number for every element.
void write_record(Sink& sink,
                  const ModelSpec& spec,
                  bool as_bytes,
                  const WriteTensor& write_tensor);

/// Size of the file that it writes. Numbers of batches are taken to be from 256 to 65535.
std::uint64_t record_file_size(const ModelSpec& spec, bool as_bytes);

}  // namespace tidemark::loaders::burn
