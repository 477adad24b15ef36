/// The lanes of mappings: which bytes of address space are counted in which lane.
#pragma once

#include "collector/drain/books/contents/origin_book.hpp"
#include "collector/drain/books/contents/page_book.hpp"
#include "collector/drain/books/file_book.hpp"
#include "collector/drain/books/shared_book.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>

namespace tidemark {

class MappingBook {
 public:
  /// All stay borrowed.
  MappingBook(
      EventSink& sink, FileBook& files, SharedBook& shared, PageBook& pages, OriginBook& origins)
      : sink_(sink), files_(files), shared_(shared), pages_(pages), origins_(origins) {}

  void see(Source& source, const wire::Map& map, const Behind& behind);
  void see(Source& source, const wire::MapFailed& failure, const Behind& behind);
  void see(Source& source, const wire::Unmap& unmap, const Behind& behind);
  void see(Source& source, const wire::Attach& attach, const Behind& behind);
  void see(Source& source, const wire::Detach& detach, const Behind& behind);
  void see(Source& source, const wire::UnmapFailed& failure, const Behind& behind);
  void see(Source& source, const wire::RemapBegin& begin, const Behind& behind);
  void see(Source& source, const wire::RemapEnd& end, const Behind& behind);
  void see(Source& source, const wire::RemapFailed& failure, const Behind& behind);
  void see(Source& source, const wire::Protect& protect, const Behind& behind);
  void see(Source& source, const wire::Advise& advice, const Behind& behind);
  void see(Source& source, const wire::Break& moved, const Behind& behind);

  /// Counts memory found by a look without a record (see find_bare_memory), by its pages.
  void open_bare(Host& host, const PageRange& range);
  /// A heap block was allocated: bare memory found there was unmapped without a record, or it was
  /// the block's own, seen by a look before the block's record.
  void end_bare_under(const Source& source, std::uint64_t address, std::uint64_t bytes);
  /// Releases what a look found unmapped without a record. @return bytes of it that were counted by
  /// a record.
  std::uint64_t release_missing(Host& host, const PageRange& range);

 private:
  void put(const Source& source, const Mapping& mapping);
  void open_range(const Source& source, const Mapping& mapping, std::uint32_t node);
  std::uint64_t move_stretch(const Source& source,
                             const Mapping& old,
                             std::uint64_t old_begin,
                             const PageRange& destination,
                             PageStates& pages);
  void leave_behind(const Source& source, const std::vector<Mapping>& moved, std::uint32_t node);
  void place_double(const Source& source, Mapping mapping, const wire::RemapEnd& end_of_call);
  void expect_writes(const Source& source, Mapping& mapping, std::uint32_t node);
  void release(const Source& source, const Mapping& mapping, PageStates& pages);
  std::vector<Mapping> take_away(const Source& source, std::uint64_t begin, std::uint64_t end);

  EventSink& sink_;
  FileBook& files_;
  SharedBook& shared_;
  PageBook& pages_;
  OriginBook& origins_;
};

}  // namespace tidemark
