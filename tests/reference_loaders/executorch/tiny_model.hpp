#pragma once

#include "reference_loaders/executorch/llama_model.hpp"
#include "reference_loaders/executorch/ptd.hpp"

#include <string>
#include <vector>

namespace tidemark::loaders::test {

/// A .ptd file of "a", float32 [2] = {1, -2}, and "b", float32 [1, 3] = {3, 4, 5}.
std::string tiny_ptd();

/// What the reader finds in these bytes. @throws BadInput
std::vector<executorch::PtdTensor> tensors_in(const std::string& bytes);

/// A delegate's blob with one operator over a constant of 2 x 3 and an activation.
executorch::DelegateGraph tiny_graph();

/// What the reader finds in these bytes. @throws BadInput
executorch::DelegateGraph graph_in(const std::string& bytes);

/// Llamas of 4.8 MB and 19 MB with a few tokens.
inline constexpr executorch::LlamaSpec kOneHead{.heads = 1, .tokens = 4};
inline constexpr executorch::LlamaSpec kTwoHeads{.heads = 2, .tokens = 4};
inline constexpr executorch::LlamaSpec kTiedHead{.heads = 1, .tokens = 4, .is_tied = true};

}  // namespace tidemark::loaders::test
