#pragma once

#include "reference_loaders/huge_pages.hpp"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace tidemark::loaders::burn {

/// Bytes of exactly the size asked for: the data of a tensor.
class Buffer {
 public:
  Buffer() = default;

  /// Not initialised. @throws std::bad_alloc
  static Buffer of(std::size_t bytes) { return {std::malloc(bytes > 0 ? bytes : 1), bytes}; }

  /// As Rust's `vec![0; bytes]`: asked of calloc, so that large ones are not written.
  /// @throws std::bad_alloc
  static Buffer zeroed(std::size_t bytes) { return {std::calloc(bytes > 0 ? bytes : 1, 1), bytes}; }

  [[nodiscard]] std::span<std::byte> bytes() { return {data_.get(), size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };

  Buffer(void* data, std::size_t bytes) : data_(static_cast<std::byte*>(data)), size_(bytes) {
    if (data == nullptr) {
      throw std::bad_alloc();
    }
    advise_huge_pages(data, bytes);
  }

  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace tidemark::loaders::burn
