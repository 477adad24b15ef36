#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace tidemark::loaders::burn {

/// The element types that a PyTorch storage can have here, as NumPy calls them where it can.
enum class Dtype : std::uint8_t {
  kBool,
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64
};

struct DtypeTraits {
  std::string_view name;           ///< "float32"
  std::string_view storage_class;  ///< Class of module `torch`: "FloatStorage".
  std::string_view record_name;    ///< In a burn record that holds bytes: "F32".
  std::uint64_t bytes = 0;         ///< Size of one element.
};

inline constexpr std::array<DtypeTraits, 10> kDtypes = {{
    {"bool", "BoolStorage", "Bool", 1},
    {"uint8", "ByteStorage", "U8", 1},
    {"int8", "CharStorage", "I8", 1},
    {"int16", "ShortStorage", "I16", 2},
    {"int32", "IntStorage", "I32", 4},
    {"int64", "LongStorage", "I64", 8},
    {"float16", "HalfStorage", "F16", 2},
    {"bfloat16", "BFloat16Storage", "BF16", 2},
    {"float32", "FloatStorage", "F32", 4},
    {"float64", "DoubleStorage", "F64", 8},
}};

constexpr const DtypeTraits& traits(Dtype dtype) {
  return kDtypes.at(static_cast<std::size_t>(dtype));
}

/// The type whose `name` (a member of DtypeTraits) is `text`, or nothing.
constexpr std::optional<Dtype> dtype_with(std::string_view DtypeTraits::*name,
                                          std::string_view text) {
  for (std::size_t index = 0; index < kDtypes.size(); ++index) {
    if (kDtypes.at(index).*name == text) {
      return static_cast<Dtype>(index);
    }
  }
  return std::nullopt;
}

/// Elements of a tensor, or nothing when a dimension is negative or the product overflows.
constexpr std::optional<std::uint64_t> element_count(std::span<const std::int64_t> shape) {
  std::uint64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0 ||
        __builtin_mul_overflow(count, static_cast<std::uint64_t>(dimension), &count)) {
      return std::nullopt;
    }
  }
  return count;
}

/// Calls `work` with a value of the C++ type that carries elements of `dtype` through the chain.
/// Types that C++ lacks, or that burn does not distinguish here, are carried as unsigned integers
/// of the same size: half floats as u16, as in burn.
template <typename Work>
auto with_carrier(Dtype dtype, Work&& work) {
  switch (dtype) {
    case Dtype::kInt16:
    case Dtype::kFloat16:
    case Dtype::kBfloat16:
      return work(std::uint16_t{});
    case Dtype::kInt32:
      return work(std::int32_t{});
    case Dtype::kInt64:
      return work(std::int64_t{});
    case Dtype::kFloat32:
      return work(float{});
    case Dtype::kFloat64:
      return work(double{});
    default:
      return work(std::uint8_t{});
  }
}

}  // namespace tidemark::loaders::burn
