#include "reference_loaders/nntrainer/network_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "tests/reference_loaders/little_memory.hpp"
#include "tests/reference_loaders/nntrainer/tiny_network.hpp"
#include "tests/support/catch.hpp"

#include <functional>

using namespace tidemark::loaders;
using namespace tidemark::loaders::nntrainer;
using nntrainer::tiny_network::network_from;
using nntrainer::tiny_network::tiny_description;
using nntrainer::tiny_network::with;

namespace {

/// Refused, or a network whose sizes make sense; nothing is allocated for tensors.
bool is_refused_or_harmless(const std::string& description) {
  try {
    const Network network = network_from(description);
    return !network.layers.empty() && network.all_layer_bytes() > 0 &&
           network.readers.size() == network.layers.size();
  } catch (const BadInput&) {
    return true;
  }
}

}  // namespace

TEST_CASE("a description gives layers with shapes and weights", "[nntrainer]") {
  const Network network = network_from(tiny_description());

  CHECK(network.batch == 2);
  CHECK(network.trains);
  CHECK(network.learning_rate == 0.5F);
  REQUIRE(network.layers.size() == 9);
  CHECK(network.layers[0].inputs == std::vector{kImages});
  CHECK(network.layers[0].out == Shape{3, 4, 4});
  CHECK(network.layers[4].inputs == std::vector<LayerIndex>{3, 2});
  CHECK(network.layers[5].out == Shape{3, 2, 2});
  CHECK(network.layers[7].weights[0].name == "fc:weight");
  CHECK(network.layers[7].weights[0].shape == std::vector<std::int64_t>{12, 5});
  CHECK(network.readers[2].size() == 2);
  CHECK(network.weight_elements() == (3 * 2 * 9 + 3) + 4 * 3 + (3 * 3 + 3) + (12 * 5 + 5));
  CHECK(network.layers[7].weights_offset == network.weight_elements() - 65);
}

TEST_CASE("a network without an optimizer does not train", "[nntrainer]") {
  CHECK_FALSE(network_from(nntrainer::tiny_network::tiny_inference()).trains);
}

TEST_CASE("each wrong value of a description is named with its offset", "[nntrainer][robustness]") {
  struct Wrong {
    const char* from;
    const char* to;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {"[Model]", "[Madel]", "has no section 'Model'"},
      {"Batch_Size = 2", "Batch_Size = 0", "offset 63: batch_size = '0' is not between 1 and"},
      {"Batch_Size = 2", "Batch_Size = two", "batch_size = 'two' is not between"},
      {"Batch_Size = 2", "", "the section 'model' has no 'batch_size'"},
      {"Loss = cross", "Save_Path = ../../etc/passwd", "a file beside the description"},
      {"Type = sgd", "Type = adam", "the only optimizer that is supported is sgd"},
      {"Learning_Rate = 0.5", "Learning_Rate = nan", "is not between 0 and 1"},
      {"Type = input", "Type = output", "the first layer must be the input"},
      {"2:4:4", "2:4", "has 2 numbers instead of 3"},
      {"2:4:4", "2:4:99999999999999999999", "is not between"},
      {"Type = conv2d", "Type = lstm", "there is no layer of type 'lstm'"},
      {"Filters = 3", "Filters = 70000", "filters = '70000' is not between 1 and 65536"},
      {"Kernel_Size = 3,3", "Kernel_Size = 3,5", "is not a square"},
      {"Kernel_Size = 3,3", "Kernel_Size = 9,9", "the window of 'conv1' is larger"},
      {"Stride = 1,1", "Stride = 0,0", "stride = '0' is not between 1"},
      {"Padding = 1,1", "Padding = 3,3", "padding = '3' is not between 0 and 2"},
      {"Activation = relu", "Activation = tanh", "the activation 'tanh' is not supported"},
      {"Input_Layers = conv2, relu", "Input_Layers = conv2", "has 1 inputs instead of 2"},
      {"Input_Layers = conv2, relu", "Input_Layers = conv2, fc", "no earlier layer is called 'fc'"},
      {"Input_Layers = conv2, relu", "Input_Layers = conv2, images",
       "the inputs of 'sum' have different shapes"},
      {"Input_Layers = pool", "Input_Layers = relu", "the output of 'relu' has more than two"},
      {"Input_Layers = bn", "Input_Layers = conv1", "nothing reads the output of the layer 'bn'"},
      {"Input_Layers = conv1", "Input_Layers = images", "only a convolution can read the images"},
      {"Pooling = average", "Pooling = max", "the only pooling that is supported is average"},
      {"Activation = softmax", "Activation = relu", "the last layer must be softmax"},
  }));

  CHECK_THROWS_WITH(network_from(with(tiny_description(), wrong.from, wrong.to)),
                    Catch::StartsWith("net.ini") && Catch::Contains(wrong.says));
}

TEST_CASE("a network too large for any machine is refused before its size overflows",
          "[nntrainer][robustness]") {
  const std::string large = with(tiny_description(), "2:4:4", "65536:65536:65536");

  CHECK_THROWS_WITH(network_from(large), Catch::Contains("a tensor of the layer 'conv1'"));
}

TEST_CASE("a description cut off anywhere is refused or harmless", "[nntrainer][robustness]") {
  for (std::size_t kept = 0; kept < tiny_description().size(); ++kept) {
    CAPTURE(kept);
    CHECK(is_refused_or_harmless(tiny_description().substr(0, kept)));
  }
}

TEST_CASE("no flipped bit of a description makes its reader allocate", "[nntrainer][robustness]") {
  CHECK(tidemark::loaders::test::holds_in_little_memory([] {
    bool holds = true;
    for (std::size_t bit = 0; bit < tiny_description().size() * 8; ++bit) {
      std::string flipped = tiny_description();
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      holds &= is_refused_or_harmless(flipped);
    }
    return holds;
  }));
}
