#pragma once

#include "reference_loaders/strategies/weights_index.hpp"

#include <cstdint>
#include <string>

/// safetensors (huggingface/safetensors, README.md, section "Format").
///
///     u64 size of the header
///     JSON: {"__metadata__": {text: text}, NAME: {"dtype", "shape", "data_offsets": [begin,
///     end]}}, which begins with '{' and may end in spaces; offsets are those from the end of the
///     header the bytes of the tensors, one after the other, without a hole
namespace tidemark::loaders::strategies {

class ByteSource;

inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;

/// Reads and checks a header, as strict as the format's own library: at most 100 MB of it, unique
/// names, every tensor as large as its shape and type say, all of them together the rest of the
/// file. Stricter in one point: a tensor has no fields but the three.
/// @throws BadInput with the offset that the header was read up to
WeightsIndex read_safetensors(ByteSource& source, const std::string& file);

/// Gives each tensor of `index` its offset, and returns the header: the file up to the first
/// tensor, padded with spaces to a multiple of 8. Metadata must be strings.
std::string lay_out_safetensors(WeightsIndex& index);

}  // namespace tidemark::loaders::strategies
