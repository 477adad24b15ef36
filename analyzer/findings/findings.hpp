/// The kinds of findings, each from the same evidence. A finder says only what the events show, and
/// nothing about memory that makes no difference worth a sentence.
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

/// A peak that could be lower, and what is saved for it.
struct LowerPeak {
  std::uint64_t bytes = 0;
  std::shared_ptr<const Savings> savings;
  std::optional<std::uint64_t> at_ns{};  ///< When that much is left; none where nobody asked.

  void note(Finding& finding) const {
    finding.peak_without_bytes = bytes;
    finding.savings = savings;
    finding.left_at_ns = at_ns;
  }
};

/// Where either of two may go, and which is needed is not known: the peak that is reached in any
/// case. None where one of both lowers nothing.
std::optional<LowerPeak> higher_of(const std::optional<LowerPeak>& one,
                                   const std::optional<LowerPeak>& other);

struct Evidence {
  LoadedTrace& trace;
  const LoadFacts& load;
  const ModelFlow& totals;
  const FlowIndex& flow;
  const PlacedChain& placed;
  WhatIf& what_if;
  std::shared_ptr<Places> places;   ///< Of all finders, so that each stack is named once.
  std::uint64_t peak = 0;           ///< How many events there were before it.
  std::vector<bool> explained;      ///< By life: a finding names it already.
  std::vector<bool> is_named;       ///< By life: it is in `sized`.
  std::vector<bool> is_slack_told;  ///< By life: a finding names what of it was never touched.
  std::vector<SizedBlock> sized{};  ///< Blocks at the peak that hold tensors, as sizes say.
  /// What other findings take away, where `load.peak` is the highest instant without that.
  Removal removed{};
  /// What counts: not what lowers the peak, but what lowers its instant, where another one is as
  /// high.
  bool is_in_turn = false;

  /// These lives are named.
  void explain(const std::vector<std::uint32_t>& lives);
  /// What a block at the peak has for its bytes, those that came after it too: what it grew by
  /// later counts, what it gave back later does not.
  [[nodiscard]] std::uint64_t room_at_peak(std::uint32_t life) const;
  /// This life holds that tensor, as sizes say; what was said of it first stands.
  void name(std::uint32_t life, trace::TensorId tensor);
  /// Whether what was copied from one life to the other may have been moved by a collector: both
  /// are mappings of one run-time system.
  [[nodiscard]] bool may_be_moved_by_collector(std::uint32_t from, std::uint32_t to) const;
  /// Since when the footprint has been as high as at the peak, to one percent; the peak itself
  /// where it rose at once. What blocks held then, they held at the peak's height.
  [[nodiscard]] std::uint64_t high_since_ns() const;
  /// Since when the model was read, beyond what its headers may be: no block held values of it
  /// before.
  [[nodiscard]] std::uint64_t values_since_ns() const;
  /// The smallest number of bytes that is worth a sentence.
  [[nodiscard]] std::uint64_t worth_saying() const;
  /// Whether a peak of `without` bytes is lower by as much as is worth a sentence; where that
  /// counts, whether only its instant is with these `bytes` less.
  [[nodiscard]] bool is_lower(std::uint64_t without, std::uint64_t bytes) const;
  /// The peak with these savings, if it is lower.
  [[nodiscard]] std::optional<LowerPeak> lower_peak(const Savings& savings) const;
  /// Whether the peak of `without` bytes that these savings leave comes before the one that there
  /// is.
  [[nodiscard]] bool is_left_earlier(const Savings& savings, std::uint64_t without) const;
  /// The peak with all gone that these stacks ever allocated, and other savings, whether it is
  /// lower or not.
  [[nodiscard]] LowerPeak peak_without_stacks(
      const std::vector<trace::StackId>& stacks,
      const std::shared_ptr<const Savings>& savings = nullptr) const;
  /// The same without these lives, from when they came.
  [[nodiscard]] std::optional<LowerPeak> peak_without(
      const std::vector<std::uint32_t>& lives) const;
};

/// At the peak of `load`, with nothing said yet. All stays borrowed.
Evidence evidence_of(LoadedTrace& trace,
                     const LoadFacts& load,
                     const ModelFlow& totals,
                     const FlowIndex& flow,
                     const PlacedChain& placed,
                     WhatIf& what_if);

/// `5.0 GiB in 1 block of read_whole_file (loader.cpp:40)`.
std::string blocks_text(std::uint64_t bytes, std::uint64_t blocks, const std::string& place);

