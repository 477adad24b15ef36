#include "reference_loaders/nntrainer/network_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/nntrainer/layer_kind.hpp"
#include "reference_loaders/nntrainer/section_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tidemark::loaders::nntrainer {
namespace {

// Far beyond any network, and small enough that no product of them overflows.
constexpr std::uint64_t kMaxBatch = 4096;
constexpr std::uint64_t kMaxExtent = 1 << 16;
constexpr std::uint64_t kMaxKernelSide = 256;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 32;  // of one tensor, all images
constexpr std::size_t kMaxLayers = 2048;
constexpr std::size_t kMaxReaders = 2;

class NetworkReader {
 public:
  NetworkReader(const Ini& ini, const std::string& source) : ini_(ini), source_(source) {}

  Network read();

 private:
  void read_model();
  void read_optimizer();
  void read_images(const SectionReader& section);
  void add_layer(const SectionReader& section);
  void read_inputs(const SectionReader& section, Layer* layer);
  [[nodiscard]] LayerIndex producer_named(const SectionReader& section,
                                          const std::string& name) const;
  static void read_window(const SectionReader& section, Layer* layer);
  static void set_output(const SectionReader& section, Layer* layer);
  static void require_two_inputs_for_addition_alone(const SectionReader& section,
                                                    const Layer& layer);
  void require_whole();

