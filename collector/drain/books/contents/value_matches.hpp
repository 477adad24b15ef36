/// Recognises what blocks were seen to hold, once the recording has ended: tensors of files, what
/// other blocks held, or all of smaller ones. Puts it into the trace.
#pragma once

#include "collector/drain/books/contents/probe_book.hpp"
#include "collector/drain/books/contents/seen_values.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "collector/weights/plain_file.hpp"
#include "collector/weights/searches/node_search.hpp"
#include "collector/weights/searches/order_search.hpp"
#include "collector/weights/value_index.hpp"

#include <span>
#include <unordered_set>

namespace tidemark {

/// What is known of the files that were used. `index` is filled in.
struct UsedWeights {
  weights::ValueIndex& index;
  std::span<const weights::PlainFile> plain;
  bool has_loaded = false;  ///< So much of one was used that it may be a model.
};

/// In the order of the functions: what one has recognised the next ones leave out.
class ValueMatches {
 public:
  /// Both stay borrowed.
  ValueMatches(const SeenValues& seen, EventSink& sink) : seen_(seen), sink_(sink) {}

  /// Blocks that hold tensors, and those of their sizes that do not.
  void tell_tensors(weights::ValueIndex& index);
  /// Blocks that hold values of `files` in another order, and parts of mappings that do.
  void tell_packed(std::span<const weights::PlainFile> files, ProbeBook& probes);
  /// Blocks that hold what others do.
  void tell_alike() const;
  /// Blocks that larger ones hold, whatever file they are from.
  void tell_joined(std::span<const trace::Joined> joins) const;
  /// Of the tensors none was left out for want of room.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

 private:
  void tell_mismatches(std::span<const trace::ValueMatch> matches) const;
  void tell_packed_blocks(std::span<const SeenValues::History* const> histories,
                          std::span<const weights::PlainFile> files,
                          const weights::OrderSearch& search,
                          const weights::NodeSearch& node_search);

  const SeenValues& seen_;
  EventSink& sink_;
  std::unordered_set<trace::AllocationNumber> matching_;  ///< Those that were told of.
  bool is_complete_ = true;
};

}  // namespace tidemark
