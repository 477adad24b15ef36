#include "tests/reference_loaders/nntrainer/tiny_network.hpp"

#include "reference_loaders/nntrainer/network_reader.hpp"

#include <stdexcept>

namespace tidemark::loaders::nntrainer::tiny_network {

std::string tiny_description() {
  return R"(# as written by hand
[Model]
Type = NeuralNetwork
Loss = cross
Batch_Size = 2

[Optimizer]
Type = sgd
Learning_Rate = 0.5

[Images]
Type = input
Input_Shape = 2:4:4

[conv1]
Type = conv2d
Input_Layers = images
Filters = 3
Kernel_Size = 3,3
Stride = 1,1
Padding = 1,1

[bn]
Type = batch_normalization
Input_Layers = conv1

[relu]
Type = activation
Activation = relu    ; a layer of its own
Input_Layers = bn

[conv2]
Type = conv2d
Input_Layers = relu
Filters = 3
Kernel_Size = 1,1
Stride = 1,1
Padding = 0,0

[sum]
Type = addition
Input_Layers = conv2, relu

[pool]
Type = pooling2d
Pooling = average
Input_Layers = sum
Pool_Size = 2,2
Stride = 2,2
Padding = 0,0

[flat]
Type = flatten
Input_Layers = pool

[fc]
Type = fully_connected
Input_Layers = flat
Unit = 5

[out]
Type = activation
Activation = softmax
Input_Layers = fc
)";
}

std::string tiny_inference() {
  return with(tiny_description(), "[Optimizer]\nType = sgd\nLearning_Rate = 0.5\n", "");
}

Network network_from(const std::string& description) {
  return read_network(parse_ini(description, "net.ini"), "net.ini");
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::logic_error("there is no '" + from + "' to replace");
  }
  return text.replace(at, from.size(), to);
}

}  // namespace tidemark::loaders::nntrainer::tiny_network
