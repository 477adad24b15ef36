#pragma once

#include "reference_loaders/system.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace tidemark::loaders {

struct MeasuredLoad {
  std::uint64_t file_bytes = 0;
  std::uint64_t weight_bytes = 0;  ///< Bytes loaded into tensors.
  std::size_t tensors = 0;
  std::uint64_t checksum = 0;
  double seconds = 0;  ///< The load alone: neither the checksum nor freeing the tensors.
  std::uint64_t predicted_peak_bytes = 0;

  [[nodiscard]] double gigabytes_per_second() const;
};

/// Loads `file` once, computes the checksum in a phase of its own while the tensors are alive, and
/// frees everything. @throws BadInput
MeasuredLoad measure_load(const Variant& variant, const std::filesystem::path& file);

}  // namespace tidemark::loaders
