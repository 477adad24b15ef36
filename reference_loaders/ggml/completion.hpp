#pragma once

#include "reference_loaders/ggml/execution_memory.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::loaders::ggml {

/// A prompt of made-up tokens, always the same for a vocabulary.
std::vector<std::int32_t> made_up_prompt(const Hyperparameters& sizes, std::int32_t n_tokens);

enum class Arithmetic { kReal, kNone };

/// Runs the prompt through the model, then `n_generated` times the likeliest token that came out.
/// Without arithmetic every pass is laid out and written to, with token 0.
/// @return checksum of the last pass's logits, 0 without arithmetic.
/// @throws PoolTooSmall, BufferTooSmall
std::uint64_t complete(ExecutionMemory& memory,
                       const Pass& prompt,
                       std::int32_t n_generated,
                       Arithmetic arithmetic);

}  // namespace tidemark::loaders::ggml
