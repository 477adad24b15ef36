/// The finders, one for each kind of finding, all from the same evidence. A finder claims only what
/// the events show, and ignores memory that makes no notable difference. The conditions and
/// thresholds of each are at the top of its .cpp.
#pragma once

#include "analyzer/findings/finding.hpp"
#include "analyzer/flow/chain.hpp"
#include "analyzer/flow/flow_index.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/load/load_facts.hpp"
#include "analyzer/query/live/load_without.hpp"
#include "analyzer/query/live/what_if.hpp"
#include "analyzer/tensors/held_tensors.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// A lower peak that would be possible.
struct LowerPeak {
  std::uint64_t bytes = 0;
  std::shared_ptr<const Savings> savings;
  std::optional<std::uint64_t> at_ns{};  ///< When it is reached; none if not asked for.

  void note(Finding& finding) const {
    finding.peak_without_bytes = bytes;
    finding.savings = savings;
    finding.left_at_ns = at_ns;
  }
};

/// If one of two could go, but it is unknown which one is needed: the peak reached in either case.
/// None if one of them lowers nothing.
std::optional<LowerPeak> higher_of(const std::optional<LowerPeak>& one,
                                   const std::optional<LowerPeak>& other);

struct Evidence {
  LoadedTrace& trace;
  const LoadFacts& load;
  const ModelFlow& totals;
  const FlowIndex& flow;
  const PlacedChain& placed;
  WhatIf& what_if;
  std::shared_ptr<Places> places;   ///< Shared by all finders, so each stack is named once.
  std::uint64_t peak = 0;           ///< Number of events before it.
  std::vector<bool> explained;      ///< By life: a finding already names it.
  std::vector<bool> is_named;       ///< By life: it is in `sized`.
  std::vector<bool> is_slack_told;  ///< By life: a finding already names its untouched part.
  std::vector<SizedBlock> sized{};  ///< Blocks at the peak that hold tensors, by sizes.
  /// What other findings take away: `load.peak` is the highest instant without that.
  Removal removed{};
  /// If another instant is as high as the peak: findings must lower the peak's instant, not the
  /// peak.
  bool is_in_turn = false;

  /// Whether all other findings have been made: what these explain is not looked at again.
  [[nodiscard]] bool is_second_look() const { return is_in_turn || !removed.empty(); }
  /// Marks these lives as named by a finding.
  void explain(const std::vector<std::uint32_t>& lives);
  /// The room of a block at the peak, including bytes that come later: growth after the peak
  /// counts, shrinking after it does not.
  [[nodiscard]] std::uint64_t room_at_peak(std::uint32_t life) const;
  /// Notes that this life holds that tensor, by its size; the first note for a life holds.
  void name(std::uint32_t life, trace::TensorId tensor);
  /// Whether a copy from one life to the other may be a garbage collector's move: both are mappings
  /// of one run-time system.
  [[nodiscard]] bool may_be_moved_by_collector(std::uint32_t from, std::uint32_t to) const;
  /// Since when the footprint has been within one percent of the peak; the peak's time if it rose
  /// at once. What blocks held since then, they held at the peak's height.
  [[nodiscard]] std::uint64_t high_since_ns() const;
  /// When reading of the model went beyond its headers: no block held its values before. 0 if no
  /// file is known for the model.
  [[nodiscard]] std::uint64_t values_since_ns() const;
  /// The smallest number of bytes that is worth a sentence.
  [[nodiscard]] std::uint64_t worth_saying() const;
  /// Whether a peak of `without` bytes is notably lower; if `is_in_turn`, whether the peak's
  /// instant is, with these `bytes` less.
  [[nodiscard]] bool is_lower(std::uint64_t without, std::uint64_t bytes) const;
  /// The peak after these savings and those of `removed`.
  [[nodiscard]] std::uint64_t peak_with_all_saved(
      const std::shared_ptr<const Savings>& savings) const;
  /// The peak after these savings, if it is lower.
  [[nodiscard]] std::optional<LowerPeak> lower_peak(const Savings& savings) const;
  /// Whether the peak of `without` bytes that these savings leave comes before the current peak.
  [[nodiscard]] bool is_left_earlier(const Savings& savings, std::uint64_t without) const;
  /// The peak without all that these stacks ever allocated, and after other savings, whether it is
  /// lower or not.
  [[nodiscard]] LowerPeak peak_without_stacks(
      const std::vector<trace::StackId>& stacks,
      const std::shared_ptr<const Savings>& savings = nullptr) const;
  /// The same without these lives, from when they came.
  [[nodiscard]] std::optional<LowerPeak> peak_without(
      const std::vector<std::uint32_t>& lives) const;
};

/// Evidence for the peak of `load`, with no finding made yet. All arguments stay borrowed.
Evidence evidence_of(LoadedTrace& trace,
                     const LoadFacts& load,
                     const ModelFlow& totals,
                     const FlowIndex& flow,
                     const PlacedChain& placed,
                     WhatIf& what_if);

/// `5.0 GiB in 1 block of read_whole_file (loader.cpp:40)`.
std::string blocks_text(std::uint64_t bytes, std::uint64_t blocks, const std::string& place);
/// `1.9 GiB`; `All` of the whole, `Nearly all` of what a size would not tell from it.
std::string part_text(std::uint64_t bytes, std::uint64_t whole);

/// `by the values that blocks hold`; where some of them are inferred: `by the values that 9 blocks
/// hold, and by the sizes and the place of 3 more`.
std::string by_values_text(std::uint64_t seen, std::uint64_t inferred);

