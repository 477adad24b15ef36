#include "reference_loaders/nntrainer/layer_data.hpp"

namespace tidemark::loaders::nntrainer {

std::vector<std::span<float>> weight_spans(const Layer& layer, std::span<float> all) {
  std::vector<std::span<float>> spans;
  for (const WeightSpec& weight : layer.weights) {
    spans.push_back(all.first(weight.elements()));
    all = all.subspan(weight.elements());
  }
  return spans;
}

}  // namespace tidemark::loaders::nntrainer
