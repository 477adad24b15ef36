#pragma once

#include "reference_loaders/ggml/tensor.hpp"
#include "reference_loaders/ggml/tensor_table.hpp"

#include <cstddef>
#include <vector>

namespace tidemark::loaders::ggml {

inline constexpr std::size_t kMaxNodes = 4096;

/// The order in which a graph is computed and laid out. Borrows its tensors.
class Graph {
 public:
  Graph();

  /// Appends `result` and all that it is made from, sources before what uses them and first sources
  /// first; what is there already is not appended again.
  /// @throws std::length_error beyond 4096 nodes or leafs, as ggml asserts.
  void build_forward_expand(Tensor* result);

  [[nodiscard]] const std::vector<Tensor*>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Tensor*>& leafs() const { return leafs_; }

 private:
  struct Nothing {};

  std::vector<Tensor*> nodes_;
  std::vector<Tensor*> leafs_;
  TensorTable<Nothing> visited_;
};

}  // namespace tidemark::loaders::ggml
