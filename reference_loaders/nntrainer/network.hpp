#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// A network as described by its file: layers in the order of execution, and the sizes of
/// everything that they need. Holds no weights.
namespace tidemark::loaders::nntrainer {

/// The shape of one image: channels, rows, columns. A flat tensor has its elements in `width`.
struct Shape {
  std::uint64_t channels = 1;
  std::uint64_t height = 1;
  std::uint64_t width = 1;

  [[nodiscard]] std::uint64_t elements() const { return channels * height * width; }
  [[nodiscard]] std::uint64_t pixels() const { return height * width; }
  bool operator==(const Shape&) const = default;
};

enum class LayerKind {
  kConvolution,
  kBatchNormalization,
  kRelu,
  kAddition,
  kAveragePooling,
  kFlatten,
  kFullyConnected,
  kSoftmax,
};

struct WeightSpec {
  std::string name;  ///< "conv0:filter"
  std::vector<std::int64_t> shape;

  [[nodiscard]] std::uint64_t elements() const;
};

/// An input of a layer: who makes it.
using LayerIndex = std::size_t;
inline constexpr LayerIndex kImages = std::numeric_limits<LayerIndex>::max();

struct Layer {
  std::string name;
  LayerKind kind = LayerKind::kRelu;
  std::vector<LayerIndex> inputs = {};  ///< Earlier layers, or kImages.
  Shape in = {};                        ///< The shape of each input.
  Shape out = {};
  std::uint64_t kernel = 1;  ///< For a convolution or pooling, like the next two.
  std::uint64_t stride = 1;
  std::uint64_t padding = 0;
  std::vector<WeightSpec> weights = {};
  std::uint64_t weights_offset = 0;  ///< Floats before its first in the weights file.

  [[nodiscard]] std::uint64_t weight_elements() const;
  [[nodiscard]] std::uint64_t weight_bytes() const { return weight_elements() * sizeof(float); }
  /// Multiplications that one image takes on its way forward; 0 where there are no weights.
  [[nodiscard]] std::uint64_t multiplications() const;
};

/// Where an output goes.
struct Edge {
  LayerIndex reader = 0;
  std::size_t input = 0;  ///< Which of the reader's inputs.
};

struct Network {
  Shape images = {};
  std::uint64_t batch = 1;
  bool trains = false;  ///< It has an optimizer; else it only ever runs forward.
  float learning_rate = 0;
  std::string weights_file = {};  ///< Beside the description; empty for its name and ".bin".
  std::vector<Layer> layers = {};
  std::vector<std::vector<Edge>> readers =
      {};  ///< By layer: the readers of its output, one or two; none for the last.

  [[nodiscard]] std::uint64_t weight_elements() const;
  [[nodiscard]] std::uint64_t input_elements(
      LayerIndex layer) const;  ///< In each input, all images.
  [[nodiscard]] std::uint64_t output_elements(LayerIndex layer) const;
  /// What the layer costs while it is in memory: weights, inputs and output.
  [[nodiscard]] std::uint64_t layer_bytes(LayerIndex layer) const;
  [[nodiscard]] std::uint64_t all_layer_bytes() const;
  /// What an offload of everything moves: weights and inputs.
  [[nodiscard]] std::uint64_t moved_bytes() const;
};

}  // namespace tidemark::loaders::nntrainer
