#include "reference_loaders/executorch/peak_plan.hpp"

#include "reference_loaders/executorch/activations.hpp"
#include "tests/reference_loaders/executorch/tiny_model.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;

namespace {

constexpr LoadRules kEager{.early_weights = true, .early_activations = true};

/// W, w and A of a graph.
struct Sizes {
  explicit Sizes(const DelegateGraph& graph)
      : weights(constant_bytes(graph)), activations(activation_bytes(graph)) {
    for (const GraphTensor& value : graph.values) {
      largest = std::max(largest, value.is_constant() ? value.bytes() : 0);
    }
  }

  std::uint64_t weights = 0;
  std::uint64_t activations = 0;
  std::uint64_t largest = 0;
};

LoadRules flushing(LoadRules rules) {
  rules.flush_limit = 0;
  return rules;
}

}  // namespace

TEST_CASE("eager takes 2W + A + w while staging memory piles up", "[executorch][plan]") {
  const DelegateGraph graph = llama_model(test::kTwoHeads).graph;
  const Sizes sizes(graph);

  CHECK(planned_peak(graph, kEager, true) == 2 * sizes.weights + sizes.activations + sizes.largest);
}

TEST_CASE("lazy takes 2W below the limit and W + w + q above it", "[executorch][plan]") {
  const DelegateGraph graph = llama_model(test::kTwoHeads).graph;
  const Sizes sizes(graph);
  REQUIRE(sizes.activations < sizes.largest);

  CHECK(planned_peak(graph, {}, true) == 2 * sizes.weights);
  const std::uint64_t flushed = planned_peak(graph, flushing({}), true);
  CHECK(flushed > sizes.weights + sizes.largest);
  CHECK(flushed <= sizes.weights + sizes.largest + kSubmitBytes + sizes.largest);
  CHECK(flushed < 2 * sizes.weights);
}

TEST_CASE("half-applied takes A more than lazy did while it packed", "[executorch][plan]") {
  const DelegateGraph graph = llama_model(test::kTwoHeads).graph;
  const Sizes sizes(graph);
  const LoadRules half{.early_activations = true};

  CHECK(planned_peak(graph, flushing(half), true) ==
        planned_peak(graph, flushing({}), true) + sizes.activations);
}

TEST_CASE("activations after prepacking are beside the weights alone", "[executorch][plan]") {
  const DelegateGraph graph = llama_model({.heads = 2, .tokens = 400}).graph;
  const Sizes sizes(graph);
  REQUIRE(sizes.activations > sizes.weights);

  CHECK(planned_peak(graph, {}, true) == sizes.weights + sizes.activations);
  CHECK(planned_peak(graph, {}, false) == sizes.weights + sizes.activations);
}

TEST_CASE("constants that are mapped do not count", "[executorch][plan]") {
  const DelegateGraph graph = llama_model(test::kTwoHeads).graph;
  const Sizes sizes(graph);

  CHECK(planned_peak(graph, kEager, false) == 2 * sizes.weights + sizes.activations);
}

TEST_CASE("a tied weight is packed twice, unless there is a cache", "[executorch][plan]") {
  const DelegateGraph graph = llama_model({.heads = 1, .tokens = 400, .is_tied = true}).graph;
  const Sizes sizes(graph);
  const LoadRules tied{.counts_uses = true};
  const LoadRules cached{.counts_uses = true, .caches_packed = true};

  CHECK(planned_peak(graph, tied, true) - planned_peak(graph, cached, true) == sizes.largest);
  CHECK(prepack_order(graph, false).size() == prepack_order(graph, true).size() + 1);
}
