#include "reference_loaders/executorch/system.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/delegate_blob.hpp"
#include "reference_loaders/executorch/model_files.hpp"
#include "reference_loaders/measured_load.hpp"
#include "reference_loaders/random_weights.hpp"
#include "tests/reference_loaders/executorch/loaded_graph.hpp"
#include "tests/reference_loaders/executorch/tiny_model.hpp"

#include <set>

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;

namespace {

Options default_options() {
  return {{"data-loader", "file"}};
}

/// The checksum of what `write_random_model` wrote, without any file.
std::uint64_t checksum_of_random(const LlamaSpec& spec, std::uint64_t seed) {
  const DelegateModel model = llama_model(spec);
  std::vector<std::vector<float>> data;
  std::vector<TensorView> views;
  for (std::size_t at = 0; at < model.tensors.size(); ++at) {
    std::size_t elements = 1;
    for (const std::int64_t extent : model.tensors[at].sizes) {
      elements *= static_cast<std::size_t>(extent);
    }
    RandomWeights(seed, at).fill(data.emplace_back(elements));
  }
  for (std::size_t at = 0; at < data.size(); ++at) {
    views.push_back({model.tensors[at].key, "float32", model.tensors[at].sizes,
                     std::as_bytes(std::span(data[at]))});
  }
  return checksum(std::move(views));
}

}  // namespace

TEST_CASE("every variant of executorch gives the weights of the file", "[executorch][system]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  write_random_model(file, test::kOneHead, 3);
  const std::uint64_t expected = checksum_of_random(test::kOneHead, 3);

  for (const Variant& variant : make_system().variants) {
    for (const char* const loader : {"file", "mmap"}) {
      CAPTURE(variant.name, loader);
      const MeasuredLoad load = measure_load(
          variant, {.file = file, .options = {{"data-loader", loader}, {"commit", "1"}}});
      CHECK(load.checksum == expected);
      CHECK(load.weight_bytes == constant_bytes(llama_model(test::kOneHead).graph));
    }
  }
}

TEST_CASE("the weights of a file that is not the delegate's are refused", "[executorch][system]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  const auto ptd = ptd_path(file);
  const Variant lazy = make_system().variants.at(2);
  const auto refuses = [&] {
    CHECK_THROWS_AS(lazy.load({.file = file, .options = default_options()}), BadInput);
  };

  write_random_model(file, test::kOneHead, 1);
  std::filesystem::resize_file(ptd, std::filesystem::file_size(ptd) - 1);
  refuses();
  test::write_file(ptd, test::tiny_ptd());  // other keys
  refuses();
  std::filesystem::remove(ptd);
  refuses();
  write_random_model(directory.file("other"), test::kTwoHeads, 1);  // other sizes
  std::filesystem::rename(ptd_path(directory.file("other")), ptd);
  refuses();
}

TEST_CASE("a graph that the device has no room for is refused", "[executorch][system]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  const test::TemporaryFolder directory;
  const auto file = directory.file("model");
  const Variant lazy = make_system().variants.at(2);
  const auto refused_for = [&](const DelegateGraph& graph, const char* reason) {
    test::write_file(file, write_delegate(graph));
    test::write_file(ptd_path(file), test::tiny_ptd());
    CHECK_THROWS_WITH(lazy.load({.file = file, .options = default_options()}),
                      Catch::Contains(reason));
  };

  DelegateGraph graph = test::tiny_graph();
  graph.values[1].dims = {1U << 31, 1U << 20};
  refused_for(graph, "storage buffer");
  graph.values[1] = {.dims = {1U << 24}};
  graph.values.resize(100'000, graph.values[1]);
  refused_for(graph, "weights and activations take");
}

TEST_CASE("a data loader that is not known is refused", "[executorch][system]") {
  const Variant lazy = make_system().variants.at(2);
  CHECK_THROWS_AS(lazy.load({.file = "/none", .options = {{"data-loader", "disk"}}}), UsageError);
}
