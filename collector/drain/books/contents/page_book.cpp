#include "collector/drain/books/contents/page_book.hpp"

#include "collector/os/clocks.hpp"
#include "collector/process/process_facts.hpp"
#include "collector/process/process_memory.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <sys/mman.h>

namespace tidemark {

using trace::Lane;

namespace {

/// A mapping's age at its first look.
constexpr std::uint64_t kYoungMappingNs = 10'000'000;
/// In less time, growth does not tell whether a mapping is being filled.
constexpr std::uint64_t kBetweenLooksNs = 4'000'000;

bool is_due(const UnseenMapping& unseen, std::uint64_t now_ns) {
  return now_ns >= std::max(unseen.since_ns + kYoungMappingNs, unseen.next_look_ns);
}

PageRanges absent_in(const PageRange& pages, const PageMap& map) {
  PageRanges absent;
  absent.add(pages);
  for (const PageRange& present : map.present(pages.begin, pages.end))
    absent.remove(present);
  return absent;
}

/// It is still there as it came, and counts in full.
bool is_whole(const Host& host, const UnseenMapping& unseen) {
  const Mapping* mapping = host.tables.mappings.find(unseen.pages.begin);
  return mapping != nullptr && mapping->kind == Mapping::Kind::kAnon &&
         mapping->allocation == unseen.allocation && mapping->begin == unseen.pages.begin &&
         mapping->end == unseen.pages.end && host.tables.pages.gone.bytes_in(unseen.pages) == 0 &&
         host.tables.pages.freed.bytes_in(unseen.pages) == 0;
}

/// Private mappings of files that may be written to.
std::vector<Mapping> written_files(const Host& host) {
  std::vector<Mapping> files;
  for (const auto& [begin, mapping] : host.tables.mappings.all()) {
    if (mapping.written != Mapping::kNoAllocation)
      files.push_back(mapping);
  }
  return files;
}

bool is_being_written(const Host& host, const Mapping& mapping) {
  return mapping.written != Mapping::kNoAllocation &&
         host.tables.being_written.contains(mapping.written);
}

std::uint64_t cpu_time_of(const Host& host) {
  return host.process() != nullptr ? cpu_time_ns(host.process()->pid()) : 0;
}

/// Files being written to, limited to what can be looked at in next to no time.
std::vector<Mapping> files_being_written(const Host& host) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30U;
  std::vector<Mapping> files = written_files(host);
  std::uint64_t bytes = 0;
  std::erase_if(files, [&](const Mapping& mapping) {
    if (!is_being_written(host, mapping) || bytes + mapping.bytes() > kMaxBytes)
      return true;
    bytes += mapping.bytes();
    return false;
  });
  return files;
}

/// The most that may have been written since the last look at it: the kernel copies 4 KiB at each
/// fault.
/// @param faults the host's up to now, if known.
std::uint64_t may_be_written(const Host& host,
                             const Mapping& mapping,
                             const std::optional<std::uint64_t>& faults) {
  const std::uint64_t then = host.tables.being_written.at(mapping.written).faults;
  return faults ? (*faults - std::min(*faults, then)) * wire::kPageBytes : UINT64_MAX;
}

std::uint64_t unseen_in(const Host& host) {
  if (host.tables.being_written.empty())
    return 0;
  const auto faults = host.faults();
  std::uint64_t bytes = 0;
  std::uint64_t most = 0;
  for (const auto& [begin, mapping] : host.tables.mappings.all()) {
    if (!is_being_written(host, mapping))
      continue;
    const std::uint64_t can = may_be_written(host, mapping, faults);
    const PageRange range{begin, mapping.end};
    bytes += std::min(can, range.bytes() - host.tables.pages.written.bytes_in(range));
    most = std::max(most, can);
  }
  return std::min(bytes, most);
}

}  // namespace

