#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace tidemark::loaders::burn {

/// Rust's `Vec`: 24 bytes, and grown in place by realloc where the allocator can. A std::vector
/// would hold the old and the new block at once while it grows, which no Rust program does.
///
/// Capacities are those of a `vec![first]` that is pushed to: 1, 4, 8, 16 ... Growing moves the
/// bytes of the elements: T must allow that, and the types that are kept here do.
template <typename T>
class GrowingVec {
 public:
  GrowingVec() = default;

  /// Room for exactly `capacity` elements. @throws std::bad_alloc
  static GrowingVec with_capacity(std::size_t capacity) {
    GrowingVec made;
    if (capacity > 0) {
      made.reallocate(capacity);
    }
    return made;
  }

  GrowingVec(GrowingVec&& other) noexcept { swap(other); }
  GrowingVec& operator=(GrowingVec&& other) noexcept {
    GrowingVec taken(std::move(other));
    swap(taken);
    return *this;
  }
  GrowingVec(const GrowingVec&) = delete;
  GrowingVec& operator=(const GrowingVec&) = delete;
  ~GrowingVec() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      std::destroy_n(data_, size_);
    }
    std::free(static_cast<void*>(data_));
  }

  /// @throws std::bad_alloc, with nothing changed
  void push(T value) {
    if (size_ == capacity_) {
      reallocate(next_capacity(capacity_));
    }
    new (data_ + size_) T(std::move(value));
    ++size_;
  }

  /// Appends `count` elements that are not initialised. @return the first of them
  T* extend(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::size_t wanted = capacity_;
    while (wanted - size_ < count) {
      wanted = next_capacity(wanted);
    }
    if (wanted > capacity_) {
      reallocate(wanted);
    }
    size_ += count;
    return data_ + (size_ - count);
  }

  /// Keeps the capacity.
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }
  [[nodiscard]] T& operator[](std::size_t index) { return data_[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const { return data_[index]; }

  /// Capacity after a push to a full one of `capacity`.
  static constexpr std::size_t next_capacity(std::size_t capacity) {
    return capacity == 0 ? 1 : std::max<std::size_t>(4, 2 * capacity);
  }

  void swap(GrowingVec& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(size_, other.size_);
  }

 private:
  void reallocate(std::size_t capacity) {
    // No advice on huge pages here: it would make the untouched tail of a block resident.
    void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (moved == nullptr) {
      throw std::bad_alloc();
    }
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tidemark::loaders::burn
