/// Contents: which blocks the bytes of reads, copies and fills went into, and where they came from.
#pragma once

#include "collector/drain/books/event_sink.hpp"
#include "collector/drain/books/page_book.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>

namespace tidemark {

/// A large heap block, a mapping that counts, or kNoAllocation.
trace::AllocationNumber allocation_at(const Host& host, std::uint64_t address);

/// Nothing is said of bytes that stay among unknown places.
class ContentBook {
 public:
  /// Both stay borrowed.
  ContentBook(EventSink& sink, PageBook& pages) : sink_(sink), pages_(pages) {}

  void see(Source& source, const wire::Copy& copy, const Behind& behind);
  void see(Source& source, const wire::Fill& fill, const Behind& behind);

 private:
  EventSink& sink_;
  PageBook& pages_;
};

}  // namespace tidemark
