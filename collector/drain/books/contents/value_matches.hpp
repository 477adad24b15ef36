/// Recognises, once the recording has ended, what blocks were seen to hold: tensors of files, the
/// values of other blocks, or smaller blocks as a whole. Puts it into the trace.
#pragma once

#include "collector/drain/books/contents/probe_book.hpp"
#include "collector/drain/books/contents/seen_values.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "collector/weights/plain_file.hpp"
#include "collector/weights/searches/node_search.hpp"
#include "collector/weights/searches/order_search.hpp"
#include "collector/weights/value_index.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_set>

namespace tidemark {

/// What is known of the files that were used. `index` is filled in.
struct UsedWeights {
  weights::ValueIndex& index;
  std::span<const weights::PlainFile> plain;
  bool has_loaded = false;  ///< Enough of one was used for it to be a model.
};

/// Call the functions in their order here: each leaves out what those before have recognised.
class ValueMatches {
 public:
  /// Both stay borrowed.
  ValueMatches(const SeenValues& seen, EventSink& sink) : seen_(seen), sink_(sink) {}

  /// Tells of blocks that hold tensors, and of blocks of the same sizes that do not.
  void tell_tensors(weights::ValueIndex& index);
  /// Tells of blocks that hold values of `files` in another order, as another type or scaled, of
  /// blocks of the same sizes that do not, and of parts of mappings that do.
  void tell_packed(std::span<const weights::PlainFile> files, ProbeBook& probes);
  /// Tells of blocks with the same values.
  void tell_alike() const;
  /// Tells of blocks that larger ones hold, whatever file they are from.
  void tell_joined(std::span<const trace::Joined> joins) const;
  /// True if no tensor was left out for lack of room.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

 private:
  /// Blocks of these sizes in which nothing was recognised so far.
  void tell_mismatches(const std::unordered_set<std::uint64_t>& sizes) const;
  /// By block and time.
  using PackedMatches =
      std::map<std::tuple<trace::AllocationNumber, std::uint64_t>, trace::PackedMatch>;
  /// Tells of blocks that have the size of one in which values were found, and hold none.
  void tell_not_packed(const PackedMatches& found);
  void tell_packed_blocks(std::span<const SeenValues::History* const> histories,
                          std::span<const weights::PlainFile> files,
                          const weights::OrderSearch& search,
                          const weights::NodeSearch& node_search);

  const SeenValues& seen_;
  EventSink& sink_;
  std::unordered_set<trace::AllocationNumber> matching_;  ///< Blocks told of so far.
  std::unordered_set<std::uint64_t> sizes_;  ///< Those of which mismatches have been told.
  bool is_complete_ = true;
};

}  // namespace tidemark
