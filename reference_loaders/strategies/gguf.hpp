#pragma once

#include "reference_loaders/strategies/weights_index.hpp"

#include <cstdint>
#include <string>

/// GGUF, version 3 (ggml's docs/gguf.md). Little-endian; a string is a u64 length and its bytes.
///
///     "GGUF", u32 version, u64 tensor count, u64 metadata count
///     metadata:  string key, u32 type, value
///                (an array: u32 element type, u64 count, elements)
///     tensors:   string name, u32 dimensions, u64 extents (innermost first), u32 type,
///                u64 offset from the start of the data
///     zeros up to a multiple of general.alignment (32 unless it is given): here the data starts
///     each tensor, with zeros behind it up to the next multiple
namespace tidemark::loaders::strategies {

class ByteSource;

inline constexpr std::string_view kGgufMagic = "GGUF";
inline constexpr std::uint32_t kGgufVersion = 3;

/// Reads and checks a header. No more is allocated than a small multiple of its bytes.
///
/// As strict as ggml: names are unique, a tensor begins where the one before it ends, padded.
/// Stricter in one point: nothing but padding follows the last tensor.
/// @throws BadInput with the offset of the field that is wrong
WeightsIndex read_gguf(ByteSource& source, const std::string& file);

/// Gives each tensor of `index` its offset, and returns the header with its padding: the file up to
/// the first tensor.
std::string lay_out_gguf(WeightsIndex& index);

/// What `general.alignment` says, or 32. @return 0 when it is no power of two in a u32
std::uint64_t gguf_alignment(const WeightsIndex& index);

}  // namespace tidemark::loaders::strategies
