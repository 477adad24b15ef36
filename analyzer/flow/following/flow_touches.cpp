#include "analyzer/flow/following/flow_touches.hpp"

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

FlowTouches::FlowTouches(const trace::Definitions& definitions,
                         const ModelFiles& files,
                         LifeTable& lives,
                         std::uint64_t peak)
    : definitions_(definitions), files_(files), lives_(lives), peak_(peak), places_(definitions) {}

void FlowTouches::see(const trace::Event& event, trace::EventOrdinal ordinal) {
  switch (event.kind) {
    case trace::EventKind::kRead:
      return read(event);
    case trace::EventKind::kReadInto:
      return read_into(event);
    case trace::EventKind::kFill:
      return fill(event);
    case trace::EventKind::kCopy:
      return copy(event, ordinal);
    default:
      return;
  }
}

void FlowTouches::take(ModelFlow& flow) {
  flow.departures = departures_.take();
  flow.left_out_copies = departures_.left_out();
  flow.plain_copies = plain_copies_.take();
  flow.read_bytes = read_bytes_;
  flow.unseen_read_bytes = read_bytes_ - std::min(read_bytes_, seen_read_bytes_);
}

void FlowTouches::read(const trace::Event& event) {
  if (!files_.contains(event.extra)) {
    reading_.erase(trace::index(event.thread));
    return;
  }
  reading_.insert(trace::index(event.thread));
  read_bytes_ += event.size;
}

void FlowTouches::read_into(const trace::Event& event) {
  const std::uint32_t index = lives_.find(event.allocation);
  if (!reading_.contains(trace::index(event.thread)) || index == BlockLife::kNone) {
    return;
  }
  seen_read_bytes_ += event.size;
  BlockLife& target = lives_[index];
  target.note_touch();
  note_pages(event, target);
  if (target.read_count == 0) {
    target.first_read_ns = event.at_ns;
    target.read_stack = event.stack;
  }
  target.last_read_ns = event.at_ns;
  target.read_bytes += event.size;
  ++target.read_count;
  target.depth = target.depth == 0 ? 1 : target.depth;
}

void FlowTouches::fill(const trace::Event& event) {
  const std::uint32_t index = lives_.find(event.allocation);
  if (index == BlockLife::kNone) {
    return;
  }
  BlockLife& target = lives_[index];
  target.note_touch();
  if (!target.holds_model() && event.size > target.filled_bytes) {
    target.filled_bytes = event.size;
    target.filled_ns = event.at_ns;
  }
}

void FlowTouches::copy(const trace::Event& event, trace::EventOrdinal ordinal) {
  const std::uint32_t from = lives_.find(event.released);
  const std::uint32_t into = lives_.find(event.allocation);
  if (from == BlockLife::kNone || from == into) {
    return;
  }
  lives_[from].note_touch();
  if (into != BlockLife::kNone) {
    lives_[into].note_touch();
  }
  const bool grows = into != BlockLife::kNone && is_growth(lives_[from], lives_[into], event.size);
  if (lives_[from].holds_model()) {
    depart(event, ordinal, from, into, grows);
  } else if (into != BlockLife::kNone) {
    note_plain(event, from, into, grows);
  }
  if (grows) {
    move(from, into, event.size);
  } else if (into != BlockLife::kNone && lives_[from].holds_model()) {
    arrive(event, from, into);
  }
}

void FlowTouches::arrive(const trace::Event& event, std::uint32_t from, std::uint32_t into) {
  BlockLife& target = lives_[into];
  if (target.depth == 0) {
    target.depth = std::min(lives_[from].depth + 1, kMaxChainDepth);
  }
  target.copied_in_bytes += event.size;
}

/// Whether a copy is a container moving to a larger block: it asks for that at the same place, and
/// copies its contents there first.
bool FlowTouches::is_growth(const BlockLife& from, const BlockLife& into, std::uint64_t bytes) {
  const bool is_empty = !into.holds_model() && into.grown_from == BlockLife::kNone;
  return is_empty && from.lane == into.lane && !from.is_mapping && from.born < into.born &&
         into.size >= from.size + from.size / 8 && bytes <= from.size && bytes >= from.size / 4 &&
         !is_unsampled(definitions_.session, from.stack) &&
         places_.of(from.stack) == places_.of(into.stack);
}

void FlowTouches::move(std::uint32_t from, std::uint32_t into, std::uint64_t bytes) {
  BlockLife& old = lives_[from];
  BlockLife& grown = lives_[into];
  old.has_moved = true;
  grown.grown_from = from;
  grown.grown_from_born = old.born;
  grown.growth_steps = old.growth_steps + 1;
  // What was copied on before the block moved is not expected a second time.
  const std::uint64_t arrived = old.read_bytes + old.copied_in_bytes + old.moved_in_bytes;
  const bool is_stale = old.holds_model() && is_most_of(old.copied_out_bytes - bytes, arrived);
  grown.moved_in_bytes = is_stale ? 0 : bytes;
  grown.depth = old.depth;
}

/// Also after the peak: the destination of a copy may be there before it is made.
void FlowTouches::note_plain(const trace::Event& event,
                             std::uint32_t from,
                             std::uint32_t into,
                             bool is_growth) {
  if (lives_[from].born < peak_ && lives_[into].born < peak_) {
    plain_copies_.add({.source = from,
                       .target = into,
                       .bytes = event.size,
                       .first_ns = event.at_ns,
                       .last_ns = event.at_ns,
                       .is_growth = is_growth});
  }
}

void FlowTouches::depart(const trace::Event& event,
                         trace::EventOrdinal ordinal,
                         std::uint32_t from,
                         std::uint32_t into,
                         bool is_growth) {
  BlockLife& source = lives_[from];
  source.copied_out_bytes += event.size;
  departures_.add({.source = from,
                   .target = into,
                   .at = ordinal,
                   .first_ns = event.at_ns,
                   .last_ns = event.at_ns,
                   .bytes = event.size,
                   .count = 1,
                   .stack = event.stack,
                   .is_growth = is_growth},
                  source.size);
}

}  // namespace tidemark::analyzer
