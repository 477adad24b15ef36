#pragma once

#include "reference_loaders/ggml/tensor.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

namespace tidemark::loaders::ggml {

/// Header of an object in a pool and of the tensor in it.
inline constexpr std::uint64_t kObjectBytes = 32;
inline constexpr std::uint64_t kTensorOverhead = kObjectBytes + sizeof(Tensor);  // 304
inline constexpr std::uint64_t kPoolAlignment = 16;

/// Bytes that a tensor of `data_bytes` takes in a pool that holds data as well.
constexpr std::uint64_t pool_bytes(std::uint64_t data_bytes) {
  return kTensorOverhead + (data_bytes + kPoolAlignment - 1) / kPoolAlignment * kPoolAlignment;
}

/// The pool was sized for less than the model needs. What ggml says before it aborts.
class PoolTooSmall : public std::runtime_error {
 public:
  PoolTooSmall(std::uint64_t needed, std::uint64_t available);
};

/// Memory for one block, as malloc gives it: never written to here.
class Buffer {
 public:
  /// @throws std::bad_alloc
  explicit Buffer(std::size_t bytes);

  [[nodiscard]] std::span<std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_;
};

/// ggml's context: a pool that is filled from the front and only ever freed as a whole.
///
///     | object 32 | tensor 272 | data, padded to 16 | object 32 | tensor 272 | ...
///
/// This is also ggml's linear allocator: where tensors take their data from the pool, every
/// intermediate of a graph gets its own space. In a pool of headers only, addresses come later.
class Context {
 public:
  enum class Data { kInPool, kElsewhere };

  /// A pool in memory of its own, about to be filled with data if it holds any.
  /// @throws std::bad_alloc
  Context(std::size_t bytes, Data data);
  /// A pool in memory that is borrowed.
  Context(std::span<std::byte> memory, Data data);

  /// A dense tensor. @throws PoolTooSmall
  Tensor* new_tensor(Type type, std::span<const std::int64_t> extents);
  /// A header that shares the bytes of `source`, whatever its extents. @throws PoolTooSmall
  Tensor* new_view(const Tensor& source, std::span<const std::int64_t> extents);

  [[nodiscard]] std::uint64_t size() const { return memory_.size(); }
  [[nodiscard]] std::uint64_t used() const { return used_; }
  [[nodiscard]] const std::vector<Tensor*>& tensors() const { return tensors_; }
  [[nodiscard]] bool has_data() const { return data_ == Data::kInPool; }

 private:
  Tensor* new_object(Type type, std::span<const std::int64_t> extents, std::uint64_t data_bytes);

  std::vector<Buffer> own_;  ///< One or none.
  std::span<std::byte> memory_;
  Data data_;
  std::uint64_t used_ = 0;
  std::vector<Tensor*> tensors_;  ///< In the order of their making.
};

/// What the tensors of `context` would take in one linear pool, headers included.
std::uint64_t linear_bytes(const Context& context);

}  // namespace tidemark::loaders::ggml
