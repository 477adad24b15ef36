/// What large heap blocks and anonymous mappings hold: some of their bytes, read from outside where
/// their pages are in memory anyway.
///
/// A program that converts its weights, or moves them by loops of its own, shows nothing of it in
/// its calls. But the values it has then are those of a file, and they can be compared. What was
/// seen stays with the recorder until the end; a trace gets only what was recognised.
#pragma once

#include "collector/drain/books/contents/join_book.hpp"
#include "collector/drain/books/contents/probe_book.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "collector/drain/hosts/source.hpp"
#include "collector/process/page_map.hpp"
#include "collector/weights/order_search.hpp"
#include "collector/weights/value_index.hpp"
#include "preload/wire/kinds.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tidemark {

/// Also of device memory that a driver keeps in the host's. Belongs to the collector's one thread.
class ValueBook {
 public:
  /// Blocks whose values are kept, those that are gone among them. Once half of them are, smaller
  /// ones than kLarge are passed over. Some 400 bytes each.
  static constexpr std::size_t kMaxBlocks = 65'536;
  static constexpr std::uint64_t kLarge = std::uint64_t{1} << 20U;
  /// Of an anonymous mapping of so much, as collectors have arrays in, both ends are left out: an
  /// array begins behind headers of some KiB.
  static constexpr std::uint64_t kLargeMapping = 4 * kLarge;
  static constexpr std::uint64_t kMappingEnds = std::uint64_t{64} << 10U;

  /// `sink` stays borrowed.
  explicit ValueBook(EventSink& sink) : sink_(sink), probes_(sink) {}

  /// Looks into the host's blocks if it is time: into each soon after it came, and down to three
  /// times a second while it stays the same. A two-hundredth of the host's time so far is for that;
  /// half of it is saved up as long as no weights are expected, and a third while they are read.
  /// @param now_ns the time of this very moment; what was recorded since the sink's is not known.
  void look(Host& host, std::uint64_t now_ns);
  /// Whether `look` would.
  [[nodiscard]] bool is_due(const Host& host) const;
  /// The same of what is anywhere in the host's large mappings: see ProbeBook.
  [[nodiscard]] bool are_parts_due(const Host& host) const { return probes_.is_due(host); }
  void look_at_parts(Host& host) { probes_.look(host); }
  /// The host uses a file that may have tensors: a fast loader converts or moves them within some
  /// milliseconds, so its blocks are looked into more often, the most shortly after the last use.
  void expect_weights(Host& host) const;
  /// What the host saw itself in a block that it is about to free: what a loop has filled shortly
  /// before is seen by no look from outside.
  void see(const Source& source, const wire::LastValues& said, const Behind& behind);
  /// The host has ended, or the recording has.
  void end(Host& host);
  /// Puts the blocks that hold tensors into the trace, and those of their sizes that do not.
  void tell(weights::ValueIndex& index);
  /// The same of those that hold values of `files` in another order, and of parts of mappings.
  /// After `tell`.
  void tell_packed(std::span<const weights::PlainFile> files);
  /// The same of those that hold what others do. After both.
  void tell_alike();
  /// Puts the blocks into the trace that larger ones hold, whatever file they are from.
  void tell_joined();
  /// Whether there may be blocks for `tell_packed`.
  [[nodiscard]] bool has_seen_large() const;
  /// Of what was looked into nothing was left out for want of room, and no tensor of a file.
  [[nodiscard]] bool is_complete() const { return !has_refused_; }

 private:
  /// The same values, as long as they were seen.
  struct Period {
    weights::BlockSample sample;
    std::uint64_t from_ns = 0;  ///< The last look that saw something else; 0: none did.
    std::uint64_t last_ns = 0;  ///< The last look that saw these.
    bool has_ended = false;     ///< A later look saw something else.
  };
  /// Of one block, in order of time.
  struct History {
    static constexpr std::size_t kMaxPeriods = 4;
    trace::ProcessId process{0};
    std::uint64_t address = 0;
    std::vector<Period> periods;
    std::uint64_t other_ns = 0;  ///< The last look that saw nothing after there had been values.
  };
  /// A block in which nothing was seen so far.
  struct Empty {
    std::uint64_t size = 0;
    std::uint64_t last_ns = 0;
  };

  void believe_seen(Host& host);
  void believe(const HostValues::Seen& seen, Host& host);
  void believe_seen_of(trace::AllocationNumber allocation, Host& host);
  void keep(const HostValues::Seen& seen, Host& host);
  void keep_empty(const weights::BlockSample& sample);
  /// By size, the largest first: those of kLarge and more without a match.
  [[nodiscard]] std::vector<const History*> unmatched_blocks() const;
  void tell_packed_blocks(std::span<const History* const> histories,
                          std::span<const weights::PlainFile> files,
                          const weights::OrderSearch& search);
  void tell_mismatches(std::span<const trace::ValueMatch> matches);
  [[nodiscard]] std::uint64_t loading_age_ns(const HostValues& values) const;
  /// A block whose turn it is.
  struct Due {
    std::uint64_t address = 0;
    LargeBlocks::Block* block = nullptr;
    bool is_mapped = false;
    std::uint64_t longest_ns = 0;  ///< Of its pauses.
  };
  static void list_mapped(Host& host);
  std::vector<Due> due_blocks(Host& host) const;
  void look_into_all(Host& host, std::uint64_t end_ns);
  void look_into(Host& host, const PageMap& map, std::span<const Due> blocks);

  /// What it held then; null where that was not kept.
  [[nodiscard]] const Period* period_at(trace::AllocationNumber allocation,
                                        std::uint64_t at_ns) const;

  EventSink& sink_;
  ProbeBook probes_;
  JoinBook joins_;
  std::unordered_map<trace::AllocationNumber, History> histories_;
  std::unordered_map<trace::AllocationNumber, Empty> empties_;
  std::unordered_set<trace::AllocationNumber> matching_;  ///< Those that were told of.
  bool has_refused_ = false;
};

}  // namespace tidemark
