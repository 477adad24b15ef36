#include "reference_loaders/ggml/context.hpp"

#include "reference_loaders/huge_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace tidemark::loaders::ggml {

PoolTooSmall::PoolTooSmall(std::uint64_t needed, std::uint64_t available)
    : std::runtime_error(fmt::format("ggml_new_tensor_impl: not enough space in the context's "
                                     "memory pool (needed {}, available {})",
                                     needed,
                                     available)) {}

Buffer::Buffer(std::size_t bytes)
    : data_(static_cast<std::byte*>(std::malloc(bytes))), size_(bytes) {
  if (!data_) {
    throw std::bad_alloc();
  }
}

Context::Context(std::size_t bytes, Data data) : data_(data) {
  own_.emplace_back(bytes);
  memory_ = own_.front().bytes();
  if (has_data()) {
    advise_huge_pages(memory_.data(), bytes);
  }
}

Context::Context(std::span<std::byte> memory, Data data) : memory_(memory), data_(data) {}

Tensor* Context::new_tensor(Type type, std::span<const std::int64_t> extents) {
  std::uint64_t data_bytes = element_bytes(type);
  for (const std::int64_t extent : extents) {
    data_bytes *= static_cast<std::uint64_t>(extent);
  }
  return new_object(type, extents, has_data() ? data_bytes : 0);
}

Tensor* Context::new_view(const Tensor& source, std::span<const std::int64_t> extents) {
  Tensor* tensor = new_object(source.type, extents, 0);
  tensor->address = source.address;
  tensor->borrows = true;
  return tensor;
}

Tensor* Context::new_object(Type type,
                            std::span<const std::int64_t> extents,
                            std::uint64_t data_bytes) {
  const std::uint64_t needed = used_ + pool_bytes(data_bytes);
  if (needed > memory_.size()) {
    throw PoolTooSmall(needed, memory_.size());
  }
  std::byte* const header = memory_.data() + used_ + kObjectBytes;
  auto* tensor = new (header) Tensor;
  tensor->type = type;
  tensor->n_dims = static_cast<std::int32_t>(extents.size());
  std::ranges::copy(extents, tensor->ne.begin());
  tensor->nb[0] = element_bytes(type);
  for (std::size_t i = 1; i < kMaxDimensions; ++i) {
    tensor->nb[i] = tensor->nb[i - 1] * static_cast<std::uint64_t>(tensor->ne[i - 1]);
  }
  if (data_bytes > 0) {
    tensor->address = reinterpret_cast<std::uintptr_t>(header + sizeof(Tensor));
  }
  used_ = needed;
  tensors_.push_back(tensor);
  return tensor;
}

std::uint64_t linear_bytes(const Context& context) {
  std::uint64_t bytes = 0;
  for (const Tensor* tensor : context.tensors()) {
    bytes += pool_bytes(tensor->borrows ? 0 : tensor->bytes());
  }
  return bytes;
}

}  // namespace tidemark::loaders::ggml