std::optional<PageBook::How> PageBook::how_given_back(std::uint32_t advice) {
  constexpr std::uint32_t kDontNeedLocked = 24;  // MADV_DONTNEED_LOCKED, since Linux 5.18
  constexpr std::uint32_t kGuardInstall = 102;   // MADV_GUARD_INSTALL, since Linux 6.13
  if (advice == MADV_DONTNEED || advice == kDontNeedLocked || advice == kGuardInstall)
    return How::kAtOnce;
  return advice == MADV_FREE ? std::optional(How::kLazily) : std::nullopt;
}

void PageBook::give_back(const Source& source, const PageRange& range, How how) {
  Host& host = *source.host;
  sink_.settle_in(host, range, EventSink::As::kGone);
  note_going(host, range);
  for (const Mapping& mapping : host.tables.mappings.in(range.begin, range.end)) {
    const PageRange part{mapping.begin, mapping.end};
    if (mapping.written != Mapping::kNoAllocation) {
      if (const std::uint64_t bytes = host.tables.pages.written.remove(part); bytes != 0) {
        sink_.keep_peak(host, bytes);
        sink_.emit_resize(host, source.thread, Lane::kAnon, mapping.written,
                          -static_cast<std::int64_t>(bytes));
      }
    }
    if (mapping.kind != Mapping::Kind::kAnon)
      continue;
    const std::uint64_t before = host.tables.pages.forget_absent(part);
    (how == How::kLazily ? host.tables.pages.freed : host.tables.pages.gone).add(part);
    if (const std::uint64_t bytes = part.bytes() - before; bytes != 0) {
      sink_.keep_peak(host, bytes);
      sink_.emit_resize(host, source.thread, Lane::kAnon, mapping.allocation,
                        -static_cast<std::int64_t>(bytes));
    }
  }
}

void PageBook::touch(const Source& source, std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0)
    return;
  const PageRange range{address / wire::kPageBytes * wire::kPageBytes,
                        wire::round_to_page(address + bytes)};
  sink_.touch_in(*source.host, range);
  if (!source.host->tables.pages.is_all_there())
    bring_back(*source.host, source.thread, range);
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

/// Ignores small ones, which come by the thousand and hold little.
void PageBook::expect_writes(Host& host, const Mapping& mapping) const {
  if (mapping.bytes() < kWorthSaying)
    return;
  // It came a while ago, and can have been written to by now: counted is what was before.
  LookedAt before{.cpu_ns = cpu_time_of(host)};
  for (const FaultCount& count : host.tables.fault_counts) {
    if (count.at_ns <= sink_.now_ns())
      before.faults = std::max(before.faults, count.faults);
  }
  host.tables.being_written.emplace(mapping.written, before);
}

void PageBook::note_going(const Host& host, const PageRange& range) {
  if (host.tables.being_written.empty())
    return;
  const auto going = host.tables.mappings.in(range.begin, range.end);
  if (std::ranges::any_of(going, [&](const Mapping& part) { return is_being_written(host, part); }))
    note_unseen();
}

void PageBook::note_going(const Host& host, const Mapping& part, const PageStates& pages) {
  if (!is_being_written(host, part))
    return;
  const PageRange range{part.begin, part.end};
  note_unseen(std::min(may_be_written(host, part, host.faults()),
                       range.bytes() - pages.written.bytes_in(range)));
}

/// Over all processes that are alive at the same time.
void PageBook::note_unseen(std::uint64_t aside_bytes) {
  std::uint64_t bytes = aside_bytes;
  for (const auto& host : hosts_)
    bytes += host->has_ended() ? 0 : unseen_in(*host);
  written_unseen_bytes_ = std::max(written_unseen_bytes_, bytes);
}

void PageBook::end(Host& host) {
  if (!host.tables.being_written.empty())
    note_unseen();
  host.tables.being_written.clear();
}

