// One iteration in every way that there is, over the tiny network.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/nntrainer/model_writer.hpp"
#include "reference_loaders/nntrainer/run.hpp"
#include "reference_loaders/random_weights.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/nntrainer/tiny_network.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

using namespace tidemark::loaders;
using namespace tidemark::loaders::nntrainer;

namespace {

/// A network, its weights and its work, in a folder of their own.
class Tiny {
 public:
  explicit Tiny(const std::string& description = nntrainer::tiny_network::tiny_description(),
                bool is_calibrated = false)
      : network_(nntrainer::tiny_network::network_from(description)),
        weights_(network_, written()),
        work_(is_calibrated ? calibrated_work(network_, 0) : real_work(network_)) {}

  [[nodiscard]] RunRequest request() {
    return {.network = network_,
            .weights = weights_,
            .work = *work_,
            .folder = directory_.file(""),
            .writes = SwapFile::Writes::kToThePageCache};
  }

  [[nodiscard]] const Network& network() const { return network_; }
  [[nodiscard]] std::filesystem::path folder() const { return directory_.file(""); }
  [[nodiscard]] std::filesystem::path weights_file() const { return directory_.file("model.bin"); }

 private:
  std::filesystem::path written() const {
    std::ofstream stream(weights_file(), std::ios::binary);
    write_weights(stream, network_, [](LayerIndex layer, std::span<float> weights) {
      RandomWeights(7, layer).fill(weights);
    });
    return weights_file();
  }

  tidemark::loaders::test::TemporaryFolder directory_;
  Network network_;
  WeightsFile weights_;
  std::unique_ptr<LayerWork> work_;
};

/// All weights that a run left, layer by layer.
std::vector<float> weights_after(const Network& network, Run& run) {
  std::vector<float> all;
  for (LayerIndex layer = 0; layer < network.layers.size(); ++layer) {
    WeightPlace place{.layer = layer};
    for (const WeightSpec& spec : network.layers[layer].weights) {
      FloatBlock room;
      place.elements = spec.elements();
      const auto weight = run.weight(place, room);
      all.insert(all.end(), weight.begin(), weight.end());
      place.offset += place.elements;
      ++place.index;
    }
  }
  return all;
}

/// The residual connection is longer by a layer than what a step of a swap has in memory.
std::string with_long_residual() {
  const std::string text = nntrainer::tiny_network::with(
      nntrainer::tiny_network::tiny_description(), "[sum]",
      "[relu2]\nType = activation\nActivation = relu\nInput_Layers = conv2\n\n[sum]");
  return nntrainer::tiny_network::with(text, "conv2, relu", "relu2, relu");
}

std::string probabilities(const Run& run) {
  const std::vector<Note> notes = run.notes();
  const auto found = std::ranges::find(notes, "probabilities", &Note::name);
  return found == notes.end() ? "" : found->value;
}

}  // namespace

TEST_CASE("every layer that has weights learns from an iteration", "[nntrainer][runs]") {
  Tiny tiny;
  std::vector<float> before(tiny.network().weight_elements());
  tiny.request().weights.read(0, before);

  const std::vector<float> after = weights_after(tiny.network(), *run_resident(tiny.request()));

  REQUIRE(after.size() == before.size());
  for (const Layer& layer : tiny.network().layers) {
    CAPTURE(layer.name);
    const auto first = static_cast<std::ptrdiff_t>(layer.weights_offset);
    const auto count = static_cast<std::ptrdiff_t>(layer.weight_elements());
    CHECK(std::equal(after.begin() + first, after.begin() + first + count,
                     before.begin() + first) == layer.weights.empty());
  }
}

TEST_CASE("a window of any size leaves the weights that everything in memory leaves",
          "[nntrainer][runs]") {
  const bool is_calibrated = GENERATE(false, true);
  const bool is_adaptive = GENERATE(false, true);
  Tiny tiny(with_long_residual(), is_calibrated);
  const auto resident = run_resident(tiny.request());
  const std::vector<float> expected = weights_after(tiny.network(), *resident);

  // Again and again: what the threads do when differs from run to run.
  for (int round = 0; round < 20; ++round) {
    for (const std::size_t n : {1U, 2U, 3U, 5U, 9U, 20U}) {
      CAPTURE(round, n);
      const auto run = run_window(tiny.request(), {.layers = n, .is_adaptive = is_adaptive});
      CHECK(weights_after(tiny.network(), *run) == expected);
      CHECK(probabilities(*run) == probabilities(*resident));
    }
  }
}