  const Ini& ini_;
  const std::string& source_;
  std::string input_name_;
  Network network_;
};

bool is_layer(const IniSection& section) {
  constexpr std::array<std::string_view, 3> kOthers = {"model", "optimizer",
                                                       "learningratescheduler"};
  return std::ranges::find(kOthers, section.name) == kOthers.end();
}

Network NetworkReader::read() {
  read_model();
  read_optimizer();
  for (const IniSection& section : ini_.sections) {
    if (!is_layer(section)) {
      continue;
    }
    const SectionReader reader(section, source_);
    if (input_name_.empty()) {
      read_images(reader);
    } else {
      add_layer(reader);
    }
  }
  require_whole();
  return std::move(network_);
}

void NetworkReader::read_model() {
  const IniSection* const model = ini_.find("model");
  if (model == nullptr) {
    throw BadInput(source_, "not the description of a network: it has no section 'Model'");
  }
  const SectionReader section(*model, source_);
  network_.batch = section.number("batch_size", 1, kMaxBatch);
  if (model->find("save_path") != nullptr) {
    network_.weights_file = section.text("save_path");
    // A path would make the reader of a description open any file there is.
    if (network_.weights_file.find('/') != std::string::npos) {
      section.refuse("save_path", "the weights must be a file beside the description, not a path");
    }
  }
}

void NetworkReader::read_optimizer() {
  if (const IniSection* const found = ini_.find("optimizer"); found != nullptr) {
    const SectionReader section(*found, source_);
    if (section.text("type") != "sgd") {
      section.refuse("type", "the only optimizer that is supported is sgd");
    }
    network_.trains = true;
    network_.learning_rate = section.fraction("learning_rate");
  }
}

void NetworkReader::read_images(const SectionReader& section) {
  if (section.text("type") != "input") {
    section.refuse("type", "the first layer must be the input");
  }
  const auto shape = section.numbers("input_shape", ':', 3, 1, kMaxExtent);
  network_.images = {shape[0], shape[1], shape[2]};
  input_name_ = section.name();
}

void NetworkReader::add_layer(const SectionReader& section) {
  if (network_.layers.size() == kMaxLayers) {
    section.refuse("type", fmt::format("more than {} layers", kMaxLayers));
  }
  Layer layer{.name = section.name(), .kind = kind_of(section)};
  read_inputs(section, &layer);
  read_window(section, &layer);
  set_output(section, &layer);
  if (std::max(layer.in.elements(), layer.out.elements()) > kMaxElements / network_.batch) {
    section.refuse("type",
                   fmt::format("a tensor of the layer '{}' is too large", printable(layer.name)));
  }
  layer.weights = weights_of(layer);
  layer.weights_offset = network_.weight_elements();
  network_.layers.push_back(std::move(layer));
  network_.readers.emplace_back();
}

void NetworkReader::read_inputs(const SectionReader& section, Layer* layer) {
  for (const std::string& name : section.names("input_layers")) {
    const LayerIndex producer = producer_named(section, name);
    const Shape shape = producer == kImages ? network_.images : network_.layers[producer].out;
    if (!layer->inputs.empty() && shape != layer->in) {
      section.refuse("input_layers", fmt::format("the inputs of '{}' have different shapes",
                                                 printable(layer->name)));
    }
    layer->in = shape;
    if (producer != kImages) {
      auto& readers = network_.readers[producer];
      readers.push_back({network_.layers.size(), layer->inputs.size()});
      if (readers.size() > kMaxReaders) {
        section.refuse("input_layers", fmt::format("the output of '{}' has more than two readers",
                                                   printable(name)));
      }
    }
    if (producer == kImages && layer->kind != LayerKind::kConvolution) {
      section.refuse("input_layers", "only a convolution can read the images");
    }
    layer->inputs.push_back(producer);
  }
  require_two_inputs_for_addition_alone(section, *layer);
}

void NetworkReader::require_two_inputs_for_addition_alone(const SectionReader& section,
                                                          const Layer& layer) {
  const std::size_t wanted = layer.kind == LayerKind::kAddition ? 2 : 1;
  if (layer.inputs.size() != wanted) {
    section.refuse("input_layers", fmt::format("'{}' has {} inputs instead of {}",
                                               printable(layer.name), layer.inputs.size(), wanted));
  }
}

LayerIndex NetworkReader::producer_named(const SectionReader& section,
                                         const std::string& name) const {
  if (name == input_name_) {
    return kImages;
  }
  const auto found = std::ranges::find(network_.layers, name, &Layer::name);
  if (found == network_.layers.end()) {
    section.refuse("input_layers", fmt::format("no earlier layer is called '{}'", printable(name)));
  }
  return static_cast<LayerIndex>(found - network_.layers.begin());
}

/// Windows are square, as are those of all the layers here.
void NetworkReader::read_window(const SectionReader& section, Layer* layer) {
  const bool is_convolution = layer->kind == LayerKind::kConvolution;
  if (!is_convolution && layer->kind != LayerKind::kAveragePooling) {
    return;
  }
  if (!is_convolution && section.text("pooling") != "average") {
    section.refuse("pooling", "the only pooling that is supported is average");
  }
  layer->kernel = section.square(is_convolution ? "kernel_size" : "pool_size", 1, kMaxKernelSide);
  layer->stride = section.square("stride", 1, kMaxKernelSide);
  layer->padding = section.square("padding", 0, layer->kernel - 1);
  if (std::min(layer->in.height, layer->in.width) + 2 * layer->padding < layer->kernel) {
    section.refuse(
        "type", fmt::format("the window of '{}' is larger than its input", printable(layer->name)));
  }
}

void NetworkReader::set_output(const SectionReader& section, Layer* layer) {
  const Shape& in = layer->in;
  const auto windows = [layer](std::uint64_t extent) {
    return (extent + 2 * layer->padding - layer->kernel) / layer->stride + 1;
  };
  switch (layer->kind) {
    case LayerKind::kConvolution:
      layer->out = {section.number("filters", 1, kMaxExtent), windows(in.height),
                    windows(in.width)};
      break;
    case LayerKind::kAveragePooling:
      layer->out = {in.channels, windows(in.height), windows(in.width)};
      break;
    case LayerKind::kFlatten:
      layer->out = {1, 1, in.elements()};
      break;
    case LayerKind::kFullyConnected:
      layer->out = {1, 1, section.number("unit", 1, kMaxExtent)};
      break;
    default:
      layer->out = in;
  }
}

void NetworkReader::require_whole() {
  if (network_.layers.empty()) {
    throw BadInput(source_, "the description has no layers");
  }
  if (network_.layers.back().kind != LayerKind::kSoftmax) {
    throw BadInput(source_, "the last layer must be softmax");
  }
  for (LayerIndex layer = 0; layer + 1 < network_.layers.size(); ++layer) {
    if (network_.readers[layer].empty()) {
      throw BadInput(source_, fmt::format("nothing reads the output of the layer '{}'",
                                          printable(network_.layers[layer].name)));
    }
  }
}

}  // namespace

Network read_network(const Ini& ini, const std::string& source) {
  return NetworkReader(ini, source).read();
}

}  // namespace tidemark::loaders::nntrainer
