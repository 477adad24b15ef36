#include "reference_loaders/strategies/model_in_memory.hpp"

#include <fmt/format.h>

namespace tidemark::loaders::strategies {

TensorView view_of(const TensorEntry& tensor, std::span<const std::byte> data) {
  return {tensor.name, std::string(tensor.type->name), tensor.shape, data};
}

Note UseClock::note() const {
  const std::chrono::duration<double> took = used_ - began_;
  return {"load and use",
          fmt::format("{:.3f} s until the checksum had every weight", took.count())};
}

std::vector<TensorView> ModelInMemory::tensors() const {
  std::vector<TensorView> views;
  views.reserve(weights_.data.size());
  for (std::size_t at = 0; at < weights_.data.size(); ++at) {
    views.push_back(view_of(weights_.index.tensors[at], weights_.data[at]));
  }
  return views;
}

void ModelInMemory::for_each_tensor(const std::function<void(const TensorView&)>& visit) {
  LoadedModel::for_each_tensor(visit);
  clock_.every_weight_was_used();
}

std::vector<Note> ModelInMemory::notes() const {
  std::vector<Note> notes = weights_.notes;
  notes.push_back(clock_.note());
  return notes;
}

}  // namespace tidemark::loaders::strategies
