#pragma once

#include "reference_loaders/strategies/weights.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace tidemark::loaders::strategies {

/// A few staging buffers between a reader and a device. The caller fills one after the other; a
/// thread, in the place of a device's copy engine, takes each to where it belongs while the next is
/// filled. For one caller's thread.
class StagingRing {
 public:
  /// Buffers are aligned to 4096 bytes, so that a disk can write to them.
  StagingRing(std::size_t buffers, std::size_t buffer_bytes);
  StagingRing(const StagingRing&) = delete;
  StagingRing& operator=(const StagingRing&) = delete;
  /// Waits for what was submitted.
  ~StagingRing();

  /// The next buffer, once what it held before has been copied.
  [[nodiscard]] std::span<std::byte> acquire();
  /// Hands the buffer acquired last over: `bytes`, a part of it, are copied to `destination`.
  void submit(std::span<const std::byte> bytes, std::byte* destination);
  /// Waits until everything submitted is where it belongs.
  void drain();

 private:
  struct Copy {
    std::span<const std::byte> from;
    std::byte* to = nullptr;
  };

  void copy_until_closed();

  std::vector<Block> buffers_;
  std::vector<Copy> copies_;  ///< The copy asked of each buffer.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t submitted_ = 0;  ///< submitted_ - copied_ <= buffers_.size()
  std::uint64_t copied_ = 0;
  bool closed_ = false;
  std::thread device_;
};

}  // namespace tidemark::loaders::strategies
