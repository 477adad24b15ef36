#pragma once

#include "reference_loaders/ggml/weights.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::loaders::test {

/// GPT-2 straight from its definition, in double precision, without graph, views or KV memory: what
/// the logits of all tokens must be, row after row.
std::vector<double> plain_logits(const ggml::Hyperparameters& sizes,
                                 const ggml::TensorSet& weights,
                                 const std::vector<std::int32_t>& tokens);

}  // namespace tidemark::loaders::test
