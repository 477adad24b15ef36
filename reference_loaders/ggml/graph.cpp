#include "reference_loaders/ggml/graph.hpp"

#include <stdexcept>

namespace tidemark::loaders::ggml {

Graph::Graph() {
  nodes_.reserve(kMaxNodes);
  leafs_.reserve(kMaxNodes);
}

void Graph::build_forward_expand(Tensor* result) {
  if (!visited_.insert(result)) {
    return;
  }
  for (Tensor* source : result->sources()) {
    build_forward_expand(source);
  }
  auto& list = result->op == Op::kNone ? leafs_ : nodes_;
  if (list.size() == kMaxNodes) {
    throw std::length_error("a graph has at most 4096 nodes and as many leafs");
  }
  list.push_back(result);
}

}  // namespace tidemark::loaders::ggml
