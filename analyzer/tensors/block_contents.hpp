/// What each block holds of the weights: by where in their files its bytes are, or by its values.
#pragma once

#include "analyzer/tensors/tensor_places.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Whether a match may have been there at `ns`, by the looks before and after that.
template <typename Match>
bool is_there_at(const Match& match, std::uint64_t ns) {
  return match.from_ns <= ns && ns <= match.until_ns;
}

/// Bytes of a tensor in a block.
struct TensorPart {
  trace::TensorId tensor{0};
  std::uint64_t bytes = 0;
  std::uint64_t at_ns = 0;    ///< When the first of them came, or they were seen.
  std::uint64_t in_file = 0;  ///< Their bytes in the file: the same unless converted.
  std::string_view type{};    ///< Element type, if converted; points into the definitions.
  bool is_transposed = false;
  std::uint64_t file_begin = 0;  ///< Offset in the file of the first of them.
  bool is_inferred = false;      ///< Not seen, but inferred from place and size: see infer_parts.
};

/// Consecutive bytes of a file that are also consecutive in a block.
struct FileStretch {
  trace::FileId file{0};
  std::uint64_t begin = 0;  ///< In the file.
  std::uint64_t bytes = 0;  ///< In the file.
};

class BlockContents {
 public:
  /// `definitions` stays borrowed.
  /// @param at_ns for contents known by values: what blocks hold then; none: what they held last.
  explicit BlockContents(const trace::Definitions& definitions,
                         std::optional<std::uint64_t> at_ns = std::nullopt);
  /// For a peak, the time in which blocks hold what they exist for.
  struct PeakSpan {
    std::uint64_t since_ns = 0;  ///< The footprint has been nearly as high since then.
    std::uint64_t at_ns = 0;
    std::uint64_t until_ns = 0;  ///< Blocks were there for what came up to then.
  };
  /// The last content of blocks between `since_ns` and `at_ns`, or, if that is not known, what came
  /// into them up to `until_ns`.
  BlockContents(const trace::Definitions& definitions, const PeakSpan& peak);
  // Its members point into each other.
  BlockContents(const BlockContents&) = delete;
  BlockContents& operator=(const BlockContents&) = delete;
  BlockContents(BlockContents&&) = default;
  BlockContents& operator=(BlockContents&&) = delete;
  ~BlockContents() = default;

  /// Adds parts of mappings and blocks that were seen to hold a file's own bytes, or converted
  /// ones, at `at_ns`, or at the end, except where origins already say so. Call once.
  void add_parts(std::optional<std::uint64_t> at_ns = std::nullopt);

  /// The bytes of a file that a block was seen to hold unchanged; null: none.
  [[nodiscard]] const trace::Origin* seen_of(trace::AllocationNumber allocation) const {
    const auto seen = seen_.find(allocation);
    return seen == seen_.end() ? nullptr : &seen->second;
  }
  /// The match of a file that fills a block, as another type or in another order; null: none.
  [[nodiscard]] const trace::PackedMatch* converted_in(trace::AllocationNumber allocation) const {
    const auto converted = converted_.find(allocation);
    return converted == converted_.end() ? nullptr : converted->second;
  }
  /// Whether anything is known of it, other than `converted_in`.
  [[nodiscard]] bool knows(trace::AllocationNumber allocation) const {
    return origins_.contains(allocation) || matches_.contains(allocation);
  }
  /// Whether `held_parts` may name tensors in it.
  [[nodiscard]] bool names_tensors(trace::AllocationNumber allocation) const {
    return knows(allocation) || converted_values(allocation) != nullptr ||
           converted_parts_.contains(allocation);
  }
  /// Whether what it holds was recognised by its values alone.
  [[nodiscard]] bool is_by_values(trace::AllocationNumber allocation) const {
    return seen_.contains(allocation) || parts_.contains(allocation) ||
           (matches_.contains(allocation) && !origins_.contains(allocation));
  }
  [[nodiscard]] bool is_inferred(trace::AllocationNumber allocation) const {
    const auto match = matches_.find(allocation);
    return match != matches_.end() && match->second.is_inferred;
  }
  /// Sets what a block holds, unless something is known of it.
  void infer(trace::AllocationNumber allocation, const TensorPart& part) {
    matches_.try_emplace(allocation, part);
  }
  /// Whether what is known by values fits into a block of `bytes`: a reallocated block may have had
  /// another size before.
  [[nodiscard]] bool fits(trace::AllocationNumber allocation, std::uint64_t bytes) const;
  /// Bytes of files in a block of `room` bytes, whatever they mean, and recognised ones. More than
  /// `room` if a part of the block has gone.
  [[nodiscard]] std::uint64_t bytes_in(trace::AllocationNumber allocation,
                                       std::uint64_t room) const;
  /// The tensors in the first `room` bytes of a block, in its order, with converted ones after the
  /// others; one that is there twice is listed twice. At most as many as a file can list, as a
  /// damaged trace may claim anything. For a block that is converted as a whole only if `room` is
  /// known.
  [[nodiscard]] std::vector<TensorPart> parts_of(trace::AllocationNumber allocation,
                                                 std::uint64_t room = UINT64_MAX) const;
  /// Where in their files the first `room` bytes of a block come from, in its order; empty: not
  /// known. Two parts that are equally far apart in block and file are joined, with the gap.
  [[nodiscard]] std::vector<FileStretch> stretches_of(trace::AllocationNumber allocation,
                                                      std::uint64_t room = UINT64_MAX) const;
  /// Like `parts_of`, for an allocation that has `bytes` now. Empty for a mapping that has lost a
  /// part: which part is not known, and no name is better than a wrong one.
  [[nodiscard]] std::vector<TensorPart> held_parts(trace::AllocationNumber allocation,
                                                   trace::Lane lane,
                                                   std::uint64_t bytes) const;

