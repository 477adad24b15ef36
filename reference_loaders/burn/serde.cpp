#include "reference_loaders/burn/serde.hpp"

namespace tidemark::loaders::burn {
namespace {

/// Pushes every value, without a word beforehand about how many there are: the next vector grows as
/// the one before it did.
template <typename T>
Elements push_all(const GrowingVec<T>& values) {
  GrowingVec<T> elements;
  for (const T value : values) {
    elements.push(value);
  }
  return elements;
}

}  // namespace

Elements NodeForm::deserialize(NestedValue value, Dtype dtype) {
  auto& nodes = std::get<NestedValue::Vec>(value.content);
  return with_carrier(dtype, [&]<typename T>(T) -> Elements {
    GrowingVec<T> elements;
    for (NestedValue& node : nodes) {
      elements.push(std::get<T>(node.content));
    }
    return elements;
  });
}

Elements TypedForm::deserialize(NestedValue value, Dtype dtype) {
  if (const auto* floats = value.get<NestedValue::F32s>()) {
    return push_all(*floats);
  }
  if (const auto* halves = value.get<NestedValue::U16s>()) {
    return push_all(*halves);
  }
  return NodeForm::deserialize(std::move(value), dtype);
}

Elements ByteForm::deserialize(NestedValue value, Dtype /*dtype*/) {
  return std::move(std::get<NestedValue::U8s>(value.content));
}

}  // namespace tidemark::loaders::burn
