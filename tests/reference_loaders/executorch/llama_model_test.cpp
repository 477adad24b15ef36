#include "reference_loaders/executorch/llama_model.hpp"

#include "reference_loaders/executorch/activations.hpp"
#include "reference_loaders/executorch/load_rules.hpp"
#include "reference_loaders/executorch/model_files.hpp"
#include "reference_loaders/executorch/suite.hpp"
#include "tests/reference_loaders/executorch/tiny_model.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;

TEST_CASE("with all its heads the model is Llama 3.2 1B", "[executorch][llama]") {
  const DelegateModel model = llama_model({.heads = 32, .tokens = 1});

  CHECK(constant_bytes(model.graph) / sizeof(float) == 1'235'814'400);
  CHECK(model.tensors.size() == model.graph.constants.size());
}

TEST_CASE("no buffer of the suite's models is larger than lavapipe allows", "[executorch][llama]") {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{128} << 20;
  for (const NamedLlama& llama : named_llamas()) {
    CAPTURE(llama.name);
    const DelegateGraph graph = llama_model(llama.spec).graph;
    CHECK(std::ranges::all_of(graph.values,
                              [](const GraphTensor& value) { return value.bytes() <= kMaxBytes; }));
  }
}

TEST_CASE("activations are to weights as in the published load", "[executorch][llama]") {
  const DelegateGraph graph = llama_model(named_llamas().front().spec).graph;

  const double ratio =
      static_cast<double>(activation_bytes(graph)) / static_cast<double>(constant_bytes(graph));
  CHECK(ratio == Approx(1'363'968.0 / 944'544).epsilon(0.01));
}

TEST_CASE("a made-up model has the size that was announced", "[executorch][llama]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");

  write_random_model(file, test::kTiedHead, 1);

  CHECK(std::filesystem::file_size(file) + std::filesystem::file_size(ptd_path(file)) ==
        model_bytes(test::kTiedHead));
}
