#include "reference_loaders/nntrainer/gemm.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tidemark::loaders::nntrainer {
namespace {

/// Four sums side by side in one register of any x86-64; both g++ and clang know the attribute.
using Lanes = float __attribute__((vector_size(16)));
constexpr std::size_t kLanes = 4;

// A tile of c is held in eight registers while the depth runs past it. A block of b, packed in
// strips of a tile's width, stays in the second-level cache while all rows of a run past that.
constexpr std::size_t kTileRows = 4;
constexpr std::size_t kTileColumns = 2 * kLanes;
constexpr std::size_t kBlockDepth = 256;
constexpr std::size_t kBlockColumns = 128;

using PackedRows = std::array<float, kTileRows * kBlockDepth>;
using PackedBlock = std::array<float, kBlockColumns * kBlockDepth>;
using Tile = std::array<std::array<Lanes, 2>, kTileRows>;

Lanes lanes_at(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

/// `count` vectors of `length` side by side, padded with zeros to `width` of them.
void pack(const float* from,
          std::size_t vector_stride,
          std::size_t element_stride,
          std::size_t count,
          std::size_t length,
          std::size_t width,
          float* to) {
  for (std::size_t element = 0; element < length; ++element) {
    const float* const row = from + element * element_stride;
    float* const packed = to + element * width;
    for (std::size_t vector = 0; vector < width; ++vector) {
      packed[vector] = vector < count ? row[vector * vector_stride] : 0.0F;
    }
  }
}

Tile product(const float* rows, const float* columns, std::size_t depth) {
  Tile tile{};
  for (std::size_t k = 0; k < depth; ++k) {
    const Lanes left = lanes_at(columns + k * kTileColumns);
    const Lanes right = lanes_at(columns + k * kTileColumns + kLanes);
    for (std::size_t row = 0; row < kTileRows; ++row) {
      const float factor = rows[k * kTileRows + row];
      tile[row][0] += factor * left;
      tile[row][1] += factor * right;
    }
  }
  return tile;
}

void add_tile(
    const Tile& tile, std::size_t rows, std::size_t columns, float* c, std::size_t c_row_stride) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      c[row * c_row_stride + column] += tile[row][column / kLanes][column % kLanes];
    }
  }
}

/// One packed block of b, and what it adds to all rows of c.
void multiply_block(const ProductSize& size,
                    const MatrixView& a,
                    const PackedBlock& block,
                    float* c,
                    std::size_t c_row_stride) {
  PackedRows packed;
  for (std::size_t row = 0; row < size.rows; row += kTileRows) {
    const std::size_t rows = std::min(kTileRows, size.rows - row);
    pack(a.data + row * a.row_stride, a.row_stride, a.column_stride, rows, size.depth, kTileRows,
         packed.data());
    for (std::size_t column = 0; column < size.columns; column += kTileColumns) {
      const Tile tile = product(packed.data(), block.data() + column * size.depth, size.depth);
      add_tile(tile, rows, std::min(kTileColumns, size.columns - column),
               c + row * c_row_stride + column, c_row_stride);
    }
  }
}

void pack_block(const ProductSize& size, const MatrixView& b, PackedBlock& block) {
  for (std::size_t column = 0; column < size.columns; column += kTileColumns) {
    pack(b.data + column * b.column_stride, b.column_stride, b.row_stride,
         std::min(kTileColumns, size.columns - column), size.depth, kTileColumns,
         block.data() + column * size.depth);
  }
}

}  // namespace

void multiply_add(const ProductSize& size,
                  const MatrixView& a,
                  const MatrixView& b,
                  float* c,
                  std::size_t c_row_stride) {
  alignas(64) PackedBlock block;
  for (std::size_t k = 0; k < size.depth; k += kBlockDepth) {
    for (std::size_t column = 0; column < size.columns; column += kBlockColumns) {
      const ProductSize part{.rows = size.rows,
                             .columns = std::min(kBlockColumns, size.columns - column),
                             .depth = std::min(kBlockDepth, size.depth - k)};
      pack_block(
          part,
          {b.data + k * b.row_stride + column * b.column_stride, b.row_stride, b.column_stride},
          block);
      multiply_block(part, {a.data + k * a.column_stride, a.row_stride, a.column_stride}, block,
                     c + column, c_row_stride);
    }
  }
}

}  // namespace tidemark::loaders::nntrainer
