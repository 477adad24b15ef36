#include "reference_loaders/nntrainer/swap_pool.hpp"

#include <algorithm>

#include <malloc.h>

namespace tidemark::loaders::nntrainer {
namespace {

MemoryPlan plan_of(const TensorTable& table, std::size_t last_step) {
  std::vector<Lifespan> lifespans;
  for (const PlannedTensor& tensor : table.tensors()) {
    // Weights outlive the iteration: their places are theirs alone.
    lifespans.push_back({.bytes = tensor.bytes(),
                         .first = tensor.is_weight ? 0 : tensor.first,
                         .last = tensor.is_weight ? last_step : tensor.last});
  }
  return plan_memory(lifespans);
}

}  // namespace

SwapPool::SwapPool(const RunRequest& request, const TensorTable& table, bool trims)
    : request_(request),
      table_(table),
      trims_(trims),
      plan_(plan_of(table, steps_of(request.network).size() - 1)),
      file_(request.folder, plan_.bytes, request.writes),
      elements_(table.tensors().size()),
      was_written_(table.tensors().size(), false) {}

void SwapPool::take_weight(TensorId id) {
  const PlannedTensor& tensor = table_.tensors()[id];
  elements_[id] = FloatBlock(tensor.elements, FloatBlock::Content::kZeros);
  request_.weights.read(tensor.weights_offset, place(id));
  swap_out(id, 0);
}

void SwapPool::swap_in(TensorId id) {
  if (is_in(id)) {
    return;
  }
  elements_[id] = FloatBlock(table_.tensors()[id].elements, FloatBlock::Content::kZeros);
  if (was_written_[id]) {
    file_.read(plan_.offsets[id], place(id));
  }
}

void SwapPool::swap_out(TensorId id, std::size_t step) {
  const PlannedTensor& tensor = table_.tensors()[id];
  if (tensor.is_weight || step <= tensor.last) {
    file_.write(plan_.offsets[id], place(id));
    was_written_[id] = true;
  }
  elements_[id] = FloatBlock();
  if (trims_) {
    malloc_trim(0);
  }
}

void SwapPool::flush_except(const std::vector<TensorId>& keep, std::size_t step) {
  for (TensorId id = 0; id < elements_.size(); ++id) {
    if (is_in(id) && std::ranges::find(keep, id) == keep.end()) {
      swap_out(id, step);
    }
  }
}

}  // namespace tidemark::loaders::nntrainer
