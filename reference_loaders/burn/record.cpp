#include "reference_loaders/burn/record.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <tidemark/marks.h>

namespace tidemark::loaders::burn {
namespace {

/// Side of a square that is transposed at once: both its rows and its columns stay in the cache.
constexpr std::size_t kTile = 64;

template <std::size_t Size>
void transpose_tile(const std::byte* from,
                    std::byte* to,
                    std::size_t rows,
                    std::size_t columns,
                    std::size_t row,
                    std::size_t column) {
  for (std::size_t r = row; r < std::min(rows, row + kTile); ++r) {
    for (std::size_t c = column; c < std::min(columns, column + kTile); ++c) {
      std::memcpy(to + (c * rows + r) * Size, from + (r * columns + c) * Size, Size);
    }
  }
}

template <std::size_t Size>
void transpose_elements(const std::byte* from,
                        std::byte* to,
                        std::size_t rows,
                        std::size_t columns) {
  for (std::size_t row = 0; row < rows; row += kTile) {
    for (std::size_t column = 0; column < columns; column += kTile) {
      transpose_tile<Size>(from, to, rows, columns, row, column);
    }
  }
}

}  // namespace

std::span<const std::byte> bytes_of(const Elements& elements) {
  return std::visit(
      [](const auto& vec) { return std::as_bytes(std::span(vec.begin(), vec.size())); }, elements);
}

Module from_items(std::vector<RecordItem> items) {
  const Phase phase("from item");
  Module module;
  module.reserve(items.size());
  for (RecordItem& item : items) {
    const RecordItem own = std::move(item);
    const auto bytes = bytes_of(own.elements);
    ModuleTensor tensor{own.name, own.dtype, own.shape, Buffer::of(bytes.size())};
    std::ranges::copy(bytes, tensor.data.bytes().begin());
    module.push_back(std::move(tensor));
  }
  return module;
}

void transpose(std::span<const std::byte> from,
               std::span<std::byte> to,
               std::size_t rows,
               std::size_t columns,
               std::size_t size) {
  switch (size) {
    case 1:
      return transpose_elements<1>(from.data(), to.data(), rows, columns);
    case 2:
      return transpose_elements<2>(from.data(), to.data(), rows, columns);
    case 4:
      return transpose_elements<4>(from.data(), to.data(), rows, columns);
    default:
      return transpose_elements<8>(from.data(), to.data(), rows, columns);
  }
}

}  // namespace tidemark::loaders::burn
