#include "analyzer/query/live_set.hpp"

#include "analyzer/query/ahead.hpp"
#include "analyzer/query/allocation_set.hpp"
#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace tidemark::analyzer {
namespace {

/// Sees the events of a trace from an instant back to the start.
class BackwardReplay {
 public:
  explicit BackwardReplay(const LoadedTrace& trace) : trace_(trace) {}

  void see(std::span<const trace::Event> events) {
    for (std::size_t i = events.size(); i-- > 0;) {
      follow_back(events[i], *this);
    }
  }

  void see(const trace::BlockDigest& digest) {
    for (const auto& survivor : digest.survivors) {
      begin(allocation_of(survivor));
    }
    for (const auto& release : digest.releases) {
      if (release.part_bytes == 0) {
        released_.insert(release.allocation);
      } else {
        note_change(release.allocation, wrapping_difference(0, release.part_bytes));
      }
    }
  }

  [[nodiscard]] std::vector<LiveStack> stacks() const {
    std::vector<LiveStack> sorted;
    sorted.reserve(stacks_.size());
    for (const auto& [key, stack] : stacks_) {
      sorted.push_back(stack);
    }
    std::ranges::sort(sorted, [](const LiveStack& a, const LiveStack& b) {
      return std::tuple(b.bytes, a.stack, a.lane) < std::tuple(a.bytes, b.stack, b.lane);
    });
    return sorted;
  }

  void begin(const trace::Event& event) {
    if (released_.contains(event.allocation) || belongs_to_the_dead(event)) {
      return;
    }
    std::uint64_t bytes = event.size;
    if (const auto change = changes_.find(event.allocation); change != changes_.end()) {
      bytes = changed(bytes, change->second);
    }
    LiveStack& stack = stacks_[key_of(trace::index(event.stack), event.lane)];
    stack.stack = event.stack;
    stack.lane = event.lane;
    stack.bytes += bytes;
    ++stack.blocks;
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
  AllocationSet released_;
  std::unordered_map<std::uint64_t, std::int64_t> changes_;  // Of an allocation that stays, bytes.
  std::unordered_set<std::uint64_t> emptied_;                // Process and lane.
  std::unordered_set<std::uint32_t> ended_;                  // Process.
  std::unordered_map<std::uint64_t, LiveStack> stacks_;      // By stack and lane.
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

/// What is read of a block before it is its turn.
struct BlockAhead {
  trace::BlockDigest digest;
  bool has_digest = false;
};

/// Everything between two instants, seen from the later one back.
BackwardReplay replay_between(LoadedTrace& trace, const Instant& from, const Instant& to) {
  BackwardReplay replay(trace);
  if (to.block < from.block) {
    return replay;
  }
  Ahead<BlockAhead> blocks(to.block - from.block + 1, [&] {
    return [&to, reader = std::shared_ptr(trace.block_reader())](std::size_t number,
                                                                 BlockAhead& ahead) {
      ahead.has_digest = reader->enter(to.block - number) && reader->digest(ahead.digest);
      reader->leave();
    };
  });
  for (std::size_t block = to.block + 1; block-- > from.block;) {
    const std::size_t first = block == from.block ? from.events : 0;
    const bool is_whole = first == 0 && block != to.block;
    const BlockAhead& ahead = blocks.next();
    if (is_whole && ahead.has_digest && !ahead.digest.has_ends) {
      replay.see(ahead.digest);
    } else if (const auto* events = trace.events(block)) {
      const std::size_t end =
          block == to.block ? std::min<std::size_t>(to.events, events->size()) : events->size();
      replay.see(std::span(*events).first(end).subspan(std::min(first, end)));
    }
  }
  return replay;
}

}  // namespace

LiveSet live_set_at(LoadedTrace& trace, const Instant& at) {
  LiveSet set{.at = at, .totals = {}, .stacks = {}};
  if (at.block >= trace.blocks().size()) {
    return set;
  }
  set.stacks = replay_between(trace, {}, at).stacks();
  set.totals = trace.totals_at(at).value_or(trace.blocks()[at.block].at_begin);
  check_against_totals(set);
  return set;
}

std::vector<LiveStack> kept_stacks(LoadedTrace& trace, const Instant& from, const Instant& to) {
  if (to.block >= trace.blocks().size()) {
    return {};
  }
  return replay_between(trace, from, to).stacks();
}

}  // namespace tidemark::analyzer
