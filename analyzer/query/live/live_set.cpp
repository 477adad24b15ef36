#include "analyzer/query/live/live_set.hpp"

#include "analyzer/query/live/allocation_set.hpp"
#include "analyzer/query/live/backward_walk.hpp"
#include "analyzer/query/stack_sampling.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// Sees the events of a trace from an instant back to the start.
/// `visit` gets what is not released, with the bytes it holds: also none.
class BackwardReplay {
 public:
  using Visit = std::function<void(const trace::Event&, std::uint64_t)>;
  BackwardReplay(const LoadedTrace& trace, const Visit& visit) : trace_(trace), visit_(visit) {}

  void begin(const trace::Event& event) {
    if (released_.contains(event.allocation) || belongs_to_the_dead(event)) {
      return;
    }
    std::uint64_t bytes = event.size;
    if (const auto change = changes_.find(event.allocation); change != changes_.end()) {
      bytes = changed(bytes, change->second);
    }
    visit_(event, bytes);
  }
  void end(trace::AllocationNumber allocation, const trace::Event&) {
    released_.insert(allocation);
  }
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event&) {
    note_change(allocation, change);
  }
  void end_all(const trace::Event& event) {
    if (const auto process = trace_.process_of(event.thread)) {
      emptied_.insert(key_of(trace::index(*process), event.lane));
    }
  }
  void end_process(trace::ProcessId process, const trace::Event&) {
    ended_.insert(trace::index(process));
  }

 private:
  void note_change(trace::AllocationNumber allocation, std::int64_t change) {
    std::int64_t& sum = changes_[allocation];
    sum = wrapping_sum(sum, change);
  }

  [[nodiscard]] bool belongs_to_the_dead(const trace::Event& event) const {
    if ((ended_.empty() && emptied_.empty()) || !trace::ends_with_process(event.lane)) {
      return false;
    }
    const auto process = trace_.process_of(event.thread);
    return process && (ended_.contains(trace::index(*process)) ||
                       emptied_.contains(key_of(trace::index(*process), event.lane)));
  }

  const LoadedTrace& trace_;
  const Visit& visit_;
  AllocationSet released_;
  std::unordered_map<std::uint64_t, std::int64_t> changes_;  // By allocation that stays, in bytes.
  std::unordered_set<std::uint64_t> emptied_;                // Process and lane.
  std::unordered_set<std::uint32_t> ended_;                  // Process.
};

void check_against_totals(LiveSet& set) {
  for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
    set.unattributed[lane] = static_cast<std::int64_t>(set.totals.bytes[lane]);
  }
  for (const LiveStack& stack : set.stacks) {
    std::int64_t& rest = set.unattributed[static_cast<std::size_t>(stack.lane)];
    rest = wrapping_sum(rest, minus(stack.bytes));
  }
}

/// Stacks by id and lane. A large program has hundreds of thousands, and a report asks for them at
/// several instants, so they do not get a piece of memory each.
class StackRows {
 public:
  LiveStack& of(trace::StackId stack, trace::Lane lane) {
    if (rows_.size() * 4 >= slots_.size() * 3) {
      double_slots();
    }
    std::size_t slot = first_slot(stack, lane);
    for (; slots_[slot] != kFree; slot = (slot + 1) & (slots_.size() - 1)) {
      if (LiveStack& row = rows_[slots_[slot]]; row.stack == stack && row.lane == lane) {
        return row;
      }
    }
    slots_[slot] = static_cast<std::uint32_t>(rows_.size());
    return rows_.emplace_back(LiveStack{.stack = stack, .lane = lane});
  }

  /// Most bytes first.
  std::vector<LiveStack> take() {
    std::ranges::sort(rows_, [](const LiveStack& a, const LiveStack& b) {
      return std::tuple(b.bytes, a.stack, a.lane) < std::tuple(a.bytes, b.stack, b.lane);
    });
    return std::move(rows_);
  }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;

  [[nodiscard]] std::size_t first_slot(trace::StackId stack, trace::Lane lane) const {
    constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15;
    const std::uint64_t hash = key_of(trace::index(stack), lane) * kMultiplier;
    return (hash ^ hash >> 32U) & (slots_.size() - 1);
  }

  void double_slots() {
    constexpr std::size_t kFirstSlots = 64;
    slots_.assign(std::max(kFirstSlots, slots_.size() * 2), kFree);
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      std::size_t slot = first_slot(rows_[i].stack, rows_[i].lane);
      while (slots_[slot] != kFree) {
        slot = (slot + 1) & (slots_.size() - 1);
      }
      slots_[slot] = i;
    }
  }

  std::vector<LiveStack> rows_;
  std::vector<std::uint32_t> slots_;  // Rows by hash, with open addressing. A power of 2.
};

trace::StackId recorded_stack(const trace::Event& event) {
  return event.stack;
}

auto surely_recorded_stack(const LoadedTrace& trace) {
  return [&session = trace.definitions().session](const trace::Event& event) {
    return certain_stack(session, event);
  };
}

/// @param stack_of an allocation: whose row it is in.
template <typename StackOf>
std::vector<LiveStack> kept_stacks_by(LoadedTrace& trace,
                                      const Instant& from,
                                      const Instant& to,
                                      const StackOf& stack_of) {
  StackRows rows;
  visit_live(trace, from, to, [&](const trace::Event& event, std::uint64_t bytes) {
    LiveStack& row = rows.of(stack_of(event), event.lane);
    row.bytes += bytes;
    ++row.blocks;
  });
  return rows.take();
}

template <typename StackOf>
LiveSet live_set_by(LoadedTrace& trace, const Instant& at, const StackOf& stack_of) {
  LiveSet set{.at = at, .totals = {}, .stacks = {}};
  if (at.block >= trace.blocks().size()) {
    return set;
  }
  set.stacks = kept_stacks_by(trace, {}, at, stack_of);
  set.totals = trace.totals_at(at).value_or(trace.blocks()[at.block].at_begin);
  check_against_totals(set);
  return set;
}

}  // namespace

LiveSet live_set_at(LoadedTrace& trace, const Instant& at) {
  return live_set_by(trace, at, recorded_stack);
}

LiveSet certain_live_set_at(LoadedTrace& trace, const Instant& at) {
  return live_set_by(trace, at, surely_recorded_stack(trace));
}

void visit_unreleased(LoadedTrace& trace,
                      const Instant& from,
                      const Instant& to,
                      const std::function<void(const trace::Event&, std::uint64_t)>& visit) {
  BackwardReplay replay(trace, visit);
  walk_back(trace, from, to, replay);
}

void visit_live(LoadedTrace& trace,
                const Instant& from,
                const Instant& to,
                const std::function<void(const trace::Event&, std::uint64_t)>& visit) {
  visit_unreleased(trace, from, to, [&visit](const trace::Event& event, std::uint64_t bytes) {
    if (bytes != 0) {
      visit(event, bytes);
    }
  });
}

std::vector<LiveStack> kept_stacks(LoadedTrace& trace, const Instant& from, const Instant& to) {
  return kept_stacks_by(trace, from, to, recorded_stack);
}

std::vector<LiveStack> certain_kept_stacks(LoadedTrace& trace,
                                           const Instant& from,
                                           const Instant& to) {
  return kept_stacks_by(trace, from, to, surely_recorded_stack(trace));
}

}  // namespace tidemark::analyzer
