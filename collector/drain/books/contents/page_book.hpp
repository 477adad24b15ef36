/// Pages of anonymous mappings that hold no memory, though they are mapped: given back by madvise,
/// or of a mapping that asked for address space only (MAP_NORESERVE) and not touched so far.
///
/// And pages of private mappings of files that were written: they are the host's own, and count as
/// anonymous memory from the look that finds them. What can have been written behind the last look
/// is a loss, unless that look has found nothing new.
///
/// And pages of large mappings that were never touched (EventSink::await_look): such a one comes
/// into its lane with what a look finds in memory, or before it with what records name of it.
///
/// And pages of memory that was mapped without a record (Mapping::is_bare): what gives them back is
/// not recorded either, so looks find that, too.
///
/// Absent pages leave their lane at the call that gives them back, exactly. They come again with
/// the first large read or copy into them, exactly, or where a look at the process finds them
/// touched.
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

  /// What is left of MADV_FREE stays in memory until the kernel needs it.
  enum class How : std::uint8_t { kAtOnce, kLazily };
  /// @param advice madvise's. Empty where it takes no pages away; of MADV_REMOVE too, which is of
  /// shared memory only: that is looked at.
  static std::optional<How> how_given_back(std::uint32_t advice);
  /// After madvise, of a page-aligned range.
  void give_back(const Source& source, const PageRange& range, How how);
  /// `bytes` from `address` on were written.
  void touch(const Source& source, std::uint64_t address, std::uint64_t bytes);
  /// Looks at what is touched now. Where that may not be seen, all of it counts from then on.
  void look(Host& host);
  /// Looks at mappings that still wait for their first look, and at private ones of files that are
  /// being written to, and at nothing else: so rarely is there one, and so little is in it, that
  /// every process can be looked at often.
  void look_at_new(Host& host);
  /// A private mapping of a file that may be written to has come: a look has to find out whether it
  /// is.
  void expect_writes(Host& host, const Mapping& mapping) const;
  /// Before what is mapped in `range` counts no more.
  void note_going(const Host& host, const PageRange& range);
  /// The same of a mapping, or a part of one, that is held aside with its pages.
  void note_going(const Host& host, const Mapping& part, const PageStates& pages);
  /// The host has ended, or the recording has.
  void end(Host& host);
  /// See Loss::written_unseen_bytes.
  [[nodiscard]] std::uint64_t written_unseen_bytes() const {
    return written_unseen_bytes_ < kWorthSaying ? 0 : written_unseen_bytes_;
  }

 private:
  /// Of a mapping that may be written to, and of what may have been: less cannot be a model's.
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
  std::uint64_t written_unseen_bytes_ = 0;  ///< At any one time.
};

}  // namespace tidemark
