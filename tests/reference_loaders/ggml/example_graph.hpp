#pragma once

#include "reference_loaders/ggml/gpt2_shape.hpp"

#include <cstdint>

namespace tidemark::loaders::test {

/// What the graph of ggml's own GPT-2 example (commit 3e551c0b) takes: one scale that all layers
/// share, no blanks ahead of time, biases repeated before they are added.
std::uint64_t measured_bytes_of_example(const ggml::Hyperparameters& sizes,
                                        std::int64_t n_tokens,
                                        std::int64_t n_past);

}  // namespace tidemark::loaders::test
