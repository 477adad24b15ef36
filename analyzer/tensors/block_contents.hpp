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

/// Whether a match may have been there at that time, by the looks before and after it.
template <typename Match>
bool is_there_at(const Match& match, std::uint64_t ns) {
  return match.from_ns <= ns && ns <= match.until_ns;
}

/// Bytes of a tensor in a block.
struct TensorPart {
  trace::TensorId tensor{0};
  std::uint64_t bytes = 0;
  std::uint64_t at_ns = 0;    ///< When they began to come, or were seen.
  std::uint64_t in_file = 0;  ///< What they are in the file: the same, unless they are converted.
  std::string_view type{};    ///< Of an element, where they are; in the definitions.
  bool is_transposed = false;
  std::uint64_t file_begin = 0;  ///< Where in the file the first of them is.
  bool is_inferred = false;  ///< Not seen, but what its place and its size say: see infer_parts.
};

/// Bytes of a file that are in a block one behind the other.
struct FileStretch {
  trace::FileId file{0};
  std::uint64_t begin = 0;  ///< In the file.
  std::uint64_t bytes = 0;  ///< In the file.
};

class BlockContents {
 public:
  /// `definitions` stays borrowed.
  /// @param at_ns what blocks hold then, as far as it is known by values; none: what they held
  /// last.
  explicit BlockContents(const trace::Definitions& definitions,
                         std::optional<std::uint64_t> at_ns = std::nullopt);
  /// Of a peak, the time in which blocks hold what they stand there for.
  struct PeakSpan {
    std::uint64_t since_ns = 0;  ///< It has been nearly as high since then.
    std::uint64_t at_ns = 0;
    std::uint64_t until_ns = 0;  ///< What came until then, blocks were there for.
  };
  /// What blocks hold between `since_ns` and `at_ns`, the last of it, or, where that is not known,
  /// what came into them until `until_ns`.
  BlockContents(const trace::Definitions& definitions, const PeakSpan& peak);
  // What it knows points into itself.
  BlockContents(const BlockContents&) = delete;
  BlockContents& operator=(const BlockContents&) = delete;
  BlockContents(BlockContents&&) = default;
  BlockContents& operator=(BlockContents&&) = delete;
  ~BlockContents() = default;

  /// Takes in what parts of mappings and of blocks were seen to hold as the files have it, at
  /// `at_ns`, or at the end, where nothing came that says so already. Once.
  void add_parts(std::optional<std::uint64_t> at_ns = std::nullopt);

  /// The bytes of a file that a block was seen to hold as they are there; null: none were.
  [[nodiscard]] const trace::Origin* seen_of(trace::AllocationNumber allocation) const {
    const auto seen = seen_.find(allocation);
    return seen == seen_.end() ? nullptr : &seen->second;
  }
  /// Whether anything is known of it.
  [[nodiscard]] bool knows(trace::AllocationNumber allocation) const {
    return origins_.contains(allocation) || matches_.contains(allocation);
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
  /// Takes it that this is what a block holds of which nothing is known.
  void infer(trace::AllocationNumber allocation, const TensorPart& part) {
    matches_.try_emplace(allocation, part);
  }
  /// Whether what is known of it by its values can be so in a block of that size: one that was
  /// reallocated may have been another size before.
  [[nodiscard]] bool fits(trace::AllocationNumber allocation, std::uint64_t bytes) const;
  /// Bytes of files in a block of `room` bytes, of whatever meaning, and those that were
  /// recognised: more than `room` where a part of it has gone.
  [[nodiscard]] std::uint64_t bytes_in(trace::AllocationNumber allocation,
                                       std::uint64_t room) const;
  /// The tensors in the first `room` bytes of a block, in its order; one that is there twice comes
  /// twice. No more than a file can list: a damaged trace may claim anything.
  [[nodiscard]] std::vector<TensorPart> parts_of(trace::AllocationNumber allocation,
                                                 std::uint64_t room = UINT64_MAX) const;
  /// Where in their files lies what is in the first `room` bytes of a block, in its order; empty:
  /// not known. What is missing between two parts, and lies there in block and file, parts nothing.
  [[nodiscard]] std::vector<FileStretch> stretches_of(trace::AllocationNumber allocation,
                                                      std::uint64_t room = UINT64_MAX) const;
  /// The same as `parts_of` of an allocation that has so many bytes now. Of a mapping that lost a
  /// part it is not known which, and no name is better than a wrong one: it has none.
  [[nodiscard]] std::vector<TensorPart> held_parts(const trace::Event& allocation,
                                                   std::uint64_t bytes) const;

 private:
  void list_origins();
  [[nodiscard]] bool has_origin_in(const trace::PackedMatch& part) const;
  /// Blocks that were seen to hold a file's own bytes at `at_ns`, where no origin says of what.
  void list_seen(const std::optional<PeakSpan>& then);
  void list_matches(const std::optional<PeakSpan>& then);
  [[nodiscard]] std::optional<TensorPart> part_of(const trace::ValueMatch& match) const;

  const trace::Definitions& definitions_;
  TensorPlaces places_;
  /// By allocation, in the order of the block.
  std::unordered_map<trace::AllocationNumber, std::vector<const trace::Origin*>> origins_;
  /// By allocation: those of `origins_` that the block's bytes alone speak for.
  std::unordered_map<trace::AllocationNumber, trace::Origin> seen_;
  std::unordered_map<trace::AllocationNumber, std::vector<trace::Origin>> parts_;  ///< The same.
  /// By allocation. What is known by where it came from needs none of them.
  std::unordered_map<trace::AllocationNumber, TensorPart> matches_;
};

/// `model/wte`, `part of model/wte`, `24 tensors, const_0 to const_23`; empty for no parts.
std::string content_text(const trace::Definitions& definitions,
                         const std::vector<TensorPart>& parts);
/// `from byte 123,456 (120.6 KiB)`, of a file.
std::string file_place_text(std::uint64_t begin);
/// `model/wte, f16: 98.2 MiB`, `... 42.0 MiB of 98.2 MiB`.
std::string part_text(const trace::Definitions& definitions, const TensorPart& part);

}  // namespace tidemark::analyzer
