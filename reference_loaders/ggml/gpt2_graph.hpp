#pragma once

#include "reference_loaders/ggml/graph.hpp"
#include "reference_loaders/ggml/ops.hpp"
#include "reference_loaders/ggml/weights.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::loaders::ggml {

/// What one forward pass works on. Everything is borrowed.
struct Pass {
  const Hyperparameters& sizes;
  const TensorSet& weights;
  KeyValues memory;
  std::span<const std::int32_t> tokens;
  std::int32_t n_past = 0;  ///< Positions that the KV memory holds already.
};

/// Adds GPT-2's forward pass to `graph`, node by node as ggml-gobject builds it (ggml-gpt.c): each
/// layer's KV writes as soon as the layer is made, the logits last.
/// @return the logits, n_vocab rows for every token.
/// @throws PoolTooSmall, BufferTooSmall
Tensor* build_gpt2(Ops& ops, Graph& graph, const Pass& pass);

}  // namespace tidemark::loaders::ggml
