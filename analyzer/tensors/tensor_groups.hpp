/// Tensors grouped by name, by layer or by element type: the rows of a table.
#pragma once

#include "analyzer/tensors/held_tensors.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

enum class TensorGrouping : std::uint8_t { kNone, kTensor, kLayer, kType };

/// `tensor`, `layer`, `dtype`; empty for kNone.
std::string_view grouping_word(TensorGrouping grouping);

/// The sums of the tensors of one row.
struct TensorRow {
  std::string name;              ///< Name of the tensor, the layer or the type.
  std::string type;              ///< Element type in the file; empty if there are several.
  std::uint64_t tensors = 0;     ///< Tensors in memory.
  std::uint64_t file_bytes = 0;  ///< Their bytes in files.
  std::uint64_t file_begin = 0;  ///< Where the first of them begins in its file.
  std::uint64_t bytes = 0;       ///< This and the next: see HeldTensor.
  std::uint64_t mapped_bytes = 0;
  bool is_by_size = false;                 ///< True if it is for any of them: see HeldTensor.
  HeldTypes types{};                       ///< Types of all of them.
  trace::StackId stack = trace::kNoStack;  ///< Stack of the block with most of the largest one.
};

/// Most bytes in memory first, then by the order of the files.
std::vector<TensorRow> tensor_rows(const HeldTensors& held,
                                   const trace::Definitions& definitions,
                                   TensorGrouping grouping);

/// The layer in a tensor's name: everything up to the first number (`model.layers.3` of
/// `model.layers.3.mlp.weight`), else all but the last word (`encoder.embed` of
/// `encoder.embed.weight`), else the name. Words are separated by `.` or `/`.
std::string layer_of(std::string_view name);

}  // namespace tidemark::analyzer
