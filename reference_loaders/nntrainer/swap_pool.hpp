#pragma once

#include "reference_loaders/nntrainer/float_block.hpp"
#include "reference_loaders/nntrainer/memory_plan.hpp"
#include "reference_loaders/nntrainer/run.hpp"
#include "reference_loaders/nntrainer/swap_file.hpp"
#include "reference_loaders/nntrainer/tensor_table.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::loaders::nntrainer {

/// The cache pool: one swap element a tensor, in a sparse file whose offsets are the planner's.
///
/// A swap in is calloc, seek and read; a swap out seek, write, free, and malloc_trim where asked
/// for. How often a tensor is really read and written depends on its kind: weights always; others
/// are not read before they were first written, nor written after their last step. Not thread-safe.
class SwapPool {
 public:
  /// Everything is borrowed.
  SwapPool(const RunRequest& request, const TensorTable& table, bool trims);

  /// Takes a weight from the weights file into the pool, and swaps it out.
  void take_weight(TensorId id);
  void swap_in(TensorId id);
  /// Swaps all out but `keep`, before `step`.
  void flush_except(const std::vector<TensorId>& keep, std::size_t step);

  /// A tensor that is swapped out, without swapping it in.
  void read(TensorId id, std::span<float> to) const { file_.read(plan_.offsets[id], to); }
  [[nodiscard]] std::span<float> place(TensorId id) const { return elements_[id].floats(); }
  [[nodiscard]] bool is_in(TensorId id) const { return !elements_[id].empty(); }
  [[nodiscard]] std::uint64_t file_bytes() const { return plan_.bytes; }

 private:
  void swap_out(TensorId id, std::size_t step);

  const RunRequest& request_;
  const TensorTable& table_;
  bool trims_;
  MemoryPlan plan_;
  SwapFile file_;
  std::vector<FloatBlock> elements_;
  std::vector<bool> was_written_;
};

}  // namespace tidemark::loaders::nntrainer