/// The same of a number of blocks: `by their values`, `9 of them by their values and 3 by their
/// sizes and their place`.
std::string by_their_values_text(std::uint64_t seen, std::uint64_t inferred);

/// Adds a finding about blocks of the peak.
/// @param stack of the place with most of them.
void add_finding(const Evidence& evidence,
                 const LowerPeak& without,
                 trace::StackId stack,
                 Finding finding,
                 std::vector<Finding>& findings);

/// Blocks whose bytes were copied on, but which were still alive at the peak.
void find_copies(Evidence& evidence, std::vector<Finding>& findings);
/// Buffers that grew step by step, each on its own, by what came into it.
void find_growth(Evidence& evidence, std::vector<Finding>& findings);
/// A model that was read a second time while the blocks of the first reading were still there.
void find_read_again(Evidence& evidence, std::vector<Finding>& findings);
/// Tensors that are in memory more than once with the file's very bytes.
void find_duplicates(Evidence& evidence, std::vector<Finding>& findings);
/// Tensors that are in a wider type than in the file, or there more than once, by the values of
/// blocks. Those that are most of the model come first, the others after what sizes tell: values
/// are surer than sizes, but not all blocks of a short load are looked into.
void find_most_by_values(Evidence& evidence, std::vector<Finding>& findings);
void find_others_by_values(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that hold the weights in another order, beside the file as it is.
void find_packed(Evidence& evidence, std::vector<Finding>& findings);
/// The same for files that list no tensors: blocks that a loop filled with the file's own bytes, or
/// with these as a wider type of float.
void find_moved(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that hold the same values as others, or these as another type, from no readable file.
/// Needs no model.
void find_alike(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that a larger one holds, joined, whatever file they are from. Needs no model.
void find_joined_values(Evidence& evidence, std::vector<Finding>& findings);
/// Many small blocks that came as the file was read, beside large ones that hold it.
void find_pieces(Evidence& evidence, std::vector<Finding>& findings);
/// Many small blocks that came shortly before a large one of their total size. Needs no model.
void find_joined(Evidence& evidence, std::vector<Finding>& findings);
/// Whether the peak has both small blocks and a large one.
bool may_have_joined(LoadedTrace& trace, const LoadFacts& load);
/// Blocks a part of which was copied on, beside the copies.
void find_copied_parts(Evidence& evidence, std::vector<Finding>& findings);
/// Tensors in memory with more bytes than in the file, or twice, by the sizes of blocks.
void find_tensors(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that were copied nearly whole, whatever they hold, and are alive beside the copies. Needs
/// no model.
void find_plain_copies(Evidence& evidence, std::vector<Finding>& findings);
/// Whether so much was copied at all and, where no file is known for the model, as much read.
bool may_have_plain_copies(const LoadFacts& load);
/// Copies at the highest instant that is left without what other findings are about, if that is not
/// the peak's, then at the one that is left without these too, and so on: copies in turn, each of
/// which would make a peak, up to three after the peak.
void find_copies_behind(LoadedTrace& trace,
                        const LoadFacts& load,
                        const ModelFiles& files,
                        std::vector<Finding>& findings);
/// The same for copies without a finding because the next one in turn makes a peak as high:
/// reported if the peak is lower without those of all instants, up to four.
/// @param evidence at the peak, after all other findings.
void find_copies_in_turn(const Evidence& evidence,
                         const ModelFiles& files,
                         std::vector<Finding>& findings);
/// Buffers that grew step by step, all together, by the part of them that was never touched.
void find_growth_slack(Evidence& evidence, std::vector<Finding>& findings);
/// Pages of the model's private mappings that were written.
void find_written_pages(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks with a part that was never used.
void find_untouched(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that were unused until after the peak.
void find_early(Evidence& evidence, std::vector<Finding>& findings);
/// Short-lived blocks at the peak that no other finding names.
void find_short_lives(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that were freed right after the peak, while the weights stayed.
void find_soon_gone(Evidence& evidence, std::vector<Finding>& findings);
/// Objects or arrays that came from a file, and were freed once the model was made from them.
void find_parsed(Evidence& evidence, std::vector<Finding>& findings);
/// Many small blocks that take much more than the model, and stay.
void find_small_blocks(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that were written before the model was read into them.
void find_double_writes(const Evidence& evidence, std::vector<Finding>& findings);
/// Freed memory that stayed resident.
void find_kept_memory(const Evidence& evidence, std::vector<Finding>& findings);
/// Resident pages of the model's mappings.
void find_mapped_pages(const Evidence& evidence, std::vector<Finding>& findings);
/// The model in the private memory of several processes.
void find_processes(Evidence& evidence, std::vector<Finding>& findings);
/// Memory from before the load began.
void find_before_load(const Evidence& evidence, std::vector<Finding>& findings);
/// Memory of modules that Python imported since then.
void find_imported(const Evidence& evidence, std::vector<Finding>& findings);
/// Memory whose stacks tell little, since Python's own allocator hands it out. Needs no model.
void find_python_arenas(LoadedTrace& trace, const LoadFacts& load, std::vector<Finding>& findings);
/// Memory of which only whole regions are seen. Needs no model.
/// @param evidence nullptr if there is no model.
void find_regions(LoadedTrace& trace,
                  const LoadFacts& load,
                  const Evidence* evidence,
                  std::vector<Finding>& findings);
/// Refused requests before a bad end. Needs no model.
void find_refusals(const LoadFacts& load, std::vector<Finding>& findings);

}  // namespace tidemark::analyzer
