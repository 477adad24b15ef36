#include "collector/drain/books/look_book.hpp"

#include "collector/os/clocks.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <ctime>
#include <unordered_map>
#include <utility>

namespace tidemark {
namespace {

constexpr std::uint64_t kLeastPauseNs = 20'000'000;
constexpr std::uint64_t kTimeParts = 100;
constexpr std::uint64_t kYoungNs = 100'000'000;
constexpr std::uint64_t kChangedPart = 16;

/// Its whole pages that are there, and what it has of pages that it shares with others.
std::uint64_t touched_bytes(const PageMap& map, const PageRange& block) {
  const std::uint64_t begin = wire::round_to_page(block.begin);
  const std::uint64_t end = block.end / wire::kPageBytes * wire::kPageBytes;
  std::uint64_t bytes = block.bytes() - (end - begin);
  for (const PageRange& present : map.present(begin, end))
    bytes += present.bytes();
  return std::min(bytes, block.bytes());
}

bool is_worth_telling(const ToldLook& told,
                      std::uint64_t bytes,
                      std::uint64_t size,
                      std::uint64_t now_ns) {
  const std::uint64_t change = std::max(bytes, told.bytes) - std::min(bytes, told.bytes);
  return told.at_ns == 0 || change >= size / kChangedPart ||
         now_ns - told.first_ns >= 2 * (told.at_ns - told.first_ns) + kYoungNs;
}

/// Nothing new is to be learned of it.
bool is_full(const ToldLook& told, std::uint64_t size) {
  return told.at_ns != 0 && told.bytes >= size - size / kChangedPart;
}

}  // namespace

void LookBook::look(Host& host) {
  const std::uint64_t now_ns = sink_.now_ns();
  if (host.process() == nullptr || now_ns < host.tables.next_look_ns)
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const PageMap map(host.process()->pid());
  if (map.access() == PageMap::Access::kOpen) {
    const auto before = std::exchange(host.tables.looks, {});
    host.tables.large.visit_all(
        [&](std::uint64_t address, std::uint64_t size, trace::AllocationNumber allocation) {
          if (size < kLeastBytes)
            return;
          const auto told = before.find(allocation);
          if (told != before.end())
            host.tables.looks.insert(*told);
          look_at(host, map, {address, address + size}, allocation);
        });
  }
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  host.tables.next_look_ns = now_ns + std::max(kLeastPauseNs, kTimeParts * cost_ns);
}

void LookBook::look_at(Host& host,
                       const PageMap& map,
                       const PageRange& block,
                       trace::AllocationNumber allocation) {
  const std::uint64_t now_ns = sink_.now_ns();
  ToldLook& told = host.tables.looks[allocation];
  if (is_full(told, block.bytes()))
    return;
  const std::uint64_t bytes = touched_bytes(map, block);
  if (!is_worth_telling(told, bytes, block.bytes(), now_ns))
    return;
  told = {told.at_ns == 0 ? now_ns : told.first_ns, now_ns, bytes};
  sink_.writer().add_look({.allocation = allocation, .at_ns = now_ns, .bytes = bytes});
}

}  // namespace tidemark
