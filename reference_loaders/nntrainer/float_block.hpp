#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tidemark::loaders::nntrainer {

/// Floats of their own, given back with the object. An empty block has no memory.
class FloatBlock {
 public:
  enum class Content { kUndefined, kZeros };

  FloatBlock() = default;
  /// From malloc, or from calloc for zeros, as nntrainer's cache elements are.
  /// @throws std::bad_alloc
  explicit FloatBlock(std::uint64_t count, Content content = Content::kUndefined);

  [[nodiscard]] std::span<float> floats() const { return {data_.get(), count_}; }
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  struct Free {
    void operator()(float* data) const;
  };

  std::unique_ptr<float, Free> data_;
  std::size_t count_ = 0;
};

}  // namespace tidemark::loaders::nntrainer
