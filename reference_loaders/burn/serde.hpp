#pragma once

#include "reference_loaders/burn/nested_value.hpp"
#include "reference_loaders/burn/record.hpp"

#include <cstdint>
#include <utility>

/// How the values of a tensor become a NestedValue and come back, in the three forms that burn had.
///
///     serialize<T>(values)     takes the converted values of a tensor, and frees them at the end
///     deserialize(value, dtype)  takes the NestedValue, and frees it at the end
namespace tidemark::loaders::burn {

/// Before pull request 1751: a NestedValue for every element.
struct NodeForm {
  template <typename T>
  static NestedValue serialize(GrowingVec<T> values) {
    NestedValue::Vec nodes;
    for (const T value : values) {
      nodes.push(NestedValue{value});
    }
    return {std::move(nodes)};
  }

  static Elements deserialize(NestedValue value, Dtype dtype);
};

/// After it: vectors of floats and of halves keep their type, everything else is as before. Still
/// pushed element by element, each by way of a NestedValue.
struct TypedForm {
  template <typename T>
  static NestedValue serialize(GrowingVec<T> values) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::uint16_t>) {
      GrowingVec<T> typed;
      for (const T value : values) {
        NestedValue node{value};
        typed.push(*node.get<T>());
      }
      return {std::move(typed)};
    } else {
      return NodeForm::serialize(std::move(values));
    }
  }

  static Elements deserialize(NestedValue value, Dtype dtype);
};

/// After pull request 1944: bytes, cast from the values once and moved from then on.
struct ByteForm {
  template <typename T>
  static NestedValue serialize(GrowingVec<T> values) {
    const auto from = std::as_bytes(std::span(values.begin(), values.size()));
    auto bytes = NestedValue::U8s::with_capacity(from.size());
    std::ranges::copy(from, reinterpret_cast<std::byte*>(bytes.extend(from.size())));
    return {std::move(bytes)};
  }

  static Elements deserialize(NestedValue value, Dtype dtype);
};

}  // namespace tidemark::loaders::burn
