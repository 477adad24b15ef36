// The benchmark's network, to the byte.
#include "reference_loaders/nntrainer/resnet.hpp"

#include "reference_loaders/nntrainer/network_reader.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark::loaders::nntrainer;

namespace {

Network resnet(std::uint64_t batch) {
  return read_network(resnet_ini({.batch = batch}), "resnet");
}

double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

}  // namespace

TEST_CASE("ResNet-18 has the published number of parameters in 66 layers", "[nntrainer][golden]") {
  const Network network = resnet(32);

  CHECK(network.layers.size() == 66);
  CHECK(network.weight_elements() == 11'230'948);
  CHECK(network.weight_elements() * sizeof(float) == 44'923'792);
  CHECK(std::ranges::count(network.layers, LayerKind::kBatchNormalization, &Layer::kind) == 17);
  CHECK(std::ranges::count(network.layers, LayerKind::kConvolution, &Layer::kind) == 20);
  CHECK(network.layers.back().out == Shape{1, 1, 100});
}

TEST_CASE("ResNet-18 takes and moves the published bytes", "[nntrainer][golden]") {
  struct Expected {
    std::uint64_t batch;
    double all;
    double moved;
  };
  const auto expected =
      GENERATE(values<Expected>({{10, 215.2, 136.2}, {32, 589.8, 337.0}, {128, 2224.5, 1213.1}}));
  const Network network = resnet(expected.batch);

  CHECK(megabytes(network.all_layer_bytes()) == Approx(expected.all).margin(0.05));
  CHECK(megabytes(network.moved_bytes()) == Approx(expected.moved).margin(0.05));
}

TEST_CASE("the description of a ResNet is read back as it was", "[nntrainer]") {
  const std::string text = ini_text(resnet_ini({.batch = 10}));

  CHECK(ini_text(parse_ini(text, "resnet")) == text);
}
