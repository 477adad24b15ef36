// The rules of waiting, without threads and without a byte of I/O.
#include "reference_loaders/nntrainer/window.hpp"

#include "tests/reference_loaders/nntrainer/tiny_network.hpp"
#include "tests/support/catch.hpp"

#include <stdexcept>

using namespace tidemark::loaders::nntrainer;

namespace {

/// A window over the tiny network, whose steps are loaded, run and saved when a test says so.
class TinyWindow {
 public:
  explicit TinyWindow(std::size_t n)
      : network_(tiny_network::network_from(tiny_network::tiny_description())),
        work_(calibrated_work(network_, 0)),
        steps_(steps_of(network_)),
        window_(network_, *work_, {.layers = n}) {}

  Loading load(std::size_t step) {
    auto loading = window_.begin_load(step);
    REQUIRE(loading);
    window_.end_load(steps_[step].layer);
    return *loading;
  }
  Finished run(std::size_t step) {
    window_.wait_to_run(step);
    return window_.finish(step);
  }
  void save(Finished finished) {
    window_.leave(std::move(finished));
    window_.end_save(window_.next_to_save()->layer);
  }

  Window& operator*() { return window_; }
  [[nodiscard]] std::uint64_t bytes(LayerIndex layer) const { return network_.layer_bytes(layer); }

 private:
  Network network_;
  std::unique_ptr<LayerWork> work_;
  std::vector<Step> steps_;
  Window window_;
};

}  // namespace

TEST_CASE("a load waits until the window reaches its layer", "[nntrainer][window]") {
  TinyWindow window(1);
  window.load(0);
  CHECK((*window).may_load_for_testing(1));
  CHECK_FALSE((*window).may_load_for_testing(2));
  window.load(1);

  window.run(0);

  CHECK((*window).may_load_for_testing(2));
}

TEST_CASE("a load waits for a save where N + 2 layers are in memory", "[nntrainer][window]") {
  TinyWindow window(2);
  for (std::size_t step = 0; step < 4; ++step) {
    window.load(step);
    if (step == 1) {
      window.run(0);
    }
  }
  CHECK((*window).highest_bytes() ==
        window.bytes(0) + window.bytes(1) + window.bytes(2) + window.bytes(3));
  Finished second = window.run(1);
  CHECK_FALSE((*window).may_load_for_testing(4));

  window.save(std::move(second));

  CHECK((*window).may_load_for_testing(4));
}

TEST_CASE("an output goes to readers in memory, and is saved for the others",
          "[nntrainer][window]") {
  TinyWindow window(1);
  for (std::size_t step = 0; step < 3; ++step) {
    window.load(step);
    if (step < 2) {
      window.save(window.run(step));
    }
  }
  window.load(3);

  const Finished relu = window.run(2);  // read by conv2, which is there, and by the sum

  REQUIRE(relu.targets.size() == 1);
  CHECK(relu.targets[0].layer == 3);
  CHECK(relu.output);
  CHECK(relu.leaves);
}

TEST_CASE("a layer loaded later takes from the swap file what ran before", "[nntrainer][window]") {
  TinyWindow window(1);
  for (std::size_t step = 0; step < 4; ++step) {
    window.load(step);
    if (step < 3) {
      window.save(window.run(step));
    }
  }

  const Loading sum = window.load(4);

  REQUIRE(sum.sources.size() == 1);  // the relu; conv2 is yet to run
  CHECK(sum.sources[0].layer == 2);
  CHECK(sum.sources[0].input == 1);
  CHECK_FALSE(sum.sources[0].is_kept);
}

TEST_CASE("a failure anywhere ends the waiting everywhere", "[nntrainer][window]") {
  TinyWindow window(1);
  (*window).fail(std::make_exception_ptr(std::runtime_error("the disk is full")));

  CHECK_THROWS_WITH((*window).begin_load(5), "the disk is full");
  CHECK_THROWS_WITH((*window).wait_to_run(0), "the disk is full");
  CHECK_THROWS_WITH((*window).wait_until_swapped(0), "the disk is full");
  CHECK_THROWS_WITH((*window).next_to_save(), "the disk is full");
  CHECK_THROWS_WITH((*window).rethrow_failure(), "the disk is full");
}