/// Adds a finding about blocks of the peak.
/// @param stack of the place with most of them.
void add_finding(const Evidence& evidence,
                 const LowerPeak& without,
                 trace::StackId stack,
                 Finding finding,
                 std::vector<Finding>& findings);

/// Blocks whose bytes were copied on, and which were alive at the peak all the same.
void find_copies(Evidence& evidence, std::vector<Finding>& findings);
/// Buffers that grew step by step, each by itself, by what came into it.
void find_growth(Evidence& evidence, std::vector<Finding>& findings);
/// A model that was read a second time while what was read of it before still stood.
void find_read_again(Evidence& evidence, std::vector<Finding>& findings);
/// Tensors whose very bytes of the file are there more than once.
void find_duplicates(Evidence& evidence, std::vector<Finding>& findings);
/// What the values of blocks tell: tensors in a wider type than in the file, and such that are
/// there more than once. First those that are most of the model, and after what sizes tell the
/// others: values are surer than sizes, but not all blocks of a short load are looked into.
void find_most_by_values(Evidence& evidence, std::vector<Finding>& findings);
void find_others_by_values(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that hold the weights in another order, beside the file as it is.
void find_packed(Evidence& evidence, std::vector<Finding>& findings);
/// The same of files that list no tensors: blocks that a loop filled with the file's own bytes, or
/// with these as a wider type of float.
void find_moved(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that hold the same values as others, or these as another type, of no file that can be
/// looked into.
void find_alike(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that a larger one holds, joined, whatever file they are from. Needs no model.
void find_joined_values(Evidence& evidence, std::vector<Finding>& findings);
/// Many small blocks that came as the file was read, beside large ones that hold it.
void find_pieces(Evidence& evidence, std::vector<Finding>& findings);
/// Many small blocks that came shortly before a large one, which is as large as they are together.
/// Needs no model.
void find_joined(Evidence& evidence, std::vector<Finding>& findings);
/// Whether the peak has both, small blocks and a large one: a look at it tells.
bool may_have_joined(LoadedTrace& trace, const LoadFacts& load);
/// Blocks a part of which was copied on, beside the copies.
void find_copied_parts(Evidence& evidence, std::vector<Finding>& findings);
/// Tensors that are there with more bytes than in the file, or twice, by the sizes of blocks.
void find_tensors(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that were copied nearly whole, whatever they hold, and stand beside the copies.
void find_plain_copies(Evidence& evidence, std::vector<Finding>& findings);
/// Plain copies at the highest instant that is left without what other findings are about, where
/// that is another one than the peak: two copies in turn, each of which would make a peak.
void find_copies_behind(LoadedTrace& trace,
                        const LoadFacts& load,
                        const ModelFiles& files,
                        std::vector<Finding>& findings);
/// The same of copies of which no finding is, as the next one in turn makes a peak as high: said
/// where it is lower without those of both instants. Of three in turn, each as high, nothing is.
/// @param evidence at the peak, once all other findings are.
void find_copies_in_turn(const Evidence& evidence,
                         const ModelFiles& files,
                         std::vector<Finding>& findings);
/// Buffers that grew step by step, together, by what of them was never touched.
void find_growth_slack(Evidence& evidence, std::vector<Finding>& findings);
/// Pages of the model's private mappings that were written.
void find_written_pages(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks of which a part was asked for and never used.
void find_untouched(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that stood unused until after the peak.
void find_early(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks of short lives at the peak that no other finding names.
void find_short_lives(Evidence& evidence, std::vector<Finding>& findings);
/// Blocks that were freed right after the peak, while the weights stayed.
void find_soon_gone(Evidence& evidence, std::vector<Finding>& findings);
/// Objects or arrays that came from a file, and were gone when the model was made of them.
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
/// What stood before the load began.
void find_before_load(const Evidence& evidence, std::vector<Finding>& findings);
/// What came with modules that Python imported since then.
void find_imported(const Evidence& evidence, std::vector<Finding>& findings);
/// Memory whose stacks tell little, as Python's own allocator hands it out. Needs no model.
void find_python_arenas(LoadedTrace& trace, const LoadFacts& load, std::vector<Finding>& findings);
/// Memory of which only its regions are seen. Needs no model.
/// @param evidence nullptr where there is no model.
void find_regions(LoadedTrace& trace,
                  const LoadFacts& load,
                  const Evidence* evidence,
                  std::vector<Finding>& findings);
/// Refused requests before a bad end. Needs no model.
void find_refusals(const LoadFacts& load, std::vector<Finding>& findings);

}  // namespace tidemark::analyzer
