#include "reference_loaders/nntrainer/tensor_table.hpp"

#include "tests/reference_loaders/nntrainer/tiny_network.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark::loaders::nntrainer;

TEST_CASE("a tensor lives from the first step that needs it to the last", "[nntrainer][swap]") {
  const Network network = tiny_network::network_from(
      GENERATE(tiny_network::tiny_description(), tiny_network::tiny_inference()));
  const TensorTable table(network);
  const std::vector<Step> steps = steps_of(network);

  for (TensorId id = 0; id < table.tensors().size(); ++id) {
    std::vector<std::size_t> needing;
    for (std::size_t step = 0; step < steps.size(); ++step) {
      if (std::ranges::count(table.needs(steps[step]), id) == 1) {
        needing.push_back(step);
      }
    }
    CAPTURE(id);
    REQUIRE_FALSE(needing.empty());
    CHECK(table.tensors()[id].first == needing.front());
    CHECK(table.tensors()[id].last == needing.back());
  }
}

TEST_CASE("what one layer writes and another reads is one tensor", "[nntrainer][swap]") {
  const Network network = tiny_network::network_from(tiny_network::tiny_description());
  const TensorTable table(network);
  std::vector<float> place(1000);
  std::vector<TensorId> asked;
  const auto data = table.data({4, Pass::kForward}, [&](TensorId id) {
    asked.push_back(id);
    return std::span<float>(place).first(table.tensors()[id].elements);
  });

  CHECK(asked.size() == 3);
  for (const LayerIndex producer : {LayerIndex{2}, LayerIndex{3}}) {
    const auto needs = table.needs({producer, Pass::kForward});
    CHECK(std::ranges::any_of(asked,
                              [&](TensorId id) { return std::ranges::count(needs, id) == 1; }));
  }
}