void PageBook::look(Host& host) {
  if (const auto faults = host.faults())
    host.tables.fault_counts = {FaultCount{sink_.this_moment_ns(), *faults},
                                host.tables.fault_counts.front()};
  if (host.tables.pages.freed.is_empty())
    host.sampling.lazily_freed_bytes = 0;
  const std::vector<Mapping> files = written_files(host);
  if (host.process() == nullptr ||
      (host.tables.pages.is_all_there() && files.empty() && host.tables.unseen.empty() &&
       host.tables.full.empty() && host.tables.bare.is_empty()))
    return;
  const PageMap map(host.process()->pid());
  const trace::ThreadId thread = host.first_thread();
  if (map.access() == PageMap::Access::kDenied) {
    for (const PageRanges* pages : {&host.tables.pages.gone, &host.tables.pages.freed}) {
      for (const PageRange& range : pages->all())
        bring_back(host, thread, range);
    }
    sink_.settle_in(host, {0, ~std::uint64_t{0}}, EventSink::As::kFull);
    return;
  }
  if (map.access() != PageMap::Access::kOpen)
    return;  // it has ended
  look_at_written(host, map, files);
  look_at_full(host, thread, map);
  look_at_unseen(host, map);
  look_at_gone(host, thread, map);
  if (!host.tables.pages.freed.is_empty())
    look_at_freed(host, thread, map);
  if (!host.tables.bare.is_empty())
    look_at_bare(host, thread, map);
}

void PageBook::look_at_new(Host& host) {
  const bool is_one_due = std::ranges::any_of(host.tables.unseen, [&](const UnseenMapping& unseen) {
    return is_due(unseen, sink_.now_ns());
  });
  if ((!is_one_due && host.tables.being_written.empty()) || host.process() == nullptr)
    return;
  const PageMap map(host.process()->pid());
  if (map.access() != PageMap::Access::kOpen)
    return;
  if (!host.tables.being_written.empty())
    look_at_written(host, map, files_being_written(host));
  if (is_one_due)
    look_at_unseen(host, map);
}

/// Skips mappings that have just come. Those being filled count as far as they are, and keep
/// waiting: they may be full and gone before the next look.
void PageBook::look_at_unseen(Host& host, const PageMap& map) {
  constexpr std::uint64_t kFastPart = 16;  // from one look to the next
  std::vector<std::pair<UnseenMapping, PageRanges>> settled;
  std::erase_if(host.tables.unseen, [&](UnseenMapping& unseen) {
    if (!is_due(unseen, sink_.now_ns()))
      return false;
    unseen.next_look_ns = sink_.now_ns() + kBetweenLooksNs;
    PageRanges absent = absent_in(unseen.pages, map);
    // Checked afterwards: a process that has ended meanwhile has no pages, whatever it touched.
    if (host.memory() == nullptr || !host.memory()->is_same_image())
      return false;
    const std::uint64_t bytes = unseen.pages.bytes();
    const std::uint64_t present = bytes - absent.bytes_in(unseen.pages);
    unseen.come = present - std::min(present, std::exchange(unseen.present, present));
    const std::uint64_t before_ns = std::exchange(unseen.looked_ns, sink_.now_ns());
    unseen.pause_ns = before_ns == 0 ? 0 : unseen.looked_ns - before_ns;
    // When more than half full, it mostly becomes full, if slowly.
    const std::uint64_t least = present < bytes / 2 ? bytes / kFastPart : wire::kPageBytes;
    if (unseen.come >= least && present != bytes) {
      if (present >= bytes / 2)
        sink_.count_more(host, unseen, present);
      return false;
    }
    unseen.next_look_ns = 0;  // as what counts in full it has had no look
    settled.emplace_back(unseen, std::move(absent));
    return true;
  });
  for (const auto& [unseen, absent] : settled)
    sink_.settle(host, unseen, absent);
}

