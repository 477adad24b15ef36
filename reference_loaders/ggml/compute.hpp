#pragma once

#include "reference_loaders/ggml/graph.hpp"

namespace tidemark::loaders::ggml {

/// Computes every node of a laid-out graph, in order, on one thread. Sums are added up in an order
/// that depends on shapes alone: wherever a tensor lies, its bits are the same.
void compute(const Graph& graph);

/// Writes zeros where `compute` would write results: the same memory, none of the time.
void touch(const Graph& graph);

}  // namespace tidemark::loaders::ggml
