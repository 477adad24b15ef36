/// Which blocks hold which tensors, judged by their sizes alone.
///
/// When a program moves its weights by loops of its own, no copy is seen. But a model has many
/// tensors of many sizes, and the blocks that hold them have sizes that follow from these: the same
/// bytes, a number of bytes per element, or room grown to a power of two. A single block of a
/// tensor's size proves nothing; one for nearly every tensor is no accident.
#pragma once

#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// One tensor of the model.
struct WeightTensor {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;  ///< In its file.
  trace::TensorId id{0};
};

enum class SizeRule : std::uint8_t {
  kSame,      ///< The bytes that the file has.
  kElements,  ///< A number of bytes per element.
  kGrown,     ///< The same for the next power of two of elements: a vector appended to.
};

/// Tensors, each with a block of its size.
struct SizeMatch {
  SizeRule rule = SizeRule::kSame;
  std::uint64_t element_bytes = 0;  ///< 0: kSame.
  /// (tensor, block): indices into the arguments of match_sizes, in the order of the tensors.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::uint64_t tensors = 0;       ///< How many were large enough to search for.
  std::uint64_t tensor_bytes = 0;  ///< In the file, of tensors with a block.
  std::uint64_t elements = 0;      ///< The same.
  bool is_in_order = false;        ///< Their blocks came in the order of the tensors.
};

/// The rule that most tensors agree on. It must hold for at least nine tenths of the large enough
/// tensors with half of all bytes, and for eight tensors of three sizes; or for sixteen of two
/// sizes if they have other bytes per element than the file, in the order of the file. If only part
/// of the model is loaded so far, half of the bytes and sixteen tensors are enough, provided that
/// next to nothing else is among the blocks.
/// @param tensors in the order of their file.
/// @param blocks their sizes, in the order of their allocation.
/// @param all_bytes of these blocks and all others alive.
/// @param least_bytes `blocks` has no smaller ones, for whatever reason.
std::optional<SizeMatch> match_sizes(std::span<const WeightTensor> tensors,
                                     std::span<const std::uint64_t> blocks,
                                     std::uint64_t all_bytes,
                                     std::uint64_t least_bytes);

}  // namespace tidemark::analyzer
