// The collector's share of contents: reads, fills and copies.

#include "analyzer/flow/flow_collector.hpp"
#include "analyzer/query/stack_sampling.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// Bytes that go in circles between blocks do not get deeper for ever.
constexpr std::uint32_t kMaxChainDepth = 8;

void note_pages(const trace::Event& event, BlockLife& life) {
  const auto share = trace::resident_share(event);
  if (!share) {
    return;
  }
  if (life.first_resident_share < 0) {
    life.first_resident_share = *share;
  }
  life.looked_bytes += event.size;
  life.resident_bytes += *share * static_cast<double>(event.size);
}

}  // namespace

void FlowCollector::read(const trace::Event& event) {
  if (!files_.contains(event.extra)) {
    reading_.erase(trace::index(event.thread));
    return;
  }
  reading_.insert(trace::index(event.thread));
  flow_.read_bytes += event.size;
}

void FlowCollector::read_into(const trace::Event& event) {
  const std::uint32_t index = find(event.allocation);
  if (!reading_.contains(trace::index(event.thread)) || index == BlockLife::kNone) {
    return;
  }
  seen_read_bytes_ += event.size;
  BlockLife& target = life(index);
  note_pages(event, target);
  if (target.read_count == 0) {
    target.first_read_ns = now_.ns;
    target.read_stack = event.stack;
  }
  target.last_read_ns = now_.ns;
  target.read_bytes += event.size;
  ++target.read_count;
  target.depth = target.depth == 0 ? 1 : target.depth;
}

void FlowCollector::fill(const trace::Event& event) {
  const std::uint32_t index = find(event.allocation);
  if (index == BlockLife::kNone) {
    return;
  }
  BlockLife& target = life(index);
  if (!target.holds_model() && event.size > target.filled_bytes) {
    target.filled_bytes = event.size;
    target.filled_ns = now_.ns;
  }
}

void FlowCollector::copy(const trace::Event& event) {
  const std::uint32_t from = find(event.released);
  const std::uint32_t into = find(event.allocation);
  if (from == BlockLife::kNone || from == into) {
    return;
  }
  const bool grows = into != BlockLife::kNone && is_growth(life(from), life(into), event.size);
  if (life(from).holds_model()) {
    depart(event, from, into, grows);
  } else if (into != BlockLife::kNone) {
    note_plain(event, from, into, grows);
  }
  if (grows) {
    move(from, into, event.size);
  } else if (into != BlockLife::kNone && life(from).holds_model()) {
    arrive(event, from, into);
  }
}

void FlowCollector::arrive(const trace::Event& event, std::uint32_t from, std::uint32_t into) {
  BlockLife& target = life(into);
  if (target.depth == 0) {
    target.depth = std::min(life(from).depth + 1, kMaxChainDepth);
  }
  target.copied_in_bytes += event.size;
}

/// A container that moves to a larger block asks for it at the same place, and copies what it holds
/// before it holds anything else.
bool FlowCollector::is_growth(const BlockLife& from, const BlockLife& into, std::uint64_t bytes) {
  const bool is_empty = !into.holds_model() && into.grown_from == BlockLife::kNone;
  return is_empty && from.lane == into.lane && !from.is_mapping && from.born < into.born &&
         into.size >= from.size + from.size / 8 && bytes <= from.size && bytes >= from.size / 4 &&
         !is_unsampled(trace_.definitions().session, from.stack) &&
         places_.of(from.stack) == places_.of(into.stack);
}

void FlowCollector::move(std::uint32_t from, std::uint32_t into, std::uint64_t bytes) {
  BlockLife& old = life(from);
  BlockLife& grown = life(into);
  old.has_moved = true;
  grown.grown_from = from;
  grown.grown_from_born = old.born;
  grown.growth_steps = old.growth_steps + 1;
  // What was copied on before it moved is not waited for a second time.
  const std::uint64_t arrived = old.read_bytes + old.copied_in_bytes + old.moved_in_bytes;
  const bool is_stale = old.holds_model() && is_most_of(old.copied_out_bytes - bytes, arrived);
  grown.moved_in_bytes = is_stale ? 0 : bytes;
  grown.depth = old.depth;
}

/// After the peak, too: what is to hold a copy may be there before it is made.
void FlowCollector::note_plain(const trace::Event& event,
                               std::uint32_t from,
                               std::uint32_t into,
                               bool is_growth) {
  if (life(from).born < bounds_.peak && life(into).born < bounds_.peak) {
    plain_copies_.add({.source = from,
                       .target = into,
                       .bytes = event.size,
                       .first_ns = now_.ns,
                       .last_ns = now_.ns,
                       .is_growth = is_growth});
  }
}

void FlowCollector::depart(const trace::Event& event,
                           std::uint32_t from,
                           std::uint32_t into,
                           bool is_growth) {
  BlockLife& source = life(from);
  source.copied_out_bytes += event.size;
  departures_.add({.source = from,
                   .target = into,
                   .at = now_.ordinal,
                   .first_ns = now_.ns,
                   .last_ns = now_.ns,
                   .bytes = event.size,
                   .count = 1,
                   .stack = event.stack,
                   .is_growth = is_growth},
                  source.size);
}

}  // namespace tidemark::analyzer