/// Looks at mappings that count in full, have a part that was never touched, and no longer grow.
void PageBook::look_at_full(Host& host, trace::ThreadId thread, const PageMap& map) {
  constexpr std::uint64_t kPauseNs = 50'000'000;
  constexpr std::uint64_t kUntouchedPart = 16;
  std::erase_if(host.tables.full, [&](UnseenMapping& full) {
    if (sink_.now_ns() < full.next_look_ns)
      return false;
    if (!is_whole(host, full))
      return true;
    const PageRanges absent = absent_in(full.pages, map);
    const std::uint64_t missing = absent.bytes_in(full.pages);
    if (missing < full.pages.bytes() / kUntouchedPart)
      return true;
    const std::uint64_t present = full.pages.bytes() - missing;
    const bool stands_still = full.next_look_ns != 0 && full.present == present;
    full.present = present;
    full.next_look_ns = sink_.now_ns() + kPauseNs;
    if (stands_still) {
      host.tables.pages.gone.put(absent, full.pages, full.pages.begin);
      sink_.emit_resize(host, thread, Lane::kAnon, full.allocation,
                        -static_cast<std::int64_t>(missing));
    }
    return stands_still;
  });
}

/// Pages found absent go to `gone`: see look_at_gone.
void PageBook::look_at_bare(Host& host, trace::ThreadId thread, const PageMap& map) {
  constexpr std::uint64_t kPauseNs = 10'000'000;
  constexpr std::uint64_t kLookParts = 100;
  if (sink_.now_ns() < host.tables.next_bare_look_ns)
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  PageRanges left;
  for (const PageRange& range : host.tables.bare.all()) {
    for (const Mapping& mapping : host.tables.mappings.in(range.begin, range.end)) {
      if (!mapping.is_bare || mapping.kind != Mapping::Kind::kAnon)
        continue;
      const PageRange pages{mapping.begin, mapping.end};
      left.add(pages);
      std::uint64_t bytes = 0;
      for (const PageRange& absent : absent_in(pages, map).all())
        bytes += host.tables.pages.gone.add(absent);
      if (bytes != 0)
        sink_.emit_resize(host, thread, Lane::kAnon, mapping.allocation,
                          -static_cast<std::int64_t>(bytes));
    }
  }
  host.tables.bare = std::move(left);
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  host.tables.next_bare_look_ns = sink_.now_ns() + std::max(kPauseNs, kLookParts * cost_ns);
}

/// If there are very many, looks at a part of them; the next look goes on from there.
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

/// A mapping that was cut into parts counts as being written to while any part is. A look that
/// finds nothing new means something only if the process has run since the last one: it may have
/// been stopped in the middle of writing.
void PageBook::look_at_written(Host& host, const PageMap& map, std::span<const Mapping> files) {
  constexpr std::uint64_t kQuietNs = 1'000'000;
  // Before the look: what is written meanwhile may be behind it.
  const LookedAt now{.cpu_ns = cpu_time_of(host), .faults = host.faults().value_or(0)};
  std::set<trace::AllocationNumber> grown;
  for (const Mapping& mapping : files) {
    const std::vector<PageRange> present =
        map.present(mapping.begin, mapping.end, PageMap::Which::kPrivate);
    // Checked afterwards: a process that has ended has no pages, and after an exec they are another
    // program's.
    if (host.memory() == nullptr || !host.memory()->is_same_image())
      return;
    std::uint64_t bytes = 0;
    for (const PageRange& part : present)
      bytes += host.tables.pages.written.add(part);
    if (bytes == 0)
      continue;
    grown.insert(mapping.written);
    sink_.emit_resize(host, host.first_thread(), Lane::kAnon, mapping.written,
                      static_cast<std::int64_t>(bytes));
  }
  for (const Mapping& mapping : files) {
    const auto known = host.tables.being_written.find(mapping.written);
    if (grown.contains(mapping.written))
      host.tables.being_written[mapping.written] = now;
    else if (known == host.tables.being_written.end())
      continue;
    else if (now.cpu_ns >= known->second.cpu_ns + kQuietNs)
      host.tables.being_written.erase(known);
    else
      known->second.faults = now.faults;
  }
}

/// The kernel tells how many pages are left of MADV_FREE, but not which: pages in memory beyond
/// that number were written since.
void PageBook::look_at_freed(Host& host, trace::ThreadId thread, const PageMap& map) {
  const auto rollup = read_memory_rollup(host.process()->pid());
  if (!rollup)
    return;
  host.sampling.lazily_freed_bytes = rollup->lazily_freed_bytes;
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
