#include "analyzer/layers/allocation_phases.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// The number of the first allocation at or after the event.
trace::AllocationNumber number_at(LoadedTrace& trace, trace::EventOrdinal ordinal) {
  const auto blocks = trace.blocks();
  const auto after =
      std::ranges::upper_bound(blocks, ordinal, {}, &trace::BlockSummary::first_event);
  if (after == blocks.begin()) {
    return 0;
  }
  const auto block = static_cast<std::size_t>(std::prev(after) - blocks.begin());
  trace::AllocationNumber number = blocks[block].first_allocation;
  const auto* events = trace.events(block);
  const auto before = ordinal - blocks[block].first_event;
  for (std::size_t i = 0; events != nullptr && i < std::min(before, events->size()); ++i) {
    number += trace::is_allocation((*events)[i].kind) ? 1U : 0U;
  }
  return number;
}

trace::AllocationNumber number_after(LoadedTrace& trace, std::uint64_t ns) {
  return number_at(trace, trace.ordinal(trace.instant_at(ns)));
}

}  // namespace

AllocationPhases::AllocationPhases(LoadedTrace& trace, std::span<const Phase> phases) {
  std::vector<Border> all;
  std::unordered_map<std::uint32_t, std::vector<Border>> by_thread;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Phase& phase = phases[i];
    trace::AllocationNumber begin = 0;
    trace::AllocationNumber end = 0;
    if (phase.marked) {
      begin = number_at(trace, phase.begin_event);
      end = number_at(trace, phase.end_event);
    } else {
      begin = phase.begin_ns == 0 ? 0 : number_after(trace, phase.begin_ns - 1);
      end = number_after(trace, phase.end_ns);
    }
    for (const Border& border : {Border{begin, i, true}, Border{end, i, false}}) {
      all.push_back(border);
      if (phase.marked) {
        by_thread[trace::index(phase.thread)].push_back(border);
      }
    }
  }
  all_ = segments_of(std::move(all));
  for (auto& [thread, borders] : by_thread) {
    by_thread_[thread] = segments_of(std::move(borders));
  }
}

AllocationPhases::Segments AllocationPhases::segments_of(std::vector<Border> borders) {
  std::ranges::stable_sort(borders, {}, &Border::at);
  Segments segments;
  std::set<std::size_t> open;  // A later one is further in.
  for (std::size_t i = 0; i < borders.size(); ++i) {
    if (borders[i].begins) {
      open.insert(borders[i].phase);
    } else {
      open.erase(borders[i].phase);
    }
    if (i + 1 == borders.size() || borders[i + 1].at != borders[i].at) {
      segments.push_back({borders[i].at, open.empty() ? kNoPhase : *open.rbegin()});
    }
  }
  return segments;
}

std::size_t AllocationPhases::found_in(const Segments& segments, trace::AllocationNumber number) {
  const auto after = std::ranges::upper_bound(segments, number, {}, &Segment::first);
  return after == segments.begin() ? kNoPhase : std::prev(after)->phase;
}

std::optional<std::size_t> AllocationPhases::at(trace::AllocationNumber number,
                                                trace::ThreadId thread) const {
  const auto own = by_thread_.find(trace::index(thread));
  std::size_t phase = own == by_thread_.end() ? kNoPhase : found_in(own->second, number);
  phase = phase == kNoPhase ? found_in(all_, number) : phase;
  return phase == kNoPhase ? std::nullopt : std::optional(phase);
}

}  // namespace tidemark::analyzer
