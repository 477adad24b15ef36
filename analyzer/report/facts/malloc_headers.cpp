#include "analyzer/report/facts/malloc_headers.hpp"

#include "analyzer/query/live/live_set.hpp"

namespace tidemark::analyzer {

std::optional<std::uint64_t> malloc_added_at(LoadedTrace& trace, const Instant& at) {
  constexpr std::uint64_t kMaxEvents = 30'000'000;  // A second or two.
  if (trace.ordinal(at) > kMaxEvents) {
    return std::nullopt;
  }
  std::uint64_t added = 0;
  visit_live(trace, {}, at, [&](const trace::Event& event, std::uint64_t bytes) {
    added += event.lane == trace::Lane::kHeap ? malloc_adds_to(bytes) : 0;
  });
  return added;
}

}  // namespace tidemark::analyzer
