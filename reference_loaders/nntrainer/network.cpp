#include "reference_loaders/nntrainer/network.hpp"

namespace tidemark::loaders::nntrainer {

std::uint64_t WeightSpec::elements() const {
  std::uint64_t product = 1;
  for (const std::int64_t extent : shape) {
    product *= static_cast<std::uint64_t>(extent);
  }
  return product;
}

std::uint64_t Layer::weight_elements() const {
  std::uint64_t sum = 0;
  for (const WeightSpec& weight : weights) {
    sum += weight.elements();
  }
  return sum;
}

std::uint64_t Layer::multiplications() const {
  switch (kind) {
    case LayerKind::kConvolution:
      return out.elements() * in.channels * kernel * kernel;
    case LayerKind::kFullyConnected:
      return in.elements() * out.elements();
    default:
      return 0;
  }
}

std::uint64_t Network::weight_elements() const {
  std::uint64_t sum = 0;
  for (const Layer& layer : layers) {
    sum += layer.weight_elements();
  }
  return sum;
}

std::uint64_t Network::input_elements(LayerIndex layer) const {
  return layers[layer].in.elements() * batch;
}

std::uint64_t Network::output_elements(LayerIndex layer) const {
  return layers[layer].out.elements() * batch;
}

std::uint64_t Network::layer_bytes(LayerIndex layer) const {
  return layers[layer].weight_bytes() +
         (layers[layer].inputs.size() * input_elements(layer) + output_elements(layer)) *
             sizeof(float);
}

std::uint64_t Network::all_layer_bytes() const {
  std::uint64_t sum = 0;
  for (LayerIndex layer = 0; layer < layers.size(); ++layer) {
    sum += layer_bytes(layer);
  }
  return sum;
}

std::uint64_t Network::moved_bytes() const {
  std::uint64_t sum = 0;
  for (LayerIndex layer = 0; layer < layers.size(); ++layer) {
    sum += layer_bytes(layer) - output_elements(layer) * sizeof(float);
  }
  return sum;
}

}  // namespace tidemark::loaders::nntrainer
