/// Where the books put their events: adds time and trace stack, and keeps lane totals and peaks.
#pragma once

#include "collector/drain/hosts/source.hpp"
#include "collector/drain/tables/mapping_table.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/trace/types/event.hpp"
#include "collector/trace/types/heap_event.hpp"
#include "collector/trace/writer.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace tidemark {

/// Access to records that hosts have written but the books have not been given yet.
class RingsAhead {
 public:
  virtual ~RingsAhead() = default;
  [[nodiscard]] virtual std::uint64_t now_ns() const = 0;  ///< The current time.
  /// A record was dropped because its ring was full.
  [[nodiscard]] virtual bool has_dropped() const = 0;
  /// Pages that such records of `host` take away.
  [[nodiscard]] virtual PageRanges taken_pages(const Host& host) const = 0;

 protected:
  RingsAhead() = default;
  RingsAhead(const RingsAhead&) = default;
  RingsAhead(RingsAhead&&) = default;
  RingsAhead& operator=(const RingsAhead&) = default;
  RingsAhead& operator=(RingsAhead&&) = default;
};

class EventSink {
 public:
  /// `writer` stays borrowed.
  explicit EventSink(trace::TraceWriter& writer) : writer_(writer), totals_(writer.totals()) {}

  /// `ahead` stays borrowed. Without it, no unread records are assumed.
  void set_ahead(const RingsAhead* ahead) { ahead_ = ahead; }

  /// A record of some host has been dropped.
  [[nodiscard]] bool has_dropped() const { return ahead_ != nullptr && ahead_->has_dropped(); }

  [[nodiscard]] trace::TraceWriter& writer() { return writer_; }

  /// Time of the current record.
  [[nodiscard]] std::uint64_t now_ns() const { return now_ns_; }
  void set_now(std::uint64_t ns) { now_ns_ = ns; }
  /// The actual time, later than `now_ns`, as records are read a while after they were made.
  [[nodiscard]] std::uint64_t this_moment_ns() const {
    return ahead_ != nullptr ? ahead_->now_ns() : now_ns_;
  }
  /// `set_now`, but never back.
  void move_on_to(std::uint64_t ns) { now_ns_ = std::max(now_ns_, ns); }

  void emit(const Source& source, trace::Event& event);
  void emit_simple(const Source& source,
                   trace::EventKind kind,
                   std::uint64_t size,
                   std::uint64_t extra,
                   std::uint32_t node = wire::kNoNode);
  void emit_failure(const Source& source, trace::Lane lane, std::uint64_t size, std::uint32_t node);
  /// @return the allocation's number.
  trace::AllocationNumber emit_allocation(const Source& source,
                                          trace::Lane lane,
                                          std::uint64_t size,
                                          std::uint32_t node,
                                          std::uint64_t extra);
  /// Appends a complete allocation event. Updates the peaks of its host and of the session. @return
  /// its number.
  trace::AllocationNumber emit_growth(Host& host, const trace::Event& event);
  /// Appends a run of at least one allocation or release of the source's thread. Updates the peaks.
  /// The host must have no mapping set aside (`await_look`).
  /// @param change of `run`.
  void emit_heap(const Source& source,
                 std::span<const trace::HeapEvent> run,
                 const trace::HeapChange& change);
  void emit_release(const Source& source, const LiveBlock& block);
  /// @param bytes those of it that still counted.
  void emit_release(const Source& source, const Mapping& mapping, std::uint64_t bytes);
  /// Grows or shrinks an existing allocation by `change` bytes. Updates the peaks.
  void emit_resize(Host& host,
                   trace::ThreadId thread,
                   trace::Lane lane,
                   trace::AllocationNumber allocation,
                   std::int64_t change);

  /// The same for shared memory, which belongs to no host.
  void emit_shared_resize(trace::ThreadId thread,
                          trace::AllocationNumber allocation,
                          std::int64_t change);
  void emit_shared_release(trace::ThreadId thread,
                           trace::AllocationNumber allocation,
                           std::uint64_t bytes);

  /// Smaller mappings count in full at once.
  static constexpr std::uint64_t kWorthALook = std::uint64_t{4} << 20U;
  /// Sets a mapping aside, uncounted, until a look or a record settles it.
  /// @return false if the host cannot be looked into: then the caller must emit the mapping.
  bool await_look(const Source& source, const Mapping& mapping, std::uint32_t node);
  /// Counts a mapping that was set aside; the pages `absent` hold no memory.
  void settle(Host& host, const UnseenMapping& mapping, const PageRanges& absent);
  /// Counts at least `bytes` touched bytes of a mapping that stays set aside.
  void count_more(Host& host, UnseenMapping& mapping, std::uint64_t bytes);
  enum class As : std::uint8_t {
    kFull,
    kGone,  ///< At most what can have been touched in that time.
  };
  /// The program has touched `range`: mappings there that are set aside get a number, and count as
  /// many bytes as records have shown to be touched.
  void touch_in(Host& host, const PageRange& range) {
    if (!host.tables.unseen.empty()) [[unlikely]]
      count_named(host, range);
  }
  /// Settles all mappings set aside that overlap `range`.
  void settle_in(Host& host, const PageRange& range, As how) {
    if (!host.tables.unseen.empty()) [[unlikely]]
      settle_all_in(host, range, how);
  }

  /// Call before `bytes` are released, so that no peak passes while mappings that are part of it
  /// are set aside: unless the release is small beside them, their touched pages are counted now.
  void keep_peak(Host& host, std::uint64_t bytes) {
    if (!host.tables.unseen.empty()) [[unlikely]]
      settle_before_loss(host, bytes);
  }

  /// The same for bytes released in another process.
  void keep_peak_beside(Host& host, std::uint64_t bytes) {
    if (!host.tables.unseen.empty()) [[unlikely]]
      count_if_lost(host, bytes);
  }
  /// Counts the touched pages of all mappings set aside, unconditionally.
  void count_aside(Host& host) {
    if (!host.tables.unseen.empty()) [[unlikely]]
      count_touched(host);
  }

  /// Ends a call whose second record will not come (dropped, or left by longjmp). What it had set
  /// aside counts as released.
  void give_up(Source& source);

  [[nodiscard]] std::uint64_t peak_footprint() const { return peak_footprint_; }
  [[nodiscard]] std::uint64_t peak_at_ns() const { return peak_at_ns_; }

 private:
  void settle_all_in(Host& host, const PageRange& range, As how);
  void settle_before_loss(Host& host, std::uint64_t bytes);
  void count_if_lost(Host& host, std::uint64_t bytes);
  void count_touched(Host& host);
  void count_named(Host& host, const PageRange& range);
  void count_part(Host& host, UnseenMapping& mapping, std::uint64_t bytes);
  void append_resize(trace::ThreadId thread,
                     trace::Lane lane,
                     trace::AllocationNumber allocation,
                     std::int64_t change);
  void note_peak(std::uint64_t footprint, std::uint64_t at_ns);
  static void note_height(Host& host);

  const RingsAhead* ahead_ = nullptr;
  trace::TraceWriter& writer_;
  const trace::LaneTotals& totals_;  ///< The writer's, of the whole session.
  std::uint64_t now_ns_ = 0;
  std::uint64_t peak_footprint_ = 0;
  std::uint64_t peak_at_ns_ = 0;
};

}  // namespace tidemark
