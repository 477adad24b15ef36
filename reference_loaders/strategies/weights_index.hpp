#pragma once

#include "reference_loaders/strategies/tensor_type.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::loaders::strategies {

/// One tensor of a weights file: what it is, and where.
struct TensorEntry {
  std::string name;
  const TensorType* type = nullptr;
  std::vector<std::int64_t> shape = {};  ///< Row-major, as NumPy; GGUF has it the other way round.
  std::uint64_t offset = 0;              ///< From the start of the file.
  std::uint64_t bytes = 0;
};

/// The types of a value in GGUF's metadata. Those of safetensors are all strings.
enum class ValueType : std::uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

/// One key of a file's metadata. The value stays as it lies in the file, so that a header takes no
/// more memory than it has bytes.
struct MetadataEntry {
  std::string key;
  ValueType type = ValueType::kString;
  /// Little-endian. For a string its characters alone; for an array u32 type, u64 count, elements.
  std::string raw = {};
};

/// All that the header of a weights file says.
struct WeightsIndex {
  std::vector<MetadataEntry> metadata = {};
  std::vector<TensorEntry> tensors = {};  ///< In the order of their bytes, none over another.
  std::uint64_t data_begin = 0;           ///< Where the bytes of the first tensor can begin.
  std::uint64_t data_end = 0;             ///< One past the last tensor.

  [[nodiscard]] const MetadataEntry* find(std::string_view key) const;
};

/// A value for people: "4096", "true", "llama", "[1, 2]".
std::string value_text(const MetadataEntry& entry);

/// Bytes of a value of this type; 0 for strings and arrays, which have no fixed size.
std::size_t value_bytes(ValueType type);

/// `offset` rounded up to a multiple of `alignment`, a power of two.
constexpr std::uint64_t align_up(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

}  // namespace tidemark::loaders::strategies
