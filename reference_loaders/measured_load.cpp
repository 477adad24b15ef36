#include "reference_loaders/measured_load.hpp"

#include "reference_loaders/bad_input.hpp"

#include <chrono>

#include <tidemark/marks.h>

namespace tidemark::loaders {

double MeasuredLoad::gigabytes_per_second() const {
  return seconds > 0 ? static_cast<double>(weight_bytes) / seconds / 1e9 : 0;
}

MeasuredLoad measure_load(const Variant& variant, const std::filesystem::path& file) {
  ModelFacts facts{.file_bytes = model_file_bytes(file), .tensor_bytes = {}};

  const auto begin = std::chrono::steady_clock::now();
  const auto model = variant.load(file);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;

  const Phase phase("checksum");
  const auto tensors = model->tensors();
  for (const TensorView& tensor : tensors) {
    facts.tensor_bytes.push_back(tensor.bytes.size());
  }
  return {.file_bytes = facts.file_bytes,
          .weight_bytes = facts.weight_bytes(),
          .tensors = tensors.size(),
          .checksum = checksum(tensors),
          .seconds = took.count(),
          .predicted_peak_bytes = variant.predicted_peak(facts)};
}

}  // namespace tidemark::loaders
