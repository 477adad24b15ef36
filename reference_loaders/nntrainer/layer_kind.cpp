#include "reference_loaders/nntrainer/layer_kind.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tidemark::loaders::nntrainer {
namespace {

constexpr std::array kKinds = {
    std::pair{std::string_view("conv2d"), LayerKind::kConvolution},
    std::pair{std::string_view("batch_normalization"), LayerKind::kBatchNormalization},
    std::pair{std::string_view("activation"), LayerKind::kRelu},  // or softmax: `activation` says
    std::pair{std::string_view("addition"), LayerKind::kAddition},
    std::pair{std::string_view("pooling2d"), LayerKind::kAveragePooling},
    std::pair{std::string_view("flatten"), LayerKind::kFlatten},
    std::pair{std::string_view("fully_connected"), LayerKind::kFullyConnected},
};

WeightSpec weight(const Layer& layer, const char* name, std::vector<std::uint64_t> shape) {
  return {layer.name + ":" + name, {shape.begin(), shape.end()}};
}

}  // namespace

LayerKind kind_of(const SectionReader& section) {
  const std::string type = section.text("type");
  const auto* const found = std::ranges::find(kKinds, type, &decltype(kKinds)::value_type::first);
  if (found == kKinds.end()) {
    section.refuse("type", fmt::format("there is no layer of type '{}'", printable(type)));
  }
  if (found->second != LayerKind::kRelu) {
    return found->second;
  }
  const std::string function = section.text("activation");
  if (function != "relu" && function != "softmax") {
    section.refuse("activation",
                   fmt::format("the activation '{}' is not supported", printable(function)));
  }
  return function == "relu" ? LayerKind::kRelu : LayerKind::kSoftmax;
}

std::vector<WeightSpec> weights_of(const Layer& layer) {
  const std::uint64_t channels = layer.out.channels;
  switch (layer.kind) {
    case LayerKind::kConvolution:
      return {weight(layer, "filter", {channels, layer.in.channels, layer.kernel, layer.kernel}),
              weight(layer, "bias", {channels})};
    case LayerKind::kFullyConnected:
      return {weight(layer, "weight", {layer.in.elements(), layer.out.elements()}),
              weight(layer, "bias", {layer.out.elements()})};
    case LayerKind::kBatchNormalization:
      return {weight(layer, "moving_mean", {channels}),
              weight(layer, "moving_variance", {channels}), weight(layer, "gamma", {channels}),
              weight(layer, "beta", {channels})};
    default:
      return {};
  }
}

}  // namespace tidemark::loaders::nntrainer
