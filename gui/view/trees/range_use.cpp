#include "gui/view/trees/range_use.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>

namespace tidemark::gui {

RangeUse::RangeUse(analyzer::LoadedTrace& trace, std::uint64_t begin_ns, std::uint64_t end_ns)
    : trace_(trace),
      from_(begin_ns == 0 ? analyzer::Instant{} : trace.instant_at(begin_ns - 1)),
      to_(trace.instant_at(end_ns)),
      next_(from_.block) {}

bool RangeUse::step() {
  const std::size_t end = std::min(to_.block + 1, trace_.blocks().size());
  if (next_ < end) {
    follow_block(next_++);
  }
  if (next_ < end) {
    return true;
  }
  add_older();
  return false;
}

void RangeUse::follow_block(std::size_t block) {
  const auto* events = trace_.events(block);
  if (events == nullptr) {
    return;
  }
  const std::size_t first = block == from_.block ? from_.events : 0;
  const std::size_t end =
      block == to_.block ? std::min<std::size_t>(to_.events, events->size()) : events->size();
  for (std::size_t i = first; i < end; ++i) {
    if (trace::in_footprint((*events)[i].lane)) {
      analyzer::follow((*events)[i], *this);
    }
  }
}

/// Of older blocks the range's events tell neither who asked for them nor how large they were.
void RangeUse::add_older() {
  if (!older_.empty() || !emptied_.empty()) {
    analyzer::visit_live(trace_, {}, from_, [this](const trace::Event& event, std::uint64_t bytes) {
      add_older(event, bytes);
    });
  }
  older_.clear();
  emptied_.clear();
}

void RangeUse::add_older(const trace::Event& allocation, std::uint64_t bytes) {
  if (!trace::in_footprint(allocation.lane)) {
    return;
  }
  Change change;
  if (const auto found = older_.find(allocation.allocation); found != older_.end()) {
    change = found->second;
  }
  if (const auto process = trace_.process_of(allocation.thread)) {
    change.has_ended |=
        emptied_.contains(analyzer::key_of(trace::index(*process), allocation.lane));
  }
  const std::uint64_t all = bytes + change.grown;
  const std::uint64_t gone = change.has_ended ? all : std::min(change.parts_freed, all);
  if (all == bytes && gone == 0) {
    return;
  }
  Weight& weight = row(allocation.stack, allocation.lane).weight;
  weight.bytes += change.grown;
  weight.freed += std::min(gone, change.grown);  // What came last goes first.
  weight.given_back += gone;
  weight.given_back_blocks += change.has_ended ? 1 : 0;
}

RangeUse::Row& RangeUse::row(trace::StackId stack, trace::Lane lane) {
  Row& found = rows_[analyzer::key_of(trace::index(stack), lane)];
  found.stack = stack;
  found.lane = lane;
  return found;
}

void RangeUse::begin(const trace::Event& event) {
  row(event.stack, event.lane).weight.add({.bytes = event.size, .blocks = 1});
  held_[event.allocation] = {event.stack, event.lane, event.thread, event.size};
}

void RangeUse::end(trace::AllocationNumber allocation, const trace::Event&) {
  if (const auto found = held_.find(allocation); found != held_.end()) {
    end(found->second);
    held_.erase(found);
  } else {
    older_[allocation].has_ended = true;
  }
}

void RangeUse::end(const Held& held) {
  row(held.stack, held.lane)
      .weight.add({.freed = held.bytes,
                   .freed_blocks = 1,
                   .given_back = held.bytes,
                   .given_back_blocks = 1});
}

void RangeUse::resize(trace::AllocationNumber allocation,
                      std::int64_t change,
                      const trace::Event&) {
  const auto found = held_.find(allocation);
  if (found == held_.end()) {
    Change& older = older_[allocation];
    older.grown += change > 0 ? static_cast<std::uint64_t>(change) : 0;
    older.parts_freed += change < 0 ? 0 - static_cast<std::uint64_t>(change) : 0;
    return;
  }
  Held& held = found->second;
  const std::uint64_t bytes = analyzer::changed(held.bytes, change);
  Weight& weight = row(held.stack, held.lane).weight;
  if (change > 0) {
    weight.bytes += bytes - held.bytes;
  } else {
    weight.freed += held.bytes - bytes;
    weight.given_back += held.bytes - bytes;
  }
  held.bytes = bytes;
}

void RangeUse::end_all(const trace::Event& event) {
  const auto process = trace_.process_of(event.thread);
  if (process) {
    emptied_.insert(analyzer::key_of(trace::index(*process), event.lane));
  }
  std::erase_if(held_, [&](const auto& entry) {
    const Held& held = entry.second;
    const bool goes = held.lane == event.lane && trace_.process_of(held.thread) == process;
    if (goes) {
      end(held);
    }
    return goes;
  });
}

NamedStacks RangeUse::take() {
  StackNamer namer(trace_.definitions());
  for (const auto& [key, one] : rows_) {
    namer.add(one.stack, one.lane, one.weight);
  }
  return namer.take();
}

}  // namespace tidemark::gui
