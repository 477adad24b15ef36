#include "reference_loaders/measured_load.hpp"

#include "reference_loaders/bad_input.hpp"

#include <chrono>
#include <numeric>
#include <utility>

#include <tidemark/marks.h>

namespace tidemark::loaders {
namespace {

std::uint64_t elements(const TensorView& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::uint64_t{1},
                         [](std::uint64_t product, std::int64_t extent) {
                           return product * static_cast<std::uint64_t>(extent);
                         });
}

}  // namespace

double MeasuredLoad::gigabytes_per_second() const {
  return seconds > 0 ? static_cast<double>(weight_bytes) / seconds / 1e9 : 0;
}

MeasuredLoad measure_load(const Variant& variant, const LoadRequest& request) {
  ModelFacts facts{.file_bytes = model_file_bytes(request.file), .options = request.options};

  const auto begin = std::chrono::steady_clock::now();
  const auto model = variant.load(request);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;

  const Phase phase("checksum");
  Checksum sum;
  model->for_each_tensor([&](const TensorView& tensor) {
    facts.tensors.push_back({.bytes = tensor.bytes.size(), .elements = elements(tensor)});
    sum.add(tensor);
  });
  if (auto in_order = model->loading_order(); !in_order.empty()) {
    facts.tensors = std::move(in_order);
  }
  facts.work_bytes = model->work_bytes();
  facts.driver_bytes = model->driver_bytes();
  return {.file_bytes = facts.file_bytes,
          .weight_bytes = facts.weight_bytes(),
          .tensors = facts.tensors.size(),
          .checksum = sum.digest(),
          .seconds = took.count() - model->work_seconds(),
          .predicted = variant.predict(facts),
          .notes = model->notes()};
}

}  // namespace tidemark::loaders
