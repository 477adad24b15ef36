// The arithmetic of each kind of layer.
#include "reference_loaders/nntrainer/convolution.hpp"
#include "reference_loaders/nntrainer/layer_work.hpp"
#include "reference_loaders/nntrainer/operators.hpp"

namespace tidemark::loaders::nntrainer {
namespace {

class RealWork final : public LayerWork {
 public:
  explicit RealWork(const Network& network) : network_(network) {}

  void run(LayerIndex index, Pass pass, const LayerData& data) override {
    if (pass == Pass::kForward) {
      forward(network_.layers[index], data);
    } else {
      backward(network_.layers[index], data);
    }
  }

  [[nodiscard]] std::uint64_t scratch_bytes(LayerIndex index, Pass pass) const override {
    const Layer& layer = network_.layers[index];
    if (layer.kind == LayerKind::kConvolution) {
      return convolution_scratch_bytes(network_, layer, pass);
    }
    const bool has_gradient = layer.kind == LayerKind::kFullyConnected && pass == Pass::kBackward;
    return has_gradient ? layer.weight_bytes() : 0;
  }

 private:
  void forward(const Layer& layer, const LayerData& data) const;
  void backward(const Layer& layer, const LayerData& data) const;

  const Network& network_;
};

void RealWork::forward(const Layer& layer, const LayerData& data) const {
  switch (layer.kind) {
    case LayerKind::kConvolution:
      return convolve(network_, layer, data);
    case LayerKind::kBatchNormalization:
      return normalize(network_, layer, data);
    case LayerKind::kRelu:
      return relu(data);
    case LayerKind::kAddition:
      return add(data);
    case LayerKind::kAveragePooling:
      return average(network_, layer, data);
    case LayerKind::kFlatten:
      return flatten(data);
    case LayerKind::kFullyConnected:
      return fully_connect(network_, layer, data);
    case LayerKind::kSoftmax:
      return softmax(network_, layer, data);
  }
}

void RealWork::backward(const Layer& layer, const LayerData& data) const {
  switch (layer.kind) {
    case LayerKind::kConvolution:
      return convolve_back(network_, layer, data);
    case LayerKind::kBatchNormalization:
      return normalize_back(network_, layer, data);
    case LayerKind::kRelu:
      return relu_back(data);
    case LayerKind::kAddition:
      return add_back(data);
    case LayerKind::kAveragePooling:
      return average_back(network_, layer, data);
    case LayerKind::kFlatten:
      return flatten_back(data);
    case LayerKind::kFullyConnected:
      return fully_connect_back(network_, layer, data);
    case LayerKind::kSoftmax:
      return softmax_back(network_, layer, data);
  }
}

}  // namespace

std::unique_ptr<LayerWork> real_work(const Network& network) {
  return std::make_unique<RealWork>(network);
}

}  // namespace tidemark::loaders::nntrainer
