#include "reference_loaders/nntrainer/schedule.hpp"

#include "reference_loaders/nntrainer/network_reader.hpp"
#include "reference_loaders/nntrainer/resnet.hpp"
#include "tests/reference_loaders/nntrainer/tiny_network.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders::nntrainer;

TEST_CASE("an iteration goes forward over all layers and back", "[nntrainer][schedule]") {
  const Network network = tiny_network::network_from(tiny_network::tiny_description());
  const std::vector<Step> steps = steps_of(network);

  REQUIRE(steps.size() == 18);
  for (LayerIndex layer = 0; layer < 9; ++layer) {
    CHECK(steps[*step_of(network, layer, Pass::kForward)].layer == layer);
    CHECK(steps[*step_of(network, layer, Pass::kBackward)].layer == layer);
    CHECK(steps[*step_of(network, layer, Pass::kBackward)].pass == Pass::kBackward);
  }
}

TEST_CASE("inference goes forward alone", "[nntrainer][schedule]") {
  const Network network = tiny_network::network_from(tiny_network::tiny_inference());

  CHECK(steps_of(network).size() == 9);
  CHECK_FALSE(step_of(network, 0, Pass::kBackward));
}

TEST_CASE("windows have the peaks of the window model", "[nntrainer][golden]") {
  struct Expected {
    std::uint64_t batch;
    std::size_t n;
    double megabytes;
  };
  const auto expected = GENERATE(values<Expected>({{10, 1, 18.5},
                                                   {10, 2, 23.7},
                                                   {10, 4, 34.4},
                                                   {10, 8, 58.1},
                                                   {32, 1, 58.9},
                                                   {32, 2, 75.6},
                                                   {32, 4, 109.3},
                                                   {32, 8, 185.0},
                                                   {128, 1, 235.0},
                                                   {128, 2, 302.1},
                                                   {128, 4, 436.5},
                                                   {128, 8, 738.6}}));
  CAPTURE(expected.batch, expected.n);
  const Network network = read_network(resnet_ini({.batch = expected.batch}), "resnet");
  const auto work = calibrated_work(network, 100);  // it takes no memory of its own

  const double peak = static_cast<double>(window_peak(network, *work, expected.n)) / 1e6;

  CHECK(peak == Approx(expected.megabytes).margin(0.06));
}

TEST_CASE("a window as wide as the network holds all layers at its turn", "[nntrainer][schedule]") {
  const Network network = tiny_network::network_from(tiny_network::tiny_description());
  const auto work = real_work(network);

  CHECK(window_peak(network, *work, 18) >= network.all_layer_bytes());
  CHECK(window_peak(network, *work, 18) <= resident_peak(network, *work));
}