TEST_CASE("every other way leaves the same weights", "[nntrainer][runs]") {
  Tiny tiny(GENERATE(nntrainer::tiny_network::tiny_description(), with_long_residual()),
            GENERATE(false, true));
  const auto resident = run_resident(tiny.request());
  const std::vector<float> expected = weights_after(tiny.network(), *resident);
  std::vector<std::unique_ptr<Run>> runs;
  runs.push_back(run_serial(tiny.request()));
  runs.push_back(run_swap(tiny.request(), {}));
  runs.push_back(run_swap(tiny.request(), {.trims = true}));
  for (const std::size_t lookahead : {1U, 2U, 5U, 30U}) {
    runs.push_back(run_swap(tiny.request(), {.lookahead = lookahead}));
  }

  for (const auto& run : runs) {
    CHECK(weights_after(tiny.network(), *run) == expected);
    CHECK(probabilities(*run) == probabilities(*resident));
  }
}

TEST_CASE("inference leaves the weights alone and finds the same probabilities",
          "[nntrainer][runs]") {
  Tiny tiny(nntrainer::tiny_network::tiny_inference());
  std::vector<float> before(tiny.network().weight_elements());
  tiny.request().weights.read(0, before);
  const auto resident = run_resident(tiny.request());
  std::vector<std::unique_ptr<Run>> runs;
  runs.push_back(run_window(tiny.request(), {.layers = 2}));
  runs.push_back(run_swap(tiny.request(), {}));
  for (const std::size_t lookahead : {1U, 2U, 3U, 20U}) {
    runs.push_back(run_fsu(tiny.request(), lookahead));
  }

  CHECK(weights_after(tiny.network(), *resident) == before);
  for (const auto& run : runs) {
    CHECK(weights_after(tiny.network(), *run) == before);
    CHECK(probabilities(*run) == probabilities(*resident));
  }
}

TEST_CASE("slots are for inference alone", "[nntrainer][runs]") {
  Tiny tiny;

  CHECK_THROWS_AS(run_fsu(tiny.request(), 1), UsageError);
}

TEST_CASE("an adaptive window has a layer in memory at least, and at most all",
          "[nntrainer][runs]") {
  Tiny tiny;
  const auto run = run_window(tiny.request(), {.layers = 1, .is_adaptive = true});

  CHECK(run->planned_peak() <= run_resident(tiny.request())->planned_peak());
  CHECK(run->planned_peak() >= tiny.network().layer_bytes(0));
}

TEST_CASE("no run leaves a file behind", "[nntrainer][runs]") {
  Tiny tiny;
  {
    const auto window = run_window(tiny.request(), {.layers = 1});
    const auto swap = run_swap(tiny.request(), {});
    CHECK(std::distance(std::filesystem::directory_iterator(tiny.folder()), {}) == 1);
  }
  CHECK(std::filesystem::exists(tiny.weights_file()));
}

TEST_CASE("a weights file that is cut meanwhile ends every run with its sentence",
          "[nntrainer][runs][robustness]") {
  Tiny training;
  Tiny inference(nntrainer::tiny_network::tiny_inference());
  for (Tiny* const tiny : {&training, &inference}) {
    std::filesystem::resize_file(tiny->weights_file(), 100);
  }

  CHECK_THROWS_WITH(run_resident(training.request()), Catch::Contains("became shorter"));
  CHECK_THROWS_WITH(run_window(training.request(), {.layers = 2}),
                    Catch::Contains("became shorter"));
  CHECK_THROWS_WITH(run_swap(training.request(), {}), Catch::Contains("became shorter"));
}

TEST_CASE("a folder that cannot be written to is told of", "[nntrainer][runs][robustness]") {
  Tiny tiny;
  RunRequest request = tiny.request();
  request.folder = "/proc/no-such-folder";

  CHECK_THROWS_AS(run_window(request, {.layers = 2}), std::system_error);
  CHECK_THROWS_AS(run_swap(request, {}), std::system_error);
}
