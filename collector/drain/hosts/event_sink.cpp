#include "collector/drain/hosts/event_sink.hpp"

#include "collector/process/page_map.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

namespace tidemark {

using trace::Event;
using trace::EventKind;
using trace::Lane;

namespace {

/// Limit for each list of mappings; further ones count in full.
constexpr std::size_t kMaxLookedAtMappings = 1024;

void give_number(Host& host, const PageRange& pages, trace::AllocationNumber number) {
  for (Mapping& mapping : host.tables.mappings.take(pages.begin, pages.end)) {
    mapping.allocation = number;
    host.tables.mappings.insert(mapping);
  }
}

}  // namespace

void EventSink::emit(const Source& source, Event& event) {
  event.at_ns = now_ns_;
  event.thread = source.thread;
  writer_.append(event);
}

void EventSink::emit_simple(const Source& source,
                            EventKind kind,
                            std::uint64_t size,
                            std::uint64_t extra,
                            std::uint32_t node) {
  Event event;
  event.kind = kind;
  event.size = size;
  event.extra = extra;
  event.stack = source.host->tables.stacks.stack(node);
  emit(source, event);
}

void EventSink::emit_failure(const Source& source,
                             Lane lane,
                             std::uint64_t size,
                             std::uint32_t node) {
  Event event;
  event.kind = EventKind::kFail;
  event.lane = lane;
  event.size = size;
  event.stack = source.host->tables.stacks.stack(node);
  emit(source, event);
}

trace::AllocationNumber EventSink::emit_allocation(
    const Source& source, Lane lane, std::uint64_t size, std::uint32_t node, std::uint64_t extra) {
  Event event;
  event.kind = EventKind::kAllocate;
  event.lane = lane;
  event.size = size;
  event.stack = source.host->tables.stacks.stack(node);
  event.extra = extra;
  event.at_ns = now_ns_;
  event.thread = source.thread;
  return emit_growth(*source.host, event);
}

trace::AllocationNumber EventSink::emit_growth(Host& host, const Event& event) {
  host.grow(event.lane, event.size, now_ns_);
  note_height(host);
  const std::uint64_t number = writer_.append(event);
  note_peak(totals_.footprint(), now_ns_);
  return number;
}

void EventSink::emit_heap(const Source& source,
                          std::span<const trace::HeapEvent> run,
                          const trace::HeapChange& change) {
  const std::uint64_t highest_ns = run[change.highest_at].at_ns;
  source.host->change_heap(change, highest_ns);
  note_peak(totals_.footprint() + static_cast<std::uint64_t>(change.highest), highest_ns);
  writer_.append_heap(source.thread, run, change);
  now_ns_ = run.back().at_ns;
}

void EventSink::note_height(Host& host) {
  if (!host.tables.unseen.empty()) [[unlikely]]
    host.tables.highest_beside_unseen =
        std::max(host.tables.highest_beside_unseen, host.totals().footprint());
}

/// @param footprint of the whole session, at `at_ns`.
void EventSink::note_peak(std::uint64_t footprint, std::uint64_t at_ns) {
  if (footprint <= peak_footprint_)
    return;
  peak_footprint_ = footprint;
  peak_at_ns_ = at_ns;
}

void EventSink::emit_release(const Source& source, const LiveBlock& block) {
  if (block.allocation == trace::kNoAllocation)
    return;
  Event event;
  event.kind = EventKind::kRelease;
  event.lane = Lane::kHeap;
  event.allocation = block.allocation;
  event.size = block.size;
  keep_peak(*source.host, block.size);
  source.host->shrink(Lane::kHeap, block.size);
  emit(source, event);
}

void EventSink::emit_release(const Source& source, const Mapping& mapping, std::uint64_t bytes) {
  if (!mapping.counts() || (bytes == 0 && !mapping.whole))
    return;
  Event event;
  event.kind = mapping.whole ? EventKind::kRelease : EventKind::kReleasePart;
  event.lane = mapping.kind == Mapping::Kind::kFile ? Lane::kFile : Lane::kAnon;
  event.allocation = mapping.allocation;
  event.size = bytes;
  if (event.lane == Lane::kAnon)
    keep_peak(*source.host, bytes);
  source.host->shrink(event.lane, event.size);
  emit(source, event);
}

void EventSink::emit_resize(Host& host,
                            trace::ThreadId thread,
                            Lane lane,
                            trace::AllocationNumber allocation,
                            std::int64_t change) {
  if (change < 0)
    host.shrink(lane, static_cast<std::uint64_t>(-change));
  else
    host.grow(lane, static_cast<std::uint64_t>(change), now_ns_);
  note_height(host);
  append_resize(thread, lane, allocation, change);
}

void EventSink::emit_shared_resize(trace::ThreadId thread,
                                   trace::AllocationNumber allocation,
                                   std::int64_t change) {
  append_resize(thread, Lane::kShared, allocation, change);
}

void EventSink::append_resize(trace::ThreadId thread,
                              Lane lane,
                              trace::AllocationNumber allocation,
                              std::int64_t change) {
  Event event;
  event.kind = change < 0 ? EventKind::kReleasePart : EventKind::kGrow;
  event.lane = lane;
  event.allocation = allocation;
  event.size = static_cast<std::uint64_t>(change < 0 ? -change : change);
  event.at_ns = now_ns_;
  event.thread = thread;
  writer_.append(event);
  note_peak(totals_.footprint(), now_ns_);
}

void EventSink::emit_shared_release(trace::ThreadId thread,
                                    trace::AllocationNumber allocation,
                                    std::uint64_t bytes) {
  Event event;
  event.kind = EventKind::kRelease;
  event.lane = Lane::kShared;
  event.allocation = allocation;
  event.size = bytes;
  event.at_ns = now_ns_;
  event.thread = thread;
  writer_.append(event);
}

bool EventSink::await_look(const Source& source, const Mapping& wanted, std::uint32_t node) {
  Host& host = *source.host;
  const PageRange pages{wanted.begin, wanted.end};
  if (host.memory() == nullptr || pages.begin >= pages.end ||
      host.tables.unseen.size() >= kMaxLookedAtMappings)
    return false;
  if (host.tables.unseen.empty())
    host.tables.highest_beside_unseen = host.totals().footprint();
  UnseenMapping mapping;
  mapping.pages = pages;
  mapping.is_break = wanted.is_break;
  mapping.since_ns = now_ns_;
  mapping.event.kind = EventKind::kAllocate;
  mapping.event.lane = Lane::kAnon;
  mapping.event.size = pages.bytes();
  mapping.event.stack = host.tables.stacks.stack(node);
  mapping.event.thread = source.thread;
  host.tables.unseen.push_back(mapping);
  return true;
}

void EventSink::settle(Host& host, const UnseenMapping& unseen, const PageRanges& absent) {
  const std::uint64_t missing = absent.bytes_in(unseen.pages);
  UnseenMapping settled = unseen;
  count_part(host, settled, settled.pages.bytes() - missing);
  host.tables.pages.gone.put(absent, settled.pages, settled.pages.begin);
  if (missing == 0 && host.tables.full.size() < kMaxLookedAtMappings)
    host.tables.full.push_back(std::move(settled));
}

void EventSink::settle_before_loss(Host& host, std::uint64_t bytes) {
  const std::uint64_t now = host.totals().footprint();
  count_if_lost(host,
                std::max(host.tables.highest_beside_unseen, now) - (now - std::min(now, bytes)));
}

/// @param bytes released in total, including the current release, since the last possible peak.
void EventSink::count_if_lost(Host& host, std::uint64_t bytes) {
  // Smaller releases are normal in any program, and would make pools count that are never filled.
  constexpr std::uint64_t kLostPart = 64;
  constexpr std::uint64_t kMinLostBytes = std::uint64_t{256} << 10U;
  if (bytes < kMinLostBytes)
    return;
  std::uint64_t aside = 0;
  for (const UnseenMapping& mapping : host.tables.unseen) {
    if (mapping.counted_until_ns <= now_ns_)
      aside += mapping.pages.bytes() - mapping.counted_bytes;
  }
  if (aside != 0 && bytes >= aside / kLostPart)
    count_touched(host);
}

/// A record is read some milliseconds after it was made, while the process keeps touching pages: a
/// page that is absent now was absent at the record's time, too, unless a call removed it in
/// between. Calls recorded in advance (munmap, the moved range of mremap) are in the rings already.
/// An madvise, or an mmap or mremap to a fixed address, may have finished with its record not made
/// yet: then the pages that it removed are missing in this peak. Pages are read before rings, so
/// that whatever removed pages before the first look is found in the second.
///
/// Growth of the break counts in full, since a later shrinking may not be recorded yet. So does
/// everything if the process is gone or access is denied.
void EventSink::count_touched(Host& host) {
  const std::uint64_t looked_ns = ahead_ != nullptr ? ahead_->now_ns() : now_ns_ + 1;
  std::vector<std::uint64_t> present;
  bool is_seen = host.process() != nullptr;
  if (is_seen) {
    const PageMap map(host.process()->pid());
    is_seen = map.access() == PageMap::Access::kOpen;
    for (const UnseenMapping& mapping : host.tables.unseen)
      present.push_back(map.present_bytes(mapping.pages.begin, mapping.pages.end));
  }
  is_seen = is_seen && host.memory() != nullptr && host.memory()->is_same_image();
  const PageRanges taken = is_seen && ahead_ != nullptr ? ahead_->taken_pages(host) : PageRanges();
  std::vector<PageRange> full;
  for (std::size_t i = 0; i < host.tables.unseen.size(); ++i) {
    UnseenMapping& mapping = host.tables.unseen[i];
    const bool is_part = is_seen && !mapping.is_break && taken.bytes_in(mapping.pages) == 0;
    if (is_part)
      count_part(host, mapping, std::max(present[i], mapping.counted_bytes));
    else
      full.push_back(mapping.pages);
    mapping.counted_until_ns = looked_ns;
  }
  for (const PageRange& range : full)
    settle_all_in(host, range, As::kFull);
  host.tables.highest_beside_unseen = host.totals().footprint();
}

void EventSink::count_part(Host& host, UnseenMapping& mapping, std::uint64_t bytes) {
  if (!mapping.is_counted) {
    Event event = mapping.event;
    event.at_ns = now_ns_;
    // Readers skip small blocks, but not empty ones, which may grow to any size.
    event.size = bytes < wire::kLargeTouch ? 0 : bytes;
    mapping.allocation = emit_growth(host, event);
    mapping.is_counted = true;
    mapping.counted_bytes = event.size;
    give_number(host, mapping.pages, mapping.allocation);
  }
  if (bytes != mapping.counted_bytes)
    emit_resize(host, mapping.event.thread, Lane::kAnon, mapping.allocation,
                static_cast<std::int64_t>(bytes - mapping.counted_bytes));
  mapping.counted_bytes = bytes;
}

void EventSink::count_named(Host& host, const PageRange& range) {
  for (UnseenMapping& mapping : host.tables.unseen) {
    const PageRange part{std::max(range.begin, mapping.pages.begin),
                         std::min(range.end, mapping.pages.end)};
    if (part.begin >= part.end)
      continue;
    mapping.named_bytes += mapping.named.add(part);
    count_more(host, mapping, mapping.named_bytes);
  }
}

void EventSink::count_more(Host& host, UnseenMapping& mapping, std::uint64_t bytes) {
  count_part(host, mapping, std::max(bytes, mapping.counted_bytes));
}

void EventSink::settle_all_in(Host& host, const PageRange& range, As how) {
  // No core fills fresh memory faster.
  constexpr std::uint64_t kMaxBytesPerNsAndCore = 16;
  constexpr std::uint64_t kAtOnceBytes = std::uint64_t{2} << 20U;
  // How much faster than between two looks it may be filled.
  constexpr double kFaster = 4;
  static const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<UnseenMapping> settled;
  std::erase_if(host.tables.unseen, [&](const UnseenMapping& mapping) {
    const bool is_in = mapping.pages.begin < range.end && range.begin < mapping.pages.end;
    if (is_in)
      settled.push_back(mapping);
    return is_in;
  });
  for (const UnseenMapping& mapping : settled) {
    std::uint64_t most = kAtOnceBytes;
    if (mapping.pause_ns != 0) {
      const std::uint64_t since = now_ns_ - std::min(now_ns_, mapping.looked_ns);
      // Bytes times nanoseconds overflow any integer.
      const double come = kFaster * static_cast<double>(mapping.come) * static_cast<double>(since) /
                          static_cast<double>(mapping.pause_ns);
      most += mapping.present + static_cast<std::uint64_t>(
                                    std::min(come, static_cast<double>(mapping.pages.bytes())));
    } else {
      most += (now_ns_ - std::min(now_ns_, mapping.since_ns)) * kMaxBytesPerNsAndCore * cores;
    }
    most = std::max(most / wire::kPageBytes * wire::kPageBytes, mapping.counted_bytes);
    PageRanges absent;
    if (how == As::kGone && most < mapping.pages.bytes())
      absent.add({mapping.pages.begin + most, mapping.pages.end});
    settle(host, mapping, absent);
  }
}

void EventSink::give_up(Source& source) {
  if (const auto block = source.take_reallocated())
    emit_release(source, *block);
  if (!source.has_pending)
    return;
  PendingCall& call = source.pending();
  call.doubled.reset();
  for (const Mapping& mapping : std::exchange(call.moving, {})) {
    if (mapping.written != Mapping::kNoAllocation)
      emit_release(source, mapping.written_part(),
                   call.moving_pages.written.remove({mapping.begin, mapping.end}));
    emit_release(source, mapping,
                 mapping.bytes() - call.moving_pages.forget_absent({mapping.begin, mapping.end}));
  }
}

}  // namespace tidemark
