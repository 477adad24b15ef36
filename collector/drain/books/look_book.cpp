#include "collector/drain/books/look_book.hpp"

#include "collector/os/clocks.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <ctime>
#include <unordered_map>
#include <utility>

namespace tidemark {
namespace {

constexpr std::uint64_t kMinPeakLookPauseNs = 20'000'000;
constexpr std::uint64_t kPartsOfTime = 100;
constexpr std::uint64_t kMaxLookNs = 2'000'000;  ///< Then the next look goes on where it ended.
constexpr std::uint64_t kYoungNs = 100'000'000;
constexpr std::uint64_t kChangedPart = 16;

/// Bytes of its present whole pages, plus its parts of pages shared with neighbours.
std::uint64_t touched_bytes(const PageMap& map, const PageRange& block) {
  const std::uint64_t begin = wire::round_to_page(block.begin);
  const std::uint64_t end = block.end / wire::kPageBytes * wire::kPageBytes;
  const std::uint64_t shared = block.bytes() - (end - begin);
  return std::min(shared + map.present_bytes(begin, end), block.bytes());
}

bool has_changed(const ToldLook& told, std::uint64_t size) {
  const std::uint64_t change =
      std::max(told.seen_bytes, told.bytes) - std::min(told.seen_bytes, told.bytes);
  return change >= size / kChangedPart;
}

bool is_worth_telling(const ToldLook& told, std::uint64_t size) {
  return told.at_ns == 0 || has_changed(told, size) ||
         told.seen_ns - told.first_ns >= 2 * (told.at_ns - told.first_ns) + kYoungNs;
}

/// True if no further look can show anything new.
bool is_full(const ToldLook& told, std::uint64_t size) {
  return told.at_ns != 0 && told.bytes >= size - size / kChangedPart;
}

}  // namespace

void LookBook::look(Host& host) {
  const std::uint64_t now_ns = sink_.now_ns();
  if (host.process() == nullptr || now_ns < host.tables.next_look_ns)
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  tell_seen(host);
  const PageMap map(host.process()->pid());
  if (map.access() == PageMap::Access::kOpen)
    look_at_all(host, map, began_ns + kMaxLookNs);
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  host.tables.next_look_ns = now_ns + std::max(kMinPeakLookPauseNs, kPartsOfTime * cost_ns);
}

/// Writes what the last look found of blocks that are still live. A block that is not may already
/// have been freed at that look, with its pages gone.
void LookBook::tell_seen(Host& host) {
  std::unordered_map<trace::AllocationNumber, std::uint64_t> alive;
  host.tables.large.visit_all([&](std::uint64_t, const LargeBlocks::Block& block) {
    alive[block.allocation] = block.size;
  });
  std::erase_if(host.tables.looks, [&](const auto& look) {
    const bool is_gone = !alive.contains(look.first);
    if (is_gone)
      tell_quiet(look.first, look.second);
    return is_gone;
  });
  for (auto& [allocation, told] : host.tables.looks) {
    if (told.seen_ns == 0)
      continue;
    const std::uint64_t size = alive[allocation];
    if (is_worth_telling(told, size)) {
      // It was unchanged at least until the quiet look.
      if (has_changed(told, size))
        tell_quiet(allocation, told);
      told.quiet_ns = 0;
      told.at_ns = told.seen_ns;
      told.bytes = told.seen_bytes;
      sink_.writer().add_look({.allocation = allocation, .at_ns = told.at_ns, .bytes = told.bytes});
    } else {
      told.quiet_ns = told.seen_ns;
      told.quiet_bytes = told.seen_bytes;
    }
    told.seen_ns = 0;
  }
}

/// Writes the last look that was not worth writing at its time: it shows that nothing had changed
/// until then.
void LookBook::tell_quiet(trace::AllocationNumber allocation, const ToldLook& told) {
  if (told.quiet_ns != 0)
    sink_.writer().add_look(
        {.allocation = allocation, .at_ns = told.quiet_ns, .bytes = told.quiet_bytes});
}

void LookBook::see(const Source& source, const wire::LastLook& look, const Behind&) {
  HostTables& tables = source.host->tables;
  const auto block = tables.large.find(look.address);
  if (!block || block->begin != look.address)
    return;
  ToldLook told;
  if (const auto known = tables.looks.find(block->allocation); known != tables.looks.end()) {
    told = known->second;
    tables.looks.erase(known);
  }
  tell_quiet(block->allocation, told);
  // A host cannot see which of its pages are in swap; looks from outside have counted those.
  const std::uint64_t touched = std::max({look.touched_bytes, told.bytes, told.quiet_bytes});
  const ToldLook last{.at_ns = sink_.now_ns(), .bytes = std::min(touched, block->size)};
  // A block that is full, and was never seen otherwise, is not worth an entry.
  const bool is_news = told.at_ns != 0 || !is_full(last, block->size);
  if (!is_news || last_looks_ == kMaxLastLooks)
    return;
  ++last_looks_;
  sink_.writer().add_look(
      {.allocation = block->allocation, .at_ns = last.at_ns, .bytes = last.bytes});
}

void LookBook::end(Host& host) {
  for (const auto& [allocation, told] : host.tables.looks)
    tell_quiet(allocation, told);
  host.tables.looks.clear();
}

void LookBook::look_at_all(Host& host, const PageMap& map, std::uint64_t end_ns) {
  const std::uint64_t from = std::exchange(host.tables.looked_up_to, 0);
  host.tables.large.visit_all([&](std::uint64_t address, const LargeBlocks::Block& block) {
    const bool is_later = host.tables.looked_up_to != 0;
    if (block.size < kMinBytes || block.is_window || address < from || is_later)
      return;
    ToldLook& told = host.tables.looks[block.allocation];
    if (!is_full(told, block.size)) {
      told.seen_bytes = touched_bytes(map, {address, address + block.size});
      told.seen_ns = sink_.now_ns();
      told.first_ns = told.first_ns == 0 ? told.seen_ns : told.first_ns;
    }
    if (clock_ns(CLOCK_THREAD_CPUTIME_ID) >= end_ns)
      host.tables.looked_up_to = address + 1;
  });
}

}  // namespace tidemark
