#pragma once

#include "reference_loaders/executorch/delegate_blob.hpp"

#include <cstdint>

namespace tidemark::loaders::executorch {

/// A weight as a matrix, and as pack_weights.comp leaves it: in groups of four rows, which lie side
/// by side column by column; zeros fill up the last group.
struct MatrixShape {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;

  static constexpr std::uint32_t kRowsPacked = 4;

  [[nodiscard]] std::uint64_t groups() const {
    return (std::uint64_t{rows} + kRowsPacked - 1) / kRowsPacked;
  }
  [[nodiscard]] std::uint64_t group_bytes() const {
    return std::uint64_t{columns} * kRowsPacked * sizeof(float);
  }
  [[nodiscard]] std::uint64_t packed_bytes() const { return groups() * group_bytes(); }
};

/// The first dimension, and all others. What a tensor of more than 2^32 elements becomes does not
/// matter: no buffer can hold it.
inline MatrixShape matrix_shape(const GraphTensor& tensor) {
  MatrixShape shape{.rows = tensor.dims.empty() ? 1 : tensor.dims.front(), .columns = 1};
  for (std::size_t at = 1; at < tensor.dims.size(); ++at) {
    shape.columns *= tensor.dims[at];
  }
  return shape;
}

}  // namespace tidemark::loaders::executorch
