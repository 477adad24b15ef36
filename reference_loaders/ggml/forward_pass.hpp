#pragma once

#include "reference_loaders/ggml/context.hpp"
#include "reference_loaders/ggml/gpt2_graph.hpp"
#include "reference_loaders/ggml/graph.hpp"
#include "reference_loaders/ggml/graph_allocator.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// The ways to lay out the graph of one forward pass.
namespace tidemark::loaders::ggml {

/// Bytes for a graph and its headers: 4096 tensors and ggml's node lists.
inline constexpr std::uint64_t kGraphOverhead = 164'560;
inline constexpr std::uint64_t kMetadataBytes = kMaxNodes * kTensorOverhead + kGraphOverhead;
static_assert(kMetadataBytes == 1'409'744, "as ggml 854e4530 counts");

/// The estimate of execution memory before it was measured: 256 MiB, plus, for each token, 1.1
/// times twice the value that ggml's example printed for its smallest model.
constexpr std::uint64_t hard_coded_estimate(std::uint64_t n_tokens) {
  return (std::uint64_t{256} << 20) + 2'048'000 * n_tokens * 11 * 2 / 10;
}

/// Two passes over one model with the same shape have the same graph.
struct PassShape {
  std::size_t n_tokens = 0;
  std::int32_t n_past = 0;

  friend bool operator==(const PassShape&, const PassShape&) = default;
};

/// A graph whose tensors have addresses.
struct LaidOutPass {
  PassShape shape;
  Context context;  ///< Holds the headers.
  Graph graph;
  Tensor* logits = nullptr;
  std::uint64_t bytes = 0;  ///< Taken of the pool, or of the buffer beside the headers.
  /// Offset of each tensor in the buffer, in the order of creation. Empty for a linear pass.
  std::vector<std::uint64_t> offsets = {};
};

/// Every tensor takes its own part of `pool`. @throws PoolTooSmall
LaidOutPass lay_out_linearly(std::span<std::byte> pool, const Pass& pass);

/// Measures what a pass takes, with headers alone and addresses that nothing backs.
LaidOutPass record(const Pass& pass);

/// Headers at the front of `memory`, tensors behind them. @throws PoolTooSmall, BufferTooSmall
LaidOutPass lay_out(std::span<std::byte> memory, const Pass& pass, Fit fit = Fit::kRestIsLast);

/// Bytes of memory that `lay_out` needs for a pass that was recorded to take `budget`.
constexpr std::uint64_t execution_memory_bytes(std::uint64_t budget) {
  return kMetadataBytes + budget + kTensorAlignment;  // tensors begin at a multiple of 32
}

/// What a pass of `n_tokens` takes, from the model's sizes alone: no weights are needed.
std::uint64_t measured_bytes(const Hyperparameters& sizes,
                             std::uint64_t n_tokens,
                             std::int32_t n_past = 0);

/// A KV memory at the addresses that a measuring allocator of its own gives it: at the same base as
/// those of the graph, so the two overlap, as in ggml-gobject. That changes nothing: the writes to
/// the KV memory count as its views and nothing reads them, so it is never given back.
TensorSet recorded_key_values(const Hyperparameters& sizes);

}  // namespace tidemark::loaders::ggml
