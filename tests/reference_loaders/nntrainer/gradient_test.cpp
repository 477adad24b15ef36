// Each layer backward, held against small changes forward.
#include "reference_loaders/nntrainer/layer_work.hpp"
#include "tests/reference_loaders/nntrainer/tiny_network.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>
#include <vector>

using namespace tidemark::loaders::nntrainer;
using tiny_network::network_from;
using tiny_network::tiny_description;

namespace {

/// One layer with made-up data. What is differentiated is the sum of its outputs, each times a
/// made-up factor, which is the derivative that comes back to it.
class OneLayer {
 public:
  OneLayer(const Network& network, LayerIndex layer) : network_(network), layer_(layer) {
    std::uint64_t weights = network.layers[layer].weight_elements();
    weights_ = random_floats(weights, 1);
    for (std::size_t at = 0; at < network.layers[layer].inputs.size(); ++at) {
      inputs_.push_back(
          random_floats(network.input_elements(layer), 2 + static_cast<unsigned>(at)));
    }
    factors_ = random_floats(network.output_elements(layer), 9);
  }

  [[nodiscard]] double forward() const {
    std::vector<float> weights = weights_;  // moving averages move
    std::vector<std::vector<float>> inputs = inputs_;
    std::vector<float> output(factors_.size());
    real_work(network_)->run(layer_, Pass::kForward, data(weights, inputs, output));
    double sum = 0;
    for (std::size_t at = 0; at < output.size(); ++at) {
      sum += static_cast<double>(output[at]) * static_cast<double>(factors_[at]);
    }
    return sum;
  }

  struct Derivatives {
    std::vector<float> weights;
    std::vector<std::vector<float>> inputs;
  };

  /// In place of the inputs, as a window has it; gradient descent tells those of the weights.
  [[nodiscard]] Derivatives backward() const {
    Derivatives found{weights_, inputs_};
    std::vector<float> output = factors_;
    LayerData all = data(found.weights, found.inputs, output);
    all.derivatives = all.inputs;
    real_work(network_)->run(layer_, Pass::kBackward, all);
    for (std::size_t at = 0; at < weights_.size(); ++at) {
      found.weights[at] = (weights_[at] - found.weights[at]) / network_.learning_rate;
    }
    return found;
  }

  /// The slope of `forward` over one value.
  [[nodiscard]] double slope(float& value) const {
    constexpr float kStep = 1.0F / 128;
    const float was = value;
    value = was + kStep;
    const double above = forward();
    value = was - kStep;
    const double below = forward();
    value = was;
    return (above - below) / (2.0 * static_cast<double>(kStep));
  }

  std::vector<float>& weights() { return weights_; }
  std::vector<std::vector<float>>& inputs() { return inputs_; }

 private:
  static std::vector<float> random_floats(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> between(0.1F, 1);
    std::vector<float> floats(count);
    for (float& value : floats) {
      // Away from 0, where relu has no slope.
      value = between(random) * (random() % 2 == 0 ? 1.0F : -1.0F);
    }
    return floats;
  }

  LayerData data(std::vector<float>& weights,
                 std::vector<std::vector<float>>& inputs,
                 std::vector<float>& output) const {
    LayerData data{.weights = weight_spans(network_.layers[layer_], weights), .output = output};
    for (std::vector<float>& input : inputs) {
      data.inputs.emplace_back(input);
    }
    return data;
  }

  const Network& network_;
  LayerIndex layer_;
  std::vector<float> weights_;
  std::vector<std::vector<float>> inputs_;
  std::vector<float> factors_;
};

/// A convolution whose weights are more than its images.
std::string with_many_weights() {
  return tiny_network::with(tiny_description(), "Kernel_Size = 1,1\nStride = 1,1\nPadding = 0,0",
                            "Kernel_Size = 3,3\nStride = 1,1\nPadding = 1,1");
}

LayerIndex layer_named(const Network& network, const std::string& name) {
  const auto found = std::ranges::find(network.layers, name, &Layer::name);
  return static_cast<LayerIndex>(found - network.layers.begin());
}

/// Strides, padding and more than one strip of rows as well.
std::string with_large_images() {
  std::string text = tiny_network::with(tiny_description(), "2:4:4", "2:14:14");
  text = tiny_network::with(text, "[conv2]\nType = conv2d\nInput_Layers = relu\nFilters = 3\n",
                            "[conv2]\nType = conv2d\nInput_Layers = relu\nFilters = 2\n");
  text = tiny_network::with(text, "Kernel_Size = 1,1\nStride = 1,1\nPadding = 0,0",
                            "Kernel_Size = 3,3\nStride = 2,2\nPadding = 1,1");
  return tiny_network::with(text, "Input_Layers = conv2, relu", "Input_Layers = conv2, conv2");
}

}  // namespace

TEST_CASE("derivatives are the slopes of the forward pass", "[nntrainer][gradient]") {
  const Network network =
      network_from(GENERATE(tiny_description(), with_large_images(), with_many_weights()));
  const std::string name = GENERATE("bn", "relu", "conv2", "sum", "pool", "flat", "fc");
  CAPTURE(name);
  OneLayer layer(network, layer_named(network, name));
  const OneLayer::Derivatives found = layer.backward();

  for (std::size_t input = 0; input < found.inputs.size(); ++input) {
    for (std::size_t at = 0; at < found.inputs[input].size(); at += 7) {
      CAPTURE(input, at);
      CHECK(static_cast<double>(found.inputs[input][at]) ==
            Approx(layer.slope(layer.inputs()[input][at])).margin(0.01).epsilon(0.01));
    }
  }
}

TEST_CASE("gradient descent goes down the slopes of the weights", "[nntrainer][gradient]") {
  const Network network =
      network_from(GENERATE(tiny_description(), with_large_images(), with_many_weights()));
  const std::string name = GENERATE("conv1", "bn", "conv2", "fc");
  CAPTURE(name);
  OneLayer layer(network, layer_named(network, name));
  const OneLayer::Derivatives found = layer.backward();
  // The first two of a batch normalization's four are no parameters, but averages that follow.
  const std::size_t first = name == "bn" ? found.weights.size() / 2 : 0;

  for (std::size_t at = first; at < found.weights.size(); ++at) {
    CAPTURE(at);
    CHECK(static_cast<double>(found.weights[at]) ==
          Approx(layer.slope(layer.weights()[at])).margin(0.02).epsilon(0.01));
  }
}

TEST_CASE("the error of softmax is probability less label, shared by the batch",
          "[nntrainer][gradient]") {
  const Network network = network_from(tiny_description());
  std::vector<float> logits = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  std::vector<float> unread(10);
  LayerData data{.inputs = {logits}, .output = unread, .derivatives = {logits}};

  real_work(network)->run(network.layers.size() - 1, Pass::kBackward, data);

  // Labels are 0 and 37 % 5 = 2.
  const std::vector<float> expected = {-0.4F, 0.1F, 0.1F,  0.1F, 0.1F,
                                       0.1F,  0.1F, -0.4F, 0.1F, 0.1F};
  for (std::size_t at = 0; at < expected.size(); ++at) {
    CHECK(logits[at] == Approx(expected[at]));
  }
}
