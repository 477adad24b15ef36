#pragma once

#include "reference_loaders/strategies/weights.hpp"
#include "reference_loaders/system.hpp"

#include <chrono>
#include <cstddef>
#include <span>

namespace tidemark::loaders::strategies {

/// A tensor as the checksum takes it. Borrows both.
TensorView view_of(const TensorEntry& tensor, std::span<const std::byte> data);

/// Measures the time until every weight has been used: a load that defers its reads would otherwise
/// seem to take no time.
class UseClock {
 public:
  void every_weight_was_used() { used_ = std::chrono::steady_clock::now(); }
  [[nodiscard]] Note note() const;

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point used_ = began_;
};

/// Weights that are all in memory, or mapped.
class ModelInMemory final : public LoadedModel {
 public:
  /// @param clock started before the load.
  ModelInMemory(Weights weights, UseClock clock) : weights_(std::move(weights)), clock_(clock) {}

  [[nodiscard]] std::vector<TensorView> tensors() const override;
  void for_each_tensor(const std::function<void(const TensorView&)>& visit) override;
  [[nodiscard]] std::vector<Note> notes() const override;

 private:
  Weights weights_;
  UseClock clock_;
};

}  // namespace tidemark::loaders::strategies
