#pragma once

#include "reference_loaders/system.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::loaders {

struct MeasuredLoad {
  std::uint64_t file_bytes = 0;
  std::uint64_t weight_bytes = 0;  ///< Bytes loaded into tensors.
  std::size_t tensors = 0;
  std::uint64_t checksum = 0;
  double seconds = 0;  ///< The load alone: no forward pass, no checksum, no freeing of tensors.
  Prediction predicted;
  std::vector<Note> notes;

  [[nodiscard]] double gigabytes_per_second() const;
};

/// Loads a file once, computes the checksum in a phase of its own while the tensors are alive, and
/// frees everything. @throws BadInput, UsageError
MeasuredLoad measure_load(const Variant& variant, const LoadRequest& request);

}  // namespace tidemark::loaders
