#include "reference_loaders/executorch/compute_graph.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tidemark::loaders::executorch {
namespace {

constexpr VkBufferUsageFlags kWeightUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;

}  // namespace

ComputeGraph::ComputeGraph(const DelegateGraph& graph,
                           NamedDataMap& data,
                           const DeviceMemory& memory,
                           CommandContext& commands,
                           const LoadRules& rules)
    : graph_(graph),
      data_(data),
      memory_(memory),
      commands_(commands),
      rules_(rules),
      activations_(memory.device(), graph) {}

ComputeGraph::~ComputeGraph() {
  commands_.wait_idle();
}

void ComputeGraph::build() {
  for (std::size_t value = 0; value < graph_.values.size(); ++value) {
    if (graph_.values[value].is_constant()) {
      add_tensor_ref(value);
    }
  }
  for (const std::size_t value : prepack_order(graph_, rules_.caches_packed)) {
    add_weight(value);
  }
}

const std::string& ComputeGraph::key(std::size_t value) const {
  return graph_.constants[static_cast<std::size_t>(graph_.values[value].constant_id)];
}

void ComputeGraph::add_tensor_ref(std::size_t value) {
  const GraphTensor& tensor = graph_.values[value];
  const PtdTensor& named = data_.find(key(value));
  if (named.scalar_type != kFloat32Scalar || named.bytes != tensor.bytes()) {
    throw BadInput(
        data_.file(),
        fmt::format("tensor '{}' has {} bytes of scalar type {}, but the delegate asks "
                    "for {} bytes of float32",
                    printable(named.key), named.bytes, named.scalar_type, tensor.bytes()));
  }
  constants_[value].data = data_.get_data(named);
}

void ComputeGraph::add_weight(std::size_t value) {
  const MatrixShape shape = matrix_shape(graph_.values[value]);
  weights_.push_back(
      {.value = value,
       .shape = shape,
       .buffer = DeviceBuffer(memory_.device(), shape.packed_bytes(), kWeightUsage)});
  if (rules_.early_weights) {
    weights_.back().buffer.allocate(memory_, DeviceMemory::Use::kTensors);
  }
  ++constants_.at(value).uses_left;
}

void ComputeGraph::prepare() {
  if (rules_.early_activations) {
    activations_.allocate(memory_);
  }
  pipeline_.emplace(memory_.device(), static_cast<std::uint32_t>(weights_.size()));
}

void ComputeGraph::prepack() {
  for (std::size_t step = 0; step < weights_.size(); ++step) {
    submit_when_enough_is_queued(step);
    encode(&weights_[step]);
  }
  commands_.submit_and_wait();
  commands_.flush();
  if (!rules_.early_activations) {
    activations_.allocate(memory_);
  }
}

/// Never before the first or the last step. Where the model is small, staging memory of all
/// submissions piles up until the end: that is what the limit is about.
void ComputeGraph::submit_when_enough_is_queued(std::size_t step) {
  if (step == 0 || step + 1 == weights_.size() || queued_staging_bytes_ <= kSubmitBytes) {
    return;
  }
  if (constant_bytes(graph_) > rules_.flush_limit) {
    commands_.submit_and_wait();
    commands_.flush();
  } else {
    commands_.submit();
  }
  queued_staging_bytes_ = 0;
}

/// The constant's own memory goes before the packed weight gets any.
void ComputeGraph::encode(PackedWeight* weight) {
  DeviceBuffer staging = staged(weight->value);
  if (!rules_.early_weights) {
    weight->buffer.allocate(memory_, DeviceMemory::Use::kTensors);
  }
  pipeline_->record(commands_.recording(), staging.get(), weight->buffer.get(), weight->shape);
  commands_.destroy_at_flush(std::move(staging));
}

DeviceBuffer ComputeGraph::staged(std::size_t value) {
  TensorRef& constant = constants_.at(value);
  if (constant.data.is_freed()) {
    // ExecuTorch read what was freed, and packed weights that were no numbers.
    throw std::runtime_error(
        fmt::format("tensor '{}' has a second consumer, but its first one freed it; the variants "
                    "tied and tied-cached load such a model",
                    printable(key(value))));
  }
  const std::span<const std::byte> bytes = constant.data.bytes();
  DeviceBuffer staging(memory_.device(), bytes.size(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  staging.allocate(memory_, DeviceMemory::Use::kStaging);
  queued_staging_bytes_ += bytes.size();
  std::ranges::copy(bytes, MappedMemory(memory_.device(), staging.memory()).bytes().begin());
  used(&constant);
  return staging;
}

void ComputeGraph::used(TensorRef* constant) const {
  --constant->uses_left;
  if (constant->uses_left == 0 || !rules_.counts_uses) {
    constant->data.free();
  }
}

void ComputeGraph::execute() {
  activations_.record_writes(commands_.recording());
  commands_.submit_and_wait();
  commands_.flush();
}

}  // namespace tidemark::loaders::executorch
