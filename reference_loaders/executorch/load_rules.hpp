#pragma once

#include "reference_loaders/executorch/delegate_blob.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::loaders::executorch {

inline constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;  // as ExecuTorch counts them
/// Prepacking submits its commands when more staging memory than this is queued.
inline constexpr std::uint64_t kSubmitBytes = 10 * kMegabyte;

/// What sets the versions of the loader apart.
struct LoadRules {
  bool early_weights = false;      ///< Packed weights get memory when the graph is built.
  bool early_activations = false;  ///< Activations get theirs before prepacking, not after it.
  /// A submission waits, and staging memory is freed, only in models with more constants than this.
  std::uint64_t flush_limit = 500 * kMegabyte;
  bool counts_uses = false;    ///< A constant is freed by its last consumer, not by its first.
  bool caches_packed = false;  ///< A constant is packed once, whoever consumes it.
};

/// The constant to pack at each step, as indexes of values, in the order of the chain.
std::vector<std::size_t> prepack_order(const DelegateGraph& graph, bool caches_packed);

/// Bytes of all constants.
std::uint64_t constant_bytes(const DelegateGraph& graph);

}  // namespace tidemark::loaders::executorch
