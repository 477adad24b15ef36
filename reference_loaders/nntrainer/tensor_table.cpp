#include "reference_loaders/nntrainer/tensor_table.hpp"

#include "reference_loaders/nntrainer/layer_memory.hpp"

#include <algorithm>

namespace tidemark::loaders::nntrainer {

TensorTable::TensorTable(const Network& network) : network_(network) {
  const std::size_t last_step = steps_of(network).size() - 1;
  images_ = add(network.images.elements() * network.batch, 0, network.trains ? last_step : 0);
  for (LayerIndex layer = 0; layer < network.layers.size(); ++layer) {
    add_weights(layer);
    add_output(layer);
    add_derivatives(layer);
  }
}

TensorId TensorTable::add(std::uint64_t elements, std::size_t first, std::size_t last) {
  tensors_.push_back({.elements = elements, .first = first, .last = last});
  return tensors_.size() - 1;
}

void TensorTable::add_weights(LayerIndex layer) {
  std::vector<TensorId>& ids = weights_.emplace_back();
  std::uint64_t offset = network_.layers[layer].weights_offset;
  for (const WeightSpec& weight : network_.layers[layer].weights) {
    const TensorId id =
        add(weight.elements(), layer, step_of(network_, layer, Pass::kBackward).value_or(layer));
    tensors_[id].is_weight = true;
    tensors_[id].weights_offset = offset;
    offset += weight.elements();
    ids.push_back(id);
  }
}

/// Saved until the last of its readers has gone backward.
std::size_t TensorTable::last_use_of_output(LayerIndex layer) const {
  const Pass pass = network_.trains ? Pass::kBackward : Pass::kForward;
  const auto& readers = network_.readers[layer];
  if (readers.empty()) {
    return *step_of(network_, layer, pass);
  }
  const auto& edge = network_.trains ? readers.front() : readers.back();
  return *step_of(network_, edge.reader, pass);
}

void TensorTable::add_output(LayerIndex layer) {
  outputs_.push_back(add(network_.output_elements(layer), layer, last_use_of_output(layer)));
}

void TensorTable::add_derivatives(LayerIndex layer) {
  std::vector<TensorId>& ids = derivatives_.emplace_back();
  if (!network_.trains) {
    return;
  }
  for (const LayerIndex producer : network_.layers[layer].inputs) {
    const std::size_t first = *step_of(network_, layer, Pass::kBackward);
    if (producer != kImages) {
      ids.push_back(add(network_.input_elements(layer), first,
                        *step_of(network_, producer, Pass::kBackward)));
    }
  }
}

TensorId TensorTable::producer_tensor(LayerIndex producer) const {
  return producer == kImages ? images_ : outputs_[producer];
}

std::vector<TensorId> TensorTable::derivatives_of(LayerIndex layer) const {
  std::vector<Edge> readers = network_.readers[layer];
  std::ranges::sort(readers, std::greater<>(), &Edge::reader);
  std::vector<TensorId> ids;
  ids.reserve(readers.size());
  for (const Edge& edge : readers) {
    ids.push_back(derivatives_[edge.reader][edge.input]);
  }
  return ids;
}

std::vector<TensorId> TensorTable::needs(const Step& step) const {
  std::vector<TensorId> ids = weights_[step.layer];
  for (const LayerIndex producer : network_.layers[step.layer].inputs) {
    ids.push_back(producer_tensor(producer));
  }
  const bool is_last = network_.readers[step.layer].empty();
  if (step.pass == Pass::kForward || is_last) {
    ids.push_back(outputs_[step.layer]);
  }
  if (step.pass == Pass::kBackward) {
    for (const auto& more : {derivatives_[step.layer], derivatives_of(step.layer)}) {
      ids.insert(ids.end(), more.begin(), more.end());
    }
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::uint64_t TensorTable::bytes(const std::vector<TensorId>& ids) const {
  std::uint64_t sum = 0;
  for (const TensorId id : ids) {
    sum += tensors_[id].bytes();
  }
  return sum;
}

LayerData TensorTable::data(const Step& step, const Place& place) const {
  LayerData data;
  for (const TensorId id : weights_[step.layer]) {
    data.weights.push_back(place(id));
  }
  for (const LayerIndex producer : network_.layers[step.layer].inputs) {
    data.inputs.push_back(place(producer_tensor(producer)));
  }
  std::vector<TensorId> came_back;
  if (step.pass == Pass::kBackward) {
    came_back = derivatives_of(step.layer);
  }
  if (came_back.empty()) {
    data.output = place(outputs_[step.layer]);
  } else {
    data.output = place(came_back.front());
    for (std::size_t at = 1; at < came_back.size(); ++at) {
      hand_over(place(came_back[at]), data.output, false);
    }
  }
  if (step.pass == Pass::kBackward) {
    for (const TensorId id : derivatives_[step.layer]) {
      data.derivatives.push_back(place(id));
    }
    data.derivatives.resize(data.inputs.size());  // none where the input is the images
  }
  return data;
}

}  // namespace tidemark::loaders::nntrainer
