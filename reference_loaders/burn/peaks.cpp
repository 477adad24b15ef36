#include "reference_loaders/burn/peaks.hpp"

#include "reference_loaders/burn/nested_value.hpp"
#include "reference_loaders/burn/record_reader.hpp"

#include <algorithm>
#include <bit>

namespace tidemark::loaders::burn {
namespace {

using BytesOf = std::uint64_t (*)(const TensorFacts&);

std::uint64_t element_bytes(const TensorFacts& tensor) {
  return tensor.elements > 0 ? tensor.bytes / tensor.elements : 0;
}

std::uint64_t nodes_of(const TensorFacts& tensor) {
  return pushed_capacity(tensor.elements) * sizeof(NestedValue);
}

std::uint64_t pushed_of(const TensorFacts& tensor) {
  return pushed_capacity(tensor.elements) * element_bytes(tensor);
}

std::uint64_t typed_of(const TensorFacts& tensor) {
  const std::uint64_t size = element_bytes(tensor);
  return size == 2 || size == 4 ? pushed_of(tensor) : nodes_of(tensor);
}

std::uint64_t bytes_of(const TensorFacts& tensor) {
  return tensor.bytes;
}

/// Bytes of serde's vector for an array of announced length.
std::uint64_t announced_of(const TensorFacts& tensor) {
  const std::uint64_t size = std::max<std::uint64_t>(1, element_bytes(tensor));
  std::uint64_t capacity = cautious_capacity(tensor.elements, size);
  while (capacity < tensor.elements) {
    capacity *= 2;
  }
  return capacity * size;
}

std::uint64_t sum(const ModelFacts& facts, BytesOf of) {
  std::uint64_t bytes = 0;
  for (const TensorFacts& tensor : facts.tensors) {
    bytes += of(tensor);
  }
  return bytes;
}

/// The peak of turning every tensor from one form into another, where each keeps its old form until
/// its new one is whole, and `extra` is needed on the way.
std::uint64_t conversion_peak(const ModelFacts& facts, BytesOf from, BytesOf to, BytesOf extra) {
  std::uint64_t live = sum(facts, from);
  std::uint64_t peak = live;
  for (const TensorFacts& tensor : facts.tensors) {
    peak = std::max(peak, live + extra(tensor));
    live = live + to(tensor) - from(tensor);
  }
  return std::max(peak, live);
}

/// First pass: the copy that is converted beside the copy that it is made from, or the converted
/// one beside the values that grow out of it. Second pass: the vectors that grow out of those.
std::uint64_t two_pass_peak(const ModelFacts& facts, BytesOf value, BytesOf extra) {
  return std::max(conversion_peak(facts, bytes_of, value, extra),
                  conversion_peak(facts, value, pushed_of, pushed_of));
}

}  // namespace

std::uint64_t pushed_capacity(std::uint64_t count) {
  return count < 2 ? count : std::max<std::uint64_t>(4, std::bit_ceil(count));
}

std::uint64_t node_bytes(const ModelFacts& facts) {
  return sum(facts, nodes_of);
}

std::uint64_t typed_bytes(const ModelFacts& facts) {
  return sum(facts, typed_of);
}

std::uint64_t nested_peak(const ModelFacts& facts) {
  return two_pass_peak(facts, nodes_of,
                       [](const TensorFacts& tensor) { return tensor.bytes + nodes_of(tensor); });
}

std::uint64_t typed_peak(const ModelFacts& facts) {
  return two_pass_peak(facts, typed_of,
                       [](const TensorFacts& tensor) { return tensor.bytes + typed_of(tensor); });
}

std::uint64_t bytes_peak(const ModelFacts& facts) {
  // Never more in the second pass: there the bytes are moved, and then only one copy is made.
  return facts.weight_bytes() + 2 * facts.largest_tensor_bytes();
}

std::uint64_t lazy_peak(const ModelFacts& facts) {
  std::uint64_t loaded = 0;
  std::uint64_t peak = 0;
  for (const TensorFacts& tensor : facts.tensors) {
    peak = std::max(peak, loaded + 2 * tensor.bytes);
    loaded += tensor.bytes;
  }
  return peak;
}

std::uint64_t mpk_elements_peak(const ModelFacts& facts) {
  return conversion_peak(facts, announced_of, bytes_of, bytes_of);
}

std::uint64_t mpk_bytes_peak(const ModelFacts& facts) {
  std::uint64_t loaded = 0;
  std::uint64_t largest = 0;
  std::uint64_t peak = facts.weight_bytes() + facts.largest_tensor_bytes();
  for (const TensorFacts& tensor : facts.tensors) {
    largest = std::max(largest, pushed_capacity(tensor.bytes));
    loaded += tensor.bytes;
    peak = std::max(peak, loaded + largest);
  }
  return peak;
}

}  // namespace tidemark::loaders::burn
