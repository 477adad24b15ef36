#include "reference_loaders/strategies/weights_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tidemark::loaders::strategies {
namespace {

template <typename T>
T take(std::string_view& raw) {
  T value{};
  std::memcpy(&value, raw.substr(0, sizeof value).data(), sizeof value);
  raw.remove_prefix(sizeof value);
  return value;
}

std::string take_text(ValueType type, std::string_view& raw);

std::string take_array(std::string_view& raw) {
  const auto type = static_cast<ValueType>(take<std::uint32_t>(raw));
  const auto count = take<std::uint64_t>(raw);
  std::string text = "[";
  for (std::uint64_t at = 0; at < count; ++at) {
    text += (at == 0 ? "" : ", ") + take_text(type, raw);
  }
  return text + "]";
}

std::string take_string(std::string_view& raw) {
  const auto length = take<std::uint64_t>(raw);
  std::string text(raw.substr(0, length));
  raw.remove_prefix(length);
  return text;
}

/// The next element of an array, or a value that is no string.
std::string take_text(ValueType type, std::string_view& raw) {
  switch (type) {
    case ValueType::kUint8:
      return fmt::format("{}", unsigned{take<std::uint8_t>(raw)});
    case ValueType::kInt8:
      return fmt::format("{}", int{take<std::int8_t>(raw)});
    case ValueType::kUint16:
      return fmt::format("{}", take<std::uint16_t>(raw));
    case ValueType::kInt16:
      return fmt::format("{}", take<std::int16_t>(raw));
    case ValueType::kUint32:
      return fmt::format("{}", take<std::uint32_t>(raw));
    case ValueType::kInt32:
      return fmt::format("{}", take<std::int32_t>(raw));
    case ValueType::kFloat32:
      return fmt::format("{}", take<float>(raw));
    case ValueType::kBool:
      return take<std::uint8_t>(raw) != 0 ? "true" : "false";
    case ValueType::kString:
      return take_string(raw);
    case ValueType::kArray:
      return take_array(raw);
    case ValueType::kUint64:
      return fmt::format("{}", take<std::uint64_t>(raw));
    case ValueType::kInt64:
      return fmt::format("{}", take<std::int64_t>(raw));
    case ValueType::kFloat64:
      return fmt::format("{}", take<double>(raw));
  }
  return "?";
}

}  // namespace

const MetadataEntry* WeightsIndex::find(std::string_view key) const {
  const auto found = std::ranges::find(metadata, key, &MetadataEntry::key);
  return found == metadata.end() ? nullptr : &*found;
}

std::string value_text(const MetadataEntry& entry) {
  if (entry.type == ValueType::kString) {
    return entry.raw;
  }
  std::string_view raw = entry.raw;
  return take_text(entry.type, raw);
}

std::size_t value_bytes(ValueType type) {
  switch (type) {
    case ValueType::kUint8:
    case ValueType::kInt8:
    case ValueType::kBool:
      return 1;
    case ValueType::kUint16:
    case ValueType::kInt16:
      return 2;
    case ValueType::kUint32:
    case ValueType::kInt32:
    case ValueType::kFloat32:
      return 4;
    case ValueType::kUint64:
    case ValueType::kInt64:
    case ValueType::kFloat64:
      return 8;
    case ValueType::kString:
    case ValueType::kArray:
      return 0;
  }
  return 0;
}

}  // namespace tidemark::loaders::strategies
