#pragma once

#include "reference_loaders/executorch/delegate_blob.hpp"
#include "reference_loaders/executorch/ptd.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::loaders::executorch {

/// Llama 3.2 1B (16 layers, 32 heads, width 2048, vocabulary 128256), made narrower: with fewer
/// heads, the widths and the vocabulary shrink in proportion, so the share of each tensor stays.
/// Heads of 32 are the original.
struct LlamaSpec {
  std::uint32_t heads = 32;
  std::uint32_t tokens = 0;  ///< Length of the prompt that activations are planned for.
  /// The token embedding runs on the device too: its table has two consumers, the first and the
  /// last operator. Otherwise only the output head uses it.
  bool is_tied = false;
};

/// A graph and the constants that it takes, which are in the order of the .ptd file.
struct DelegateModel {
  DelegateGraph graph;
  std::vector<PtdTensor> tensors;  ///< Keys and sizes.
};

DelegateModel llama_model(const LlamaSpec& spec);

}  // namespace tidemark::loaders::executorch
