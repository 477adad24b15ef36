#pragma once

#include "reference_loaders/burn/buffer.hpp"
#include "reference_loaders/burn/dtype.hpp"
#include "reference_loaders/burn/growing_vec.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::loaders::burn {

/// The values of a tensor during loading: in vectors of their type, whose capacity may exceed their
/// size. A vector of bytes may hold elements of any type.
using Elements = std::variant<GrowingVec<std::uint8_t>,
                              GrowingVec<std::uint16_t>,
                              GrowingVec<std::int32_t>,
                              GrowingVec<std::int64_t>,
                              GrowingVec<float>,
                              GrowingVec<double>>;

std::span<const std::byte> bytes_of(const Elements& elements);

/// What a parameter of a record is deserialised into before it becomes part of a module: burn's
/// `ParamSerde`.
struct RecordItem {
  std::string name;
  Dtype dtype = Dtype::kFloat32;
  std::vector<std::int64_t> shape = {};
  Elements elements = {};
};

/// A tensor of the loaded module, in memory of the backend: exactly its bytes.
struct ModuleTensor {
  std::string name;
  Dtype dtype = Dtype::kFloat32;
  std::vector<std::int64_t> shape = {};
  Buffer data = {};
};

using Module = std::vector<ModuleTensor>;

/// burn's `from_item`: every tensor is made in the backend's memory, and its item freed right
/// after. A phase of its own.
Module from_items(std::vector<RecordItem> items);

/// Copies `from`, a row-major matrix of `rows` x `columns` elements of `size` bytes, into `to` with
/// rows and columns exchanged. They must not overlap.
void transpose(std::span<const std::byte> from,
               std::span<std::byte> to,
               std::size_t rows,
               std::size_t columns,
               std::size_t size);

}  // namespace tidemark::loaders::burn
