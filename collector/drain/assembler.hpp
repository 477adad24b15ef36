/// Turns records, in the order of their times, into the events of a trace.
#pragma once

#include "collector/drain/books/area_book.hpp"
#include "collector/drain/books/contents/contents.hpp"
#include "collector/drain/books/contents/file_data_book.hpp"
#include "collector/drain/books/contents/fork_book.hpp"
#include "collector/drain/books/contents/origin_book.hpp"
#include "collector/drain/books/contents/page_book.hpp"
#include "collector/drain/books/device_book.hpp"
#include "collector/drain/books/file_book.hpp"
#include "collector/drain/books/heap_book.hpp"
#include "collector/drain/books/look_book.hpp"
#include "collector/drain/books/mapping_book.hpp"
#include "collector/drain/books/process_book.hpp"
#include "collector/drain/books/shared_book.hpp"
#include "collector/drain/books/unseen_read_book.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "collector/session/ring_reader.hpp"
#include "collector/trace/writer.hpp"

#include <cstdint>
#include <span>

namespace tidemark {

/// Pairs each release with its allocation, so that readers need no addresses; keeps every host's
/// lanes and peaks. Hosts are not trusted: records that do not fit are counted
/// (`unmatched_releases`) and left out.
///
/// Each kind of record goes to the one book that has a `see` for it; a kind without one does not
/// compile.
class Assembler {
 public:
  /// All stay borrowed.
  /// @param family of the session's processes. Null: a host is the process of the number that it
  /// gives itself.
  Assembler(const wire::SessionMap& session,
            trace::TraceWriter& writer,
            Descendants* family = nullptr)
      : sink_(writer),
        shared_(sink_, hosts_),
        areas_(session, sink_, shared_),
        processes_(session,
                   sink_,
                   hosts_,
                   shared_,
                   origins_,
                   looks_,
                   values_,
                   areas_,
                   pages_,
                   forks_,
                   files_,
                   family),
        unseen_reads_(session, files_) {}

  /// See RingsAhead; it stays borrowed.
  void set_ahead(const RingsAhead* ahead) { sink_.set_ahead(ahead); }

  /// One record of ring `ring`, made at `at_ns`.
  /// @param payload its payload bytes; borrowed for the call.
  /// @param following the records of this ring that will be added next, as far as they are known.
  void add(std::uint32_t ring,
           const RawRecord& record,
           std::span<const std::byte> payload,
           std::uint64_t at_ns,
           std::span<const RawRecord> following = {});

  /// Adds the heap records at the front of `records`, which are of ring `ring`, at once: see
  /// HeapBook::see_run. Cheaper than calling `add` for each.
  /// @return how many it took.
  std::size_t add_heap_run(std::uint32_t ring,
                           std::span<const RawRecord> records,
                           const TickClock& clock,
                           std::uint64_t until);

  /// Looks at the pages of one host, and at what all hosts share: see PageBook and SharedBook.
  /// Every record from before `at_ns` must have been added.
  void look_at_pages(Host& host, std::uint64_t at_ns);
  void look_at_shared(std::uint64_t at_ns);
  /// The part of this that cannot wait for the rest: see PageBook::look_at_new.
  void look_at_new_mappings(Host& host, std::uint64_t at_ns);
  /// The same for the values in its blocks: see ValueBook.
  [[nodiscard]] bool are_values_due(const Host& host, std::uint64_t at_ns);
  void look_at_values(Host& host, std::uint64_t now_ns);
  [[nodiscard]] bool are_parts_due(const Host& host) const;
  void look_at_parts(Host& host);

  /// Call before a host's end: see UnseenReadBook.
  void end_unseen_reads(Host& host) { unseen_reads_.end(host); }

  /// Call at the end: puts what is known of the blocks of hosts that still run into the trace.
  void tell_rest();

  [[nodiscard]] ProcessBook& processes() { return processes_; }
  [[nodiscard]] FileBook& files() { return files_; }
  [[nodiscard]] const ValueBook& values() const { return values_; }
  [[nodiscard]] AreaBook& areas() { return areas_; }
  [[nodiscard]] const UnseenReadBook& unseen_reads() const { return unseen_reads_; }
  [[nodiscard]] const PageBook& pages() const { return pages_; }
  [[nodiscard]] ForkBook& forks() { return forks_; }
  [[nodiscard]] std::uint64_t peak_footprint() const { return sink_.peak_footprint(); }
  [[nodiscard]] std::uint64_t peak_at_ns() const { return sink_.peak_at_ns(); }
  [[nodiscard]] std::uint64_t unmatched_releases() const { return heap_.unmatched_releases(); }

 private:
  template <typename Book, typename Kind>
  static constexpr bool kSees =
      requires(Book book, Source& source, const Kind& said, const Behind& behind) {
    book.see(source, said, behind);
  };

  template <typename Kind>
  void see(Source& source, const Kind& said, const Behind& behind);
  void open_bare_at(Host& host, const PageRange& written);

  EventSink sink_;
  HostList hosts_;
  SharedBook shared_;
  OriginBook origins_{sink_};
  LookBook looks_{sink_};
  ValueBook values_{sink_};
  AreaBook areas_;
  PageBook pages_{sink_, hosts_};
  ForkBook forks_{sink_, hosts_};
  FileBook files_{sink_, shared_, pages_, origins_, values_};
  ProcessBook processes_;
  UnseenReadBook unseen_reads_;
  HeapBook heap_{sink_};
  FileDataBook file_data_{sink_};
  MappingBook mappings_{sink_, files_, shared_, pages_, origins_};
  ContentBook contents_{sink_, pages_, origins_};
  DeviceBook device_{sink_};
};

}  // namespace tidemark
