/// Contents: which blocks the bytes of reads, copies and fills went into, and where they came from.
#pragma once

#include "collector/drain/books/contents/origin_book.hpp"
#include "collector/drain/books/contents/page_book.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>

namespace tidemark {

/// Bytes that move only between unknown places leave no event. If a range covers several blocks,
/// each gets an event for its part: an array may lie across two adjacent mappings.
class ContentBook {
 public:
  /// All stay borrowed.
  ContentBook(EventSink& sink, PageBook& pages, OriginBook& origins)
      : sink_(sink), pages_(pages), origins_(origins) {}

  void see(Source& source, const wire::Copy& copy, const Behind& behind);
  void see(Source& source, const wire::Fill& fill, const Behind& behind);

 private:
  struct Blocks {
    trace::AllocationNumber to = trace::kNoAllocation;
    trace::AllocationNumber from = trace::kNoAllocation;
  };
  void tell(Source& source,
            trace::EventKind kind,
            std::uint64_t bytes,
            const Blocks& blocks,
            std::uint32_t stack);

  EventSink& sink_;
  PageBook& pages_;
  OriginBook& origins_;
};

}  // namespace tidemark