 private:
  void list_origins();
  [[nodiscard]] bool has_origin_in(const trace::PackedMatch& part) const;
  /// Lists blocks that were seen to hold a file's own bytes at `at_ns` and have no origins.
  void list_seen(const std::optional<PeakSpan>& then);
  void list_matches(const std::optional<PeakSpan>& then);
  [[nodiscard]] std::optional<TensorPart> part_of(const trace::ValueMatch& match) const;
  /// Values of another type, in the order of the file; null: none, or more is known of the block.
  [[nodiscard]] const trace::PackedMatch* converted_values(
      trace::AllocationNumber allocation) const;
  /// Adds the tensors in `bytes` of a block that has converted values from there on.
  void add_converted(const trace::PackedMatch& converted,
                     std::uint64_t bytes,
                     std::vector<TensorPart>& parts) const;
  void add_converted_in(trace::AllocationNumber allocation,
                        std::uint64_t room,
                        std::vector<TensorPart>& parts) const;
  /// `parts_of` without what is converted.
  [[nodiscard]] std::vector<TensorPart> plain_parts_of(trace::AllocationNumber allocation,
                                                       std::uint64_t room) const;

  const trace::Definitions& definitions_;
  TensorPlaces places_;
  /// By allocation, in the order of the block.
  std::unordered_map<trace::AllocationNumber, std::vector<const trace::Origin*>> origins_;
  /// By allocation: those of `origins_` that are known only by the block's values.
  std::unordered_map<trace::AllocationNumber, trace::Origin> seen_;
  std::unordered_map<trace::AllocationNumber, std::vector<trace::Origin>> parts_;  ///< The same.
  std::unordered_map<trace::AllocationNumber, const trace::PackedMatch*> converted_;
  /// By allocation: those of parts.
  std::unordered_map<trace::AllocationNumber, std::vector<const trace::PackedMatch*>>
      converted_parts_;
  /// By allocation, for blocks without origins.
  std::unordered_map<trace::AllocationNumber, TensorPart> matches_;
};

/// `model/wte`, `part of model/wte`, `24 tensors, const_0 to const_23`: each once, in the order of
/// the parts. Empty for no parts.
std::string content_text(const trace::Definitions& definitions,
                         const std::vector<TensorPart>& parts);
/// `from byte 123,456 (120.6 KiB)`, of a file.
std::string file_place_text(std::uint64_t begin);
/// `model/wte, f16: 98.2 MiB`, `... 42.0 MiB of 98.2 MiB`.
std::string part_text(const trace::Definitions& definitions, const TensorPart& part);

/// An element type in a file: `f32`, `big-endian f32`.
std::string file_type_text(std::string_view type);
/// The form of an element in a block: `f64`, or `f64, one in 16 bytes each` in nodes of that size.
std::string element_form_text(const std::string& type, std::uint64_t node_bytes);

}  // namespace tidemark::analyzer
