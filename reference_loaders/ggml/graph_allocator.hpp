#pragma once

#include "reference_loaders/ggml/context.hpp"
#include "reference_loaders/ggml/free_blocks.hpp"
#include "reference_loaders/ggml/graph.hpp"
#include "reference_loaders/ggml/tensor_table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace tidemark::loaders::ggml {

inline constexpr std::uint64_t kTensorAlignment = 32;

/// The buffer was measured for a smaller graph than the one that is laid out in it.
class BufferTooSmall : public std::runtime_error {
 public:
  BufferTooSmall(std::uint64_t needed, std::uint64_t largest);
};

/// ggml's graph allocator as of its commit 854e4530: gives the tensors of a graph addresses in one
/// range, and gives memory back as soon as nothing will read it any more. Two later repairs of
/// llama.cpp are in it, which change no measured size: pull request 2639 (see Fit), and 2757,
/// without which a tensor could be left without an address.
///
/// It only does arithmetic on addresses. Measuring uses the same code over a range that nothing
/// backs, 1 TiB at 0x1000, so a graph gets the same offsets in both.
class GraphAllocator {
 public:
  static constexpr std::uintptr_t kMeasureBase = 0x1000;
  static constexpr std::uint64_t kMeasureBytes = std::uint64_t{1} << 40;

  /// An allocator over a range that nothing backs, to find out how much a graph takes.
  static GraphAllocator measuring();

  /// An allocator over `memory`, which is borrowed. Offsets count from its first aligned byte.
  explicit GraphAllocator(std::span<std::byte> memory, Fit fit = Fit::kRestIsLast);

  /// Gives one tensor its own memory, for as long as the graph that uses it needs it.
  /// @throws BufferTooSmall
  void allocate(Tensor& tensor);

  /// Lays out every tensor of `graph` that has no address yet, in the order of its nodes.
  /// @throws BufferTooSmall
  void allocate(const Graph& graph);

  /// The most bytes in use so far, from the base on.
  [[nodiscard]] std::uint64_t max_bytes() const { return max_bytes_; }
  [[nodiscard]] std::uintptr_t base() const { return base_; }
  [[nodiscard]] bool is_measuring() const { return is_measuring_; }
  [[nodiscard]] const FreeBlocks& free_blocks() const { return free_; }

 private:
  struct Uses {
    int children = 0;
    int views = 0;
    [[nodiscard]] bool none() const { return children == 0 && views == 0; }
  };

  GraphAllocator(std::uintptr_t base, std::uint64_t bytes, bool is_measuring, Fit fit);

  void count_uses(const Graph& graph);
  void place(Tensor& tensor);
  bool place_in_a_source(Tensor& tensor);
  bool can_take_over(const Tensor& tensor, Tensor& source);
  void release_sources(const Tensor& node);
  void release(const Tensor& tensor);

  std::uintptr_t base_;
  std::uint64_t bytes_;
  bool is_measuring_;
  FreeBlocks free_;
  TensorTable<Uses> uses_;
  std::uint64_t max_bytes_ = 0;
};

}  // namespace tidemark::loaders::ggml
