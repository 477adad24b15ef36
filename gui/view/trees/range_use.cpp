#include "gui/view/trees/range_use.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/live/live_set.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

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

/// The range's events do not tell the stacks and sizes of older blocks, so these are looked up.
void RangeUse::add_older() {
  if (!older_.empty()) {
    analyzer::visit_unreleased(
        trace_, {}, from_,
        [this](const trace::Event& event, std::uint64_t bytes) { add_older(event, bytes); });
  }
  older_.clear();
}

void RangeUse::add_older(const trace::Event& allocation, std::uint64_t bytes) {
  if (!trace::in_footprint(allocation.lane)) {
    return;
  }
  const auto found = older_.find(allocation.allocation);
  if (found == older_.end()) {
    return;
  }
  const Change& change = found->second;
  const std::uint64_t gone = change.has_ended ? bytes : std::min(change.own_given_back, bytes);
  if (change.weight.bytes == 0 && gone == 0) {
    return;
  }
  Weight& all = row(allocation.stack, allocation.lane).weight;
  all.add(change.weight);
  all.add({.given_back = gone, .given_back_blocks = change.has_ended ? 1U : 0U});
}

RangeUse::Row& RangeUse::row(trace::StackId stack, trace::Lane lane) {
  Row& found = rows_[analyzer::key_of(trace::index(stack), lane)];
  found.stack = stack;
  found.lane = lane;
  return found;
}

void RangeUse::begin(const trace::Event& event) {
  row(event.stack, event.lane).weight.add({.bytes = event.size, .blocks = 1});
  held_[event.allocation] = {.stack = event.stack,
                             .lane = event.lane,
                             .thread = event.thread,
                             .bytes = event.size,
                             .first = event.allocation};
}

Weight& RangeUse::weight_of(const Held& held, const Part& part) {
  return part.is_of_older ? older_[held.first].weight : row(part.stack, held.lane).weight;
}

/// A block that is not in `held_` is older than the range.
RangeUse::Held& RangeUse::find(trace::AllocationNumber allocation, const trace::Event& event) {
  return held_
      .try_emplace(
          allocation,
          Held{.lane = event.lane, .thread = event.thread, .is_older = true, .first = allocation})
      .first->second;
}

void RangeUse::grow(Held& held, const Part& part) {
  weight_of(held, part).bytes += part.bytes;
  if (!held.is_older && held.grown.empty() && held.stack == part.stack) {
    held.bytes += part.bytes;
  } else if (!held.grown.empty() && held.grown.back().stack == part.stack &&
             held.grown.back().is_of_older == part.is_of_older) {
    held.grown.back().bytes += part.bytes;
  } else {
    held.grown.push_back(part);
  }
}

/// Bytes gained last go first.
void RangeUse::shrink(Held& held, std::uint64_t bytes, Going going) {
  const auto gone_weight = [going](std::uint64_t gone) {
    return Weight{.freed = gone, .given_back = going == Going::kGivenBack ? gone : 0};
  };
  while (bytes > 0 && !held.grown.empty()) {
    Part& last = held.grown.back();
    const std::uint64_t gone = std::min(last.bytes, bytes);
    weight_of(held, last).add(gone_weight(gone));
    bytes -= gone;
    last.bytes -= gone;
    if (last.bytes == 0) {
      held.grown.pop_back();
    }
  }
  if (held.is_older) {
    if (going == Going::kGivenBack) {
      older_[held.first].own_given_back += bytes;
    }
    return;
  }
  const std::uint64_t gone = std::min(held.bytes, bytes);
  held.bytes -= gone;
  row(held.stack, held.lane).weight.add(gone_weight(gone));
}

void RangeUse::end(trace::AllocationNumber allocation, const trace::Event& event) {
  end(find(allocation, event), Going::kGivenBack);
  held_.erase(allocation);
}

void RangeUse::end(Held& held, Going going) {
  std::uint64_t bytes = held.bytes;
  for (const Part& part : held.grown) {
    bytes += part.bytes;
  }
  shrink(held, bytes, going);
  const bool is_given_back = going == Going::kGivenBack;
  if (!held.is_older) {
    row(held.stack, held.lane)
        .weight.add({.freed_blocks = 1, .given_back_blocks = is_given_back ? 1U : 0U});
  } else if (is_given_back) {
    older_[held.first].has_ended = true;
  }
}

void RangeUse::move(const trace::Event& event) {
  Held moved = find(event.released, event);
  held_.erase(event.released);
  if (moved.lane != event.lane) {
    end(moved, Going::kGivenBack);
    begin(event);
    return;
  }
  if (event.size > event.released_size) {
    grow(moved, {.stack = event.stack, .bytes = event.size - event.released_size});
  } else {
    shrink(moved, event.released_size - event.size, Going::kGivenBack);
  }
  held_[event.allocation] = std::move(moved);
}

void RangeUse::resize(trace::AllocationNumber allocation,
                      std::int64_t change,
                      const trace::Event& event) {
  Held& held = find(allocation, event);
  if (change < 0) {
    return shrink(held, 0 - static_cast<std::uint64_t>(change), Going::kGivenBack);
  }
  const auto bytes = static_cast<std::uint64_t>(change);
  if (held.grown.empty()) {
    grow(held, {.is_of_older = held.is_older, .stack = held.stack, .bytes = bytes});
  } else {
    grow(held, {held.grown.back().is_of_older, held.grown.back().stack, bytes});
  }
}

void RangeUse::end_all(const trace::Event& event) {
  const auto process = trace_.process_of(event.thread);
  if (event.size > 0) {
    ended_.bytes += event.size;
    ended_.last_ns = event.at_ns;
    ended_processes_.insert(event.extra);
  }
  for (auto entry = held_.begin(); entry != held_.end();) {
    Held& held = entry->second;
    const bool goes = held.lane == event.lane && trace_.process_of(held.thread) == process;
    if (goes) {
      end(held, Going::kWithProcess);
    }
    entry = goes ? held_.erase(entry) : std::next(entry);
  }
}

EndedUse RangeUse::ended() const {
  EndedUse ended = ended_;
  ended.processes = ended_processes_.size();
  return ended;
}

NamedStacks RangeUse::take() {
  StackNamer namer(trace_.definitions());
  for (const auto& [key, one] : rows_) {
    namer.add(one.stack, one.lane, one.weight);
  }
  return namer.take();
}

}  // namespace tidemark::gui
