/// Predictions of the event coder. Writer and reader keep equal copies and feed them the same
/// events, so correctly predicted values need no bytes. Specified in FORMAT.md.
#pragma once

#include "collector/trace/coding/format.hpp"
#include "collector/trace/types/event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemark::trace {

/// Usable minus requested bytes, as glibc's heap rounds them.
constexpr std::uint64_t expected_extra(Lane lane, std::uint64_t size) {
  if (lane != Lane::kHeap)
    return 0;
  const auto usable = ((size + 23) & ~std::uint64_t{15}) - 8;
  return (usable < 24 ? 24 : usable) - size;
}

/// The last allocation of each stack: most call sites ask for the same size again.
class SizePrediction {
 public:
  struct Slot {
    std::uint64_t size = 0;
    std::uint64_t extra = 0;
  };

  void reset() { slots_.fill({}); }
  [[nodiscard]] Slot& of(std::uint32_t stack) { return slots_[stack % kSlots]; }

 private:
  static constexpr std::size_t kSlots = 4096;
  std::array<Slot, kSlots> slots_{};
};

/// The stack that followed the last two of the same thread: loaders are loops.
class StackPrediction {
 public:
  void reset() {
    next_.fill(0);
    contexts_.fill({});
  }
  /// Selects the thread whose stacks follow.
  void enter(std::uint32_t thread) { context_ = &contexts_[thread % kThreads]; }
  [[nodiscard]] std::uint32_t expected() const { return next_[slot()]; }
  void learn(std::uint32_t stack) {
    next_[slot()] = stack;
    context_->older = context_->newer;
    context_->newer = stack;
  }

 private:
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::size_t kThreads = 64;
  struct Context {
    std::uint32_t newer = 0;
    std::uint32_t older = 0;
  };

  [[nodiscard]] std::size_t slot() const {
    return (context_->newer * 31U + context_->older) % kSlots;
  }

  std::array<std::uint32_t, kSlots> next_{};
  std::array<Context, kThreads> contexts_{};
  Context* context_ = contexts_.data();
};

/// How a block of events encodes references to its own allocations, and to earlier ones.
class BlockNumbers {
 public:
  void reset(AllocationNumber first_allocation) {
    first_ = first_allocation;
    count_ = 0;
    last_released_ = first_allocation;
  }
  /// The number that the next allocation gets.
  [[nodiscard]] AllocationNumber next() const { return first_ + count_; }
  /// The allocations made in this block.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// @return the index of the new allocation in this block.
  std::uint64_t add() { return count_++; }
  [[nodiscard]] bool holds(AllocationNumber allocation) const {
    return index_of(allocation) < count_;
  }
  /// Index among the allocations of this block; at least `count` if it is not one of them.
  [[nodiscard]] std::uint64_t index_of(AllocationNumber allocation) const {
    return allocation - first_;
  }

  [[nodiscard]] std::uint64_t code_of(AllocationNumber allocation) const {
    if (allocation == last_released_ + 1)
      return 0;
    if (allocation == last_released_ - 1)
      return 1;
    return next() - allocation + 1;
  }
  [[nodiscard]] AllocationNumber allocation_of(std::uint64_t code) const {
    if (code <= 1)
      return last_released_ + 1 - 2 * code;
    return next() - (code - 1);
  }
  void release(AllocationNumber allocation) { last_released_ = allocation; }

  /// The same for an allocation that is touched, not released.
  [[nodiscard]] std::uint64_t touched_code_of(AllocationNumber allocation) const {
    return allocation == kNoAllocation ? 0 : next() - allocation;
  }
  [[nodiscard]] AllocationNumber touched_of(std::uint64_t code) const {
    return code == 0 ? kNoAllocation : next() - code;
  }

 private:
  AllocationNumber first_ = 0;
  std::uint64_t count_ = 0;
  AllocationNumber last_released_ = 0;
};

}  // namespace tidemark::trace
