// Arbitrary bytes as the description of a network. Whatever they are, the reader refuses them or
// understands a network whose sizes add up, and what it understood can be written and read again.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/nntrainer/network_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace tidemark::loaders;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// What runs rely on when they allocate and hand over.
void check_network(const nntrainer::Network& network) {
  std::uint64_t weights = 0;
  for (nntrainer::LayerIndex layer = 0; layer < network.layers.size(); ++layer) {
    const nntrainer::Layer& one = network.layers[layer];
    require(one.weights_offset == weights);
    weights += one.weight_elements();
    require(one.in.elements() > 0 && one.out.elements() > 0);
    for (const nntrainer::LayerIndex input : one.inputs) {
      require(input == nntrainer::kImages ? one.in == network.images
                                          : input < layer && one.in == network.layers[input].out);
    }
    require(network.readers[layer].empty() == (layer + 1 == network.layers.size()));
  }
  require(network.all_layer_bytes() >= network.moved_bytes());
  require(network.weights_file.find('/') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto ini = nntrainer::parse_ini({reinterpret_cast<const char*>(data), size}, "fuzz");
    const std::string text = nntrainer::ini_text(ini);
    require(nntrainer::ini_text(nntrainer::parse_ini(text, "fuzz")) == text);
    check_network(nntrainer::read_network(ini, "fuzz"));
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
