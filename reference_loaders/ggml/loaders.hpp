#pragma once

#include "reference_loaders/ggml/execution_memory.hpp"
#include "reference_loaders/ggml/model_file.hpp"
#include "reference_loaders/ggml/weights.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace tidemark::loaders::ggml {

/// What is done with a model once it is loaded.
struct Work {
  std::int32_t n_tokens = 7;     ///< Length of the prompt, which is made up.
  std::int32_t n_generated = 0;  ///< Tokens after it, each a forward pass of its own.
  std::int32_t n_cursors = 1;    ///< Texts at once, where each has its own memory.
  bool compute = true;           ///< Otherwise graphs are laid out and written to, no more.
};

/// One text: where its keys and values are, and what its passes run in.
struct Cursor {
  std::optional<TensorSet> own_key_values;
  std::unique_ptr<ExecutionMemory> memory;
  std::uint64_t logits_checksum = 0;  ///< The last pass's; 0 if nothing was computed.

  [[nodiscard]] std::uint64_t bytes() const;
};

/// A model and all that was allocated to run it.
struct LoadedGpt2 {
  LoadedModelFile file;
  std::vector<Cursor> cursors;
  /// Allocated for the last cursor while its recording was still there. 0 without one.
  std::uint64_t recording_bytes = 0;
  double forward_seconds = 0;

  [[nodiscard]] std::uint64_t own_weight_bytes() const;  ///< Bytes of the tensors in the file.
  /// Bytes requested at the peak beside them: the head's copy, headers, words, KV and execution
  /// memory. A sum of planned sizes.
  [[nodiscard]] std::uint64_t work_bytes() const;
};

/// Before pull request 11: KV memory among the weights, an estimated pool.
/// @throws BadInput, UsageError, PoolTooSmall
LoadedGpt2 load_hardcoded(const std::filesystem::path& file, const Work& work);

/// Execution memory as a recording measured it; KV memory still among the weights.
/// @throws BadInput, UsageError, BufferTooSmall
LoadedGpt2 load_recorded(const std::filesystem::path& file, const Work& work);

/// The weights alone, and for each cursor its own execution and KV memory.
/// @throws BadInput, UsageError, BufferTooSmall
LoadedGpt2 load_per_cursor(const std::filesystem::path& file, const Work& work);

}  // namespace tidemark::loaders::ggml
