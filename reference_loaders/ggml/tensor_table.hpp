#pragma once

#include "reference_loaders/ggml/tensor.hpp"

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace tidemark::loaders::ggml {

/// ggml's hash table over the tensors of a graph: a prime number of slots, which no graph of 4096
/// nodes and as many leafs fills, and linear probing.
template <typename Value>
class TensorTable {
 public:
  static constexpr std::size_t kSlots = 8273;

  TensorTable() : slots_(kSlots) {}

  /// The value of `tensor`, made on first use.
  Value& operator[](const Tensor* tensor) { return find(tensor).value; }

  /// @return false when it was there before.
  bool insert(const Tensor* tensor) {
    const std::size_t before = count_;
    find(tensor);
    return count_ > before;
  }

  void clear() {
    slots_.assign(kSlots, {});
    count_ = 0;
  }

 private:
  struct Slot {
    const Tensor* tensor = nullptr;
    Value value = {};
  };

  Slot& find(const Tensor* tensor) {
    std::size_t at = reinterpret_cast<std::uintptr_t>(tensor) % kSlots;
    while (slots_[at].tensor != nullptr && slots_[at].tensor != tensor) {
      at = (at + 1) % kSlots;
    }
    if (slots_[at].tensor == nullptr) {
      if (++count_ == kSlots) {  // one slot stays empty, so that every search ends
        throw std::length_error("a graph has more tensors than its hash table has slots");
      }
      slots_[at].tensor = tensor;
    }
    return slots_[at];
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace tidemark::loaders::ggml
