#pragma once

#include "reference_loaders/strategies/weights_index.hpp"

#include <cstdint>

namespace tidemark::loaders::strategies {

/// What a made-up model looks like: a Llama 3 of this many bytes, to the byte.
///
/// Widths have Llama's proportions (a quarter as many key and value heads, a feed-forward four
/// times as wide as the model), the output is tied to the embedding, matrices are bfloat16 and
/// norms float32, named as in GGUF. The vocabulary takes what the layers leave, and
/// `rope_freqs.weight` what is less than a row of it.
/// @throws UsageError when `weight_bytes` is too small, or not a multiple of 4.
WeightsIndex llama_model(std::uint64_t weight_bytes);

/// As convert_hf_to_gguf.py writes it for Llama 3, tokens included.
std::vector<MetadataEntry> gguf_metadata(const WeightsIndex& model);

/// As transformers writes it.
std::vector<MetadataEntry> safetensors_metadata();

}  // namespace tidemark::loaders::strategies
