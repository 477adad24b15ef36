/// Tensors by name, by layer or by the type of their elements: the rows of a table.
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

/// The tensors of one row, added up.
struct TensorRow {
  std::string name;              ///< Of the tensor, the layer or the type.
  std::string type;              ///< Of their elements; empty where they have several.
  std::uint64_t tensors = 0;     ///< That are there.
  std::uint64_t file_bytes = 0;  ///< Of these.
  std::uint64_t file_begin = 0;  ///< Where in its file the first of them begins.
  std::uint64_t bytes = 0;       ///< These two as HeldTensor has them.
  std::uint64_t mapped_bytes = 0;
  bool is_by_size = false;                 ///< Some are, as HeldTensor has it.
  trace::StackId stack = trace::kNoStack;  ///< Of the block that holds most of the largest one.
};

/// Most bytes in memory first, then by the order of the files.
std::vector<TensorRow> tensor_rows(const HeldTensors& held,
                                   const trace::Definitions& definitions,
                                   TensorGrouping grouping);

/// What a tensor's name says of its layer: all up to its first number (`model.layers.3` of
/// `model.layers.3.mlp.weight`), else all but its last word (`encoder.embed` of
/// `encoder.embed.weight`), else the name. Words are parted by `.` or `/`.
std::string layer_of(std::string_view name);

}  // namespace tidemark::analyzer
