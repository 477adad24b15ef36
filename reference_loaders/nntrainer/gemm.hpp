#pragma once

#include <cstddef>

namespace tidemark::loaders::nntrainer {

/// A matrix that lies in memory at any two strides, in floats: a transpose is its strides swapped.
/// Borrows.
struct MatrixView {
  const float* data = nullptr;
  std::size_t row_stride = 0;
  std::size_t column_stride = 1;
};

/// The size of `c`, whose rows are contiguous.
struct ProductSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;  ///< Columns of `a`, rows of `b`.
};

/// c += a * b. Sums are in the same order whatever the sizes of blocks beside: the same operands
/// give the same bits.
void multiply_add(const ProductSize& size,
                  const MatrixView& a,
                  const MatrixView& b,
                  float* c,
                  std::size_t c_row_stride);

}  // namespace tidemark::loaders::nntrainer
