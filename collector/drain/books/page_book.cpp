#include "collector/drain/books/page_book.hpp"

#include "collector/process/process_memory.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tidemark {

using trace::Lane;

namespace {

/// Private mappings of files that may be written to.
std::vector<Mapping> written_files(const Host& host) {
  std::vector<Mapping> files;
  for (const auto& [begin, mapping] : host.tables.mappings.all()) {
    if (mapping.written != Mapping::kNoAllocation)
      files.push_back(mapping);
  }
  return files;
}

}  // namespace

void PageBook::give_back(const Source& source, const PageRange& range, How how) {
  Host& host = *source.host;
  for (const Mapping& mapping : host.tables.mappings.in(range.begin, range.end)) {
    const PageRange part{mapping.begin, mapping.end};
    if (mapping.written != Mapping::kNoAllocation) {
      if (const std::uint64_t bytes = host.tables.pages.written.remove(part); bytes != 0)
        sink_.emit_resize(host, source.thread, Lane::kAnon, mapping.written,
                          -static_cast<std::int64_t>(bytes));
    }
    if (mapping.kind != Mapping::Kind::kAnon)
      continue;
    const std::uint64_t before = host.tables.pages.forget_absent(part);
    (how == How::kLazily ? host.tables.pages.freed : host.tables.pages.gone).add(part);
    if (const std::uint64_t bytes = part.bytes() - before; bytes != 0)
      sink_.emit_resize(host, source.thread, Lane::kAnon, mapping.allocation,
                        -static_cast<std::int64_t>(bytes));
  }
}

void PageBook::touch(const Source& source, std::uint64_t address, std::uint64_t bytes) {
  if (source.host->tables.pages.is_all_there() || bytes == 0)
    return;
  const std::uint64_t begin = address / wire::kPageBytes * wire::kPageBytes;
  bring_back(*source.host, source.thread, {begin, wire::round_to_page(address + bytes)});
}

void PageBook::bring_back(Host& host, trace::ThreadId thread, const PageRange& range) {
  for (const Mapping& mapping : host.tables.mappings.in(range.begin, range.end)) {
    if (mapping.kind != Mapping::Kind::kAnon)
      continue;
    if (const std::uint64_t bytes = host.tables.pages.forget_absent({mapping.begin, mapping.end});
        bytes != 0)
      sink_.emit_resize(host, thread, Lane::kAnon, mapping.allocation,
                        static_cast<std::int64_t>(bytes));
  }
}

void PageBook::look(Host& host) {
  const std::vector<Mapping> files = written_files(host);
  if (host.process() == nullptr || (host.tables.pages.is_all_there() && files.empty()))
    return;
  const PageMap map(host.process()->pid());
  const trace::ThreadId thread = host.first_thread();
  for (const Mapping& mapping : files)
    look_at_written(host, thread, map, mapping);
  if (map.access() == PageMap::Access::kDenied) {
    for (const PageRanges* pages : {&host.tables.pages.gone, &host.tables.pages.freed}) {
      for (const PageRange& range : pages->all())
        bring_back(host, thread, range);
    }
    return;
  }
  look_at_gone(host, thread, map);
  if (!host.tables.pages.freed.is_empty())
    look_at_freed(host, thread, map);
}

/// A part of them at a time, where there are very many: the next look goes on behind it.
void PageBook::look_at_gone(Host& host, trace::ThreadId thread, const PageMap& map) {
  constexpr std::uint64_t kMaxLookBytes = std::uint64_t{64} << 30U;
  constexpr std::size_t kMaxLookRanges = 4096;
  std::uint64_t bytes = 0;
  std::size_t ranges = 0;
  std::uint64_t from = std::exchange(host.tables.pages.looked_up_to, 0);
  for (const PageRange& range : host.tables.pages.gone.in({from, ~std::uint64_t{0}})) {
    const std::uint64_t end = range.begin + std::min(range.bytes(), kMaxLookBytes - bytes);
    for (const PageRange& present : map.present(range.begin, end))
      bring_back(host, thread, present);
    bytes += end - range.begin;
    if (bytes == kMaxLookBytes || ++ranges == kMaxLookRanges) {
      host.tables.pages.looked_up_to = end;
      return;
    }
  }
}

void PageBook::look_at_written(Host& host,
                               trace::ThreadId thread,
                               const PageMap& map,
                               const Mapping& mapping) {
  std::uint64_t bytes = 0;
  for (const PageRange& part : map.present(mapping.begin, mapping.end, PageMap::Which::kPrivate))
    bytes += host.tables.pages.written.add(part);
  if (bytes != 0)
    sink_.emit_resize(host, thread, Lane::kAnon, mapping.written, static_cast<std::int64_t>(bytes));
}

/// The kernel says how many pages are left of MADV_FREE, but not which: what is in memory beyond
/// them was written since.
void PageBook::look_at_freed(Host& host, trace::ThreadId thread, const PageMap& map) {
  const auto rollup = read_memory_rollup(host.process()->pid());
  if (!rollup)
    return;
  std::vector<PageRange> present;
  std::uint64_t bytes = 0;
  for (const PageRange& range : host.tables.pages.freed.all()) {
    for (const PageRange& part : map.present(range.begin, range.end)) {
      present.push_back(part);
      bytes += part.bytes();
    }
  }
  for (std::uint64_t back = bytes - std::min(bytes, rollup->lazily_freed_bytes);
       back != 0 && !present.empty(); present.pop_back()) {
    const PageRange& last = present.back();
    const std::uint64_t part = std::min(back, last.bytes());
    bring_back(host, thread, {last.begin, last.begin + part});
    back -= part;
  }
}

}  // namespace tidemark
