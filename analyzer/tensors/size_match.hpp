/// Which blocks hold which tensors, told by their sizes alone.
///
/// Where a program moves the bytes of its weights by loops of its own, no copy is seen. But a model
/// has many tensors of many sizes, and what holds them has sizes that follow from these: the same
/// bytes, so many an element, or room that was grown to a power of two. One block of a tensor's
/// size says nothing; that nearly every tensor has one is no accident.
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
  kElements,  ///< So many bytes for each element.
  kGrown,     ///< The same for the next power of two of elements: a vector that was appended to.
};

/// Tensors and the blocks that have their sizes, one each.
struct SizeMatch {
  SizeRule rule = SizeRule::kSame;
  std::uint64_t element_bytes = 0;  ///< 0: kSame.
  /// (tensor, block): indices into what was asked about, in the order of the tensors.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::uint64_t tensors = 0;       ///< How many were large enough to be looked for.
  std::uint64_t tensor_bytes = 0;  ///< Of those that have a block, in the file.
  std::uint64_t elements = 0;      ///< The same.
  bool is_in_order = false;        ///< Their blocks came in the order of the tensors.
};

/// The rule that most tensors agree on: nine tenths of those that are large enough and half of all
/// bytes at least, eight tensors and three sizes at least, or sixteen of two sizes with more bytes
/// an element or fewer than the file has, in the order of the file. Where only part of the model is
/// loaded so far, half of the bytes and sixteen tensors are enough if next to nothing else is among
/// the blocks.
/// @param tensors in the order of their file.
/// @param blocks their sizes, in the order of their allocation.
/// @param all_bytes of the blocks and all others that are there.
/// @param least_bytes smaller blocks are not among them, for whatever reason.
std::optional<SizeMatch> match_sizes(std::span<const WeightTensor> tensors,
                                     std::span<const std::uint64_t> blocks,
                                     std::uint64_t all_bytes,
                                     std::uint64_t least_bytes);

}  // namespace tidemark::analyzer
