#include "reference_loaders/ggml/mul_mat.hpp"

#include "reference_loaders/ggml/half.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tidemark::loaders::ggml {
namespace {

/// Four sums side by side in one register of any x86-64; both g++ and clang know the attribute.
using Lanes = float __attribute__((vector_size(16)));
constexpr std::size_t kLanes = 4;
/// Rows of activations that share one read of the weights.
constexpr std::size_t kTogether = 4;
using Rows = std::array<const float*, kTogether>;

void load(Lanes& lanes, const float* from) {
  std::memcpy(&lanes, from, sizeof lanes);  // rows start at any float
}

std::array<float, kTogether> dot_products(const float* weights, const Rows& rows, std::size_t n) {
  std::array<Lanes, kTogether> sums{};
  const std::size_t whole = n / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    Lanes weight;
    load(weight, weights + i);
    for (std::size_t row = 0; row < kTogether; ++row) {
      Lanes activation;
      load(activation, rows[row] + i);
      sums[row] += weight * activation;
    }
  }
  std::array<float, kTogether> products{};
  for (std::size_t row = 0; row < kTogether; ++row) {
    products[row] = (sums[row][0] + sums[row][1]) + (sums[row][2] + sums[row][3]);
    for (std::size_t i = whole; i < n; ++i) {
      products[row] += weights[i] * rows[row][i];
    }
  }
  return products;
}

std::size_t count(std::int64_t extent) {
  return static_cast<std::size_t>(extent);
}

/// A matrix within a tensor of up to four dimensions.
struct Matrix {
  Matrix(const Tensor& tensor, std::size_t i2, std::size_t i3)
      : address(tensor.address + i2 * tensor.nb[2] + i3 * tensor.nb[3]),
        row_bytes(tensor.nb[1]),
        rows(count(tensor.ne[1])) {}

  template <typename T>
  [[nodiscard]] T* row(std::size_t index) const {
    return reinterpret_cast<T*>(address + index * row_bytes);
  }

  std::uintptr_t address;
  std::uint64_t row_bytes;
  std::size_t rows;
};

/// A row as floats: where it lies, or converted into `converted`.
const float* float_row(const Matrix& matrix,
                       std::size_t row,
                       Type type,
                       std::span<float> converted) {
  if (type == Type::kF32) {
    return matrix.row<const float>(row);
  }
  to_float({matrix.row<const std::uint16_t>(row), converted.size()}, converted);
  return converted.data();
}

/// One column of the result: a row of weights times every row of activations.
void multiply_row(const Matrix& result,
                  std::size_t column,
                  std::span<const float> weights,
                  const Matrix& activations) {
  for (std::size_t first = 0; first < activations.rows; first += kTogether) {
    Rows rows{};
    for (std::size_t i = 0; i < kTogether; ++i) {
      rows[i] = activations.row<const float>(std::min(first + i, activations.rows - 1));
    }
    const auto products = dot_products(weights.data(), rows, weights.size());
    for (std::size_t i = 0; i < kTogether && first + i < activations.rows; ++i) {
      result.row<float>(first + i)[column] = products[i];
    }
  }
}

}  // namespace

void mul_mat(const Tensor& product) {
  const Tensor& a = *product.src[0];
  const Tensor& b = *product.src[1];
  std::vector<float> converted(count(a.ne[0]));
  for (std::size_t i3 = 0; i3 < count(product.ne[3]); ++i3) {
    for (std::size_t i2 = 0; i2 < count(product.ne[2]); ++i2) {
      const Matrix weights(a, i2, i3);
      for (std::size_t column = 0; column < weights.rows; ++column) {
        const float* const row = float_row(weights, column, a.type, converted);
        multiply_row({product, i2, i3}, column, {row, converted.size()}, {b, i2, i3});
      }
    }
  }
}

}  // namespace tidemark::loaders::ggml
