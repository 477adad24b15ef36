#include "reference_loaders/nntrainer/gemm.hpp"

#include "tests/support/catch.hpp"

#include <random>
#include <vector>

using namespace tidemark::loaders::nntrainer;

namespace {

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> floats(count);
  for (float& value : floats) {
    value = between(random);
  }
  return floats;
}

double plain_sum(const ProductSize& size,
                 const MatrixView& a,
                 const MatrixView& b,
                 std::size_t row,
                 std::size_t column) {
  double sum = 0;
  for (std::size_t k = 0; k < size.depth; ++k) {
    sum += static_cast<double>(a.data[row * a.row_stride + k * a.column_stride]) *
           static_cast<double>(b.data[k * b.row_stride + column * b.column_stride]);
  }
  return sum;
}

}  // namespace

TEST_CASE("a product is what three plain loops make of it", "[nntrainer][gemm]") {
  // Around the edges of tiles and blocks.
  const auto size = GENERATE(values<ProductSize>(
      {{1, 1, 1}, {4, 8, 16}, {5, 9, 3}, {3, 127, 255}, {7, 129, 257}, {64, 16, 600}}));
  const bool is_transposed = GENERATE(false, true);
  CAPTURE(size.rows, size.columns, size.depth, is_transposed);
  const auto left = random_floats(size.rows * size.depth, 1);
  const auto right = random_floats(size.depth * size.columns, 2);
  const MatrixView a = is_transposed ? MatrixView{left.data(), 1, size.rows}
                                     : MatrixView{left.data(), size.depth, 1};
  const MatrixView b = is_transposed ? MatrixView{right.data(), 1, size.depth}
                                     : MatrixView{right.data(), size.columns, 1};
  const std::size_t stride = size.columns + 3;
  std::vector<float> c(size.rows * stride, 2);

  multiply_add(size, a, b, c.data(), stride);

  for (std::size_t row = 0; row < size.rows; ++row) {
    for (std::size_t column = 0; column < size.columns; ++column) {
      REQUIRE(c[row * stride + column] ==
              Approx(2 + plain_sum(size, a, b, row, column)).margin(1e-4));
    }
    CHECK(c[row * stride + size.columns] == 2);  // what lies beside is left alone
  }
}
