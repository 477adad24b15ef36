/// The heap lane: blocks that come, go and move.
#pragma once

#include "collector/drain/books/event_sink.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>
#include <optional>

namespace tidemark {

class HeapBook {
 public:
  /// `sink` stays borrowed.
  explicit HeapBook(EventSink& sink) : sink_(sink) {}

  void see(Source& source, const wire::Allocate& allocation, const Behind& behind);
  void see(Source& source, const wire::Free& release, const Behind& behind);
  void see(Source& source, const wire::ReallocBegin& begin, const Behind& behind);
  void see(Source& source, const wire::ReallocEnd& end, const Behind& behind);
  void see(Source& source, const wire::ReallocFailed& failure, const Behind& behind);
  void see(Source& source, const wire::AllocationFailed& failure, const Behind& behind);

  /// An allocation made now, and its free with no record of any ring in between. Cheaper than both
  /// one by one. @return false when they must come so.
  bool see_fleeting(Source& source, const wire::Allocate& allocation, std::uint64_t freed_ns);

  /// Frees of what was never seen, and blocks whose free was never seen.
  [[nodiscard]] std::uint64_t unmatched_releases() const { return unmatched_releases_; }

 private:
  void place(const Source& source, std::uint64_t address, const LiveBlock& block);
  static std::optional<LiveBlock> take(Source& source, std::uint64_t address);
  static void expect(const Source& source, const Behind& behind);

  EventSink& sink_;
  std::uint64_t unmatched_releases_ = 0;
};

}  // namespace tidemark
