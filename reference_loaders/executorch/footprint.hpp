#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tidemark::loaders::executorch {

/// A loader's own count of its memory: weights on the host, and allocations on the device. Excludes
/// the driver's own memory. For one thread.
class Footprint {
 public:
  enum Kind : std::uint8_t { kHost, kDevice };

  void add(Kind kind, std::uint64_t bytes) {
    (kind == kHost ? host_ : device_) += bytes;
    peak_ = std::max(peak_, host_ + device_);
    device_peak_ = std::max(device_peak_, device_);
  }
  void remove(Kind kind, std::uint64_t bytes) { (kind == kHost ? host_ : device_) -= bytes; }

  [[nodiscard]] std::uint64_t device() const { return device_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }
  [[nodiscard]] std::uint64_t device_peak() const { return device_peak_; }

 private:
  std::uint64_t host_ = 0;
  std::uint64_t device_ = 0;
  std::uint64_t peak_ = 0;
  std::uint64_t device_peak_ = 0;
};

/// Bytes that count for as long as this object lives. The footprint must outlive it.
class CountedBytes {
 public:
  CountedBytes() = default;
  CountedBytes(Footprint* footprint, Footprint::Kind kind, std::uint64_t bytes)
      : footprint_(footprint), kind_(kind), bytes_(bytes) {
    footprint_->add(kind_, bytes_);
  }
  CountedBytes(CountedBytes&& other) noexcept { swap(other); }
  CountedBytes& operator=(CountedBytes&& other) noexcept {
    CountedBytes taken(std::move(other));
    swap(taken);
    return *this;
  }
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;
  ~CountedBytes() {
    if (footprint_ != nullptr) {
      footprint_->remove(kind_, bytes_);
    }
  }

 private:
  void swap(CountedBytes& other) noexcept {
    std::swap(footprint_, other.footprint_);
    std::swap(kind_, other.kind_);
    std::swap(bytes_, other.bytes_);
  }

  Footprint* footprint_ = nullptr;
  Footprint::Kind kind_ = Footprint::kHost;
  std::uint64_t bytes_ = 0;
};

}  // namespace tidemark::loaders::executorch
