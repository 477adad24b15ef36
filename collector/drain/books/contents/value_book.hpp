/// What large heap blocks and anonymous mappings hold, by some of their bytes, read from outside
/// where their pages are in memory anyway.
///
/// When a program converts its weights, or moves them by loops of its own, no call shows it. But
/// its values are then those of a file, and can be compared with it. The bytes seen stay with the
/// recorder until the end; a trace gets only what was recognised.
#pragma once

#include "collector/drain/books/contents/join_book.hpp"
#include "collector/drain/books/contents/probe_book.hpp"
#include "collector/drain/books/contents/seen_values.hpp"
#include "collector/drain/books/contents/value_matches.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "collector/drain/hosts/source.hpp"
#include "collector/process/page_map.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark {

/// Includes device memory that a driver keeps in the host's. Used only by the collector's single
/// thread.
class ValueBook {
 public:
  static constexpr std::uint64_t kLarge = SeenValues::kLarge;
  /// In anonymous mappings of this size, such as garbage-collected heaps, both ends are left out,
  /// as arrays begin after headers of some KiB.
  static constexpr std::uint64_t kLargeMapping = 4 * kLarge;
  static constexpr std::uint64_t kMappingEnds = std::uint64_t{64} << 10U;
  /// Smaller ones down to this size, such as the arenas of small objects, are looked into rarely,
  /// and only those that came since a file of weights was used: a program may have thousands.
  static constexpr std::uint64_t kArena = kLarge;

  /// `sink` stays borrowed.
  explicit ValueBook(EventSink& sink) : sink_(sink), probes_(sink) {}

  /// Looks into the host's blocks if it is time: into each soon after it came, and down to three
  /// times a second while it stays the same. A two-hundredth of the host's time so far is for that;
  /// half of it is saved up as long as no weights are expected, and a third while they are read.
  /// @param now_ns the current time; what was recorded after the sink's time is not known yet.
  void look(Host& host, std::uint64_t now_ns);
  /// Whether `look` would look now.
  [[nodiscard]] bool is_due(const Host& host) const;
  /// The same for places anywhere in the host's large mappings: see ProbeBook.
  [[nodiscard]] bool are_parts_due(const Host& host) const { return probes_.is_due(host); }
  void look_at_parts(Host& host) { probes_.look(host); }
  /// The host uses a file that may have tensors. A fast loader converts or moves them within some
  /// milliseconds, so its blocks are looked into more often, most often right after the last use.
  void expect_weights(Host& host) const;
  /// Takes the values that the host itself has seen in a block that it is about to free: looks from
  /// outside miss blocks that were filled shortly before.
  void see(const Source& source, const wire::LastValues& said, const Behind& behind);
  /// The host has ended, or the recording has.
  void end(Host& host);
  /// Puts what was recognised in blocks into the trace. Call once, when all hosts have ended.
  void tell(const UsedWeights& used);
  /// Whether there may be blocks for `UsedWeights::plain`.
  [[nodiscard]] bool has_seen_large() const { return seen_.has_large(); }
  /// True if neither a block looked into nor a tensor of a file was left out for lack of room.
  [[nodiscard]] bool is_complete() const { return has_told_all_ && !seen_.has_refused(); }

 private:
  void believe_seen(Host& host);
  void believe(const HostValues::Seen& seen, Host& host);
  void believe_seen_of(trace::AllocationNumber allocation, Host& host);
  void keep(const HostValues::Seen& seen, Host& host);
  [[nodiscard]] std::uint64_t loading_age_ns(const HostValues& values) const;
  /// A block that is due for a look.
  struct Due {
    std::uint64_t address = 0;
    LargeBlocks::Block* block = nullptr;
    bool is_mapped = false;
    std::uint64_t longest_ns = 0;  ///< Its longest pause between looks.
  };
  static void list_mapped(Host& host);
  std::vector<Due> due_blocks(Host& host) const;
  void look_into_all(Host& host, std::uint64_t end_ns);
  void look_into(Host& host, const PageMap& map, std::span<const Due> blocks);

  EventSink& sink_;
  ProbeBook probes_;
  JoinBook joins_;
  SeenValues seen_;
  bool has_told_all_ = true;
};

}  // namespace tidemark
