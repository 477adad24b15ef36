/// Keeps track of pages whose memory no allocation call tells:
///
/// Pages of anonymous mappings that are mapped but hold no memory: given back by madvise, or not
/// touched so far in a mapping that asked for address space only (MAP_NORESERVE).
///
/// Written pages of private file mappings: they are the host's own, and count as anonymous memory
/// from the look that finds them. What may have been written after the last look is a loss, unless
/// that look found nothing new.
///
/// Untouched pages of large mappings (EventSink::await_look): such a mapping enters its lane with
/// what a look finds in memory, or earlier with what records name of it.
///
/// Pages of memory that was mapped without a record (Mapping::is_bare): giving them back is not
/// recorded either, so looks find that, too.
///
/// Absent pages leave their lane exactly at the call that gives them back. They come back exactly
/// at the first large read or copy into them, or else when a look finds them touched.
#pragma once

#include "collector/drain/hosts/event_sink.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/process/page_map.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace tidemark {

class PageBook {
 public:
  /// Both stay borrowed.
  PageBook(EventSink& sink, const HostList& hosts) : sink_(sink), hosts_(hosts) {}

  /// kLazily (MADV_FREE): the pages stay in memory until the kernel needs it.
  enum class How : std::uint8_t { kAtOnce, kLazily };
  /// @param advice madvise's. None if it takes no pages away; also for MADV_REMOVE, which is only
  /// for shared memory: looks find that.
  static std::optional<How> how_given_back(std::uint32_t advice);
  /// After madvise, of a page-aligned range.
  void give_back(const Source& source, const PageRange& range, How how);
  /// `bytes` from `address` on were written.
  void touch(const Source& source, std::uint64_t address, std::uint64_t bytes);
  /// Looks at which pages are touched now. If it may not see that, all pages count from then on.
  void look(Host& host);
  /// Looks only at mappings that still wait for their first look, and at private file mappings that
  /// are being written to. These are so few and so small that every process can be looked at often.
  void look_at_new(Host& host);
  /// A writable private file mapping has come: a look must find out whether it is written to.
  void expect_writes(Host& host, const Mapping& mapping) const;
  /// Call before the mappings in `range` stop counting.
  void note_going(const Host& host, const PageRange& range);
  /// The same for a mapping, or a part of one, that is held aside with its pages.
  void note_going(const Host& host, const Mapping& part, const PageStates& pages);
  /// The host has ended, or the recording has.
  void end(Host& host);
  /// See Loss::written_unseen_bytes.
  [[nodiscard]] std::uint64_t written_unseen_bytes() const {
    return written_unseen_bytes_ < kWorthSaying ? 0 : written_unseen_bytes_;
  }

 private:
  /// Least size of a writable mapping, and of what may have been written: less cannot be a model's.
  static constexpr std::uint64_t kWorthSaying = std::uint64_t{1} << 20U;

  void note_unseen(std::uint64_t aside_bytes = 0);
  void bring_back(Host& host, trace::ThreadId thread, const PageRange& range);
  void look_at_full(Host& host, trace::ThreadId thread, const PageMap& map);
  void look_at_unseen(Host& host, const PageMap& map);
  void look_at_gone(Host& host, trace::ThreadId thread, const PageMap& map);
  void look_at_written(Host& host, const PageMap& map, std::span<const Mapping> files);
  void look_at_freed(Host& host, trace::ThreadId thread, const PageMap& map);
  void look_at_bare(Host& host, trace::ThreadId thread, const PageMap& map);

  EventSink& sink_;
  const HostList& hosts_;
  std::uint64_t written_unseen_bytes_ = 0;  ///< The most at any one time.
};

}  // namespace tidemark
