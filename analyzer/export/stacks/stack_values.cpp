#include "analyzer/export/stacks/stack_values.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <unordered_map>

namespace tidemark::exports {
namespace {

using analyzer::Instant;
using analyzer::LoadedTrace;

/// Rows by stack and lane.
class Rows {
 public:
  StackValues& of(trace::StackId stack, trace::Lane lane) {
    StackRow& row = rows_[std::uint64_t{trace::index(stack)} * trace::kLaneCount +
                          static_cast<std::uint64_t>(lane)];
    row.stack = stack;
    row.lane = lane;
    return row.values;
  }

  void keep(const std::vector<analyzer::LiveStack>& stacks) {
    for (const analyzer::LiveStack& stack : stacks) {
      of(stack.stack, stack.lane) += {.bytes = stack.bytes, .blocks = stack.blocks};
    }
  }

  [[nodiscard]] std::vector<StackRow> sorted() const {
    std::vector<StackRow> rows;
    rows.reserve(rows_.size());
    for (const auto& [key, row] : rows_) {
      rows.push_back(row);
    }
    std::ranges::sort(rows, [](const StackRow& a, const StackRow& b) {
      return holds_more(a.values, b.values) ||
             (!holds_more(b.values, a.values) &&
              std::tuple(a.stack, a.lane) < std::tuple(b.stack, b.lane));
    });
    return rows;
  }

 private:
  std::unordered_map<std::uint64_t, StackRow> rows_;
};

/// The events of `block` between the two instants.
std::span<const trace::Event> events_between(LoadedTrace& trace,
                                             std::size_t block,
                                             const Instant& from,
                                             const Instant& to) {
  const auto* const events = trace.events(block);
  if (events == nullptr) {
    return {};
  }
  const std::size_t end =
      block == to.block ? std::min<std::size_t>(to.events, events->size()) : events->size();
  const std::size_t first = block == from.block ? from.events : 0;
  return std::span(*events).first(end).subspan(std::min(first, end));
}

/// All that came in a range, and what older allocations keep of what they grew by. Sees the events
/// of the range from its end back, so that growth is known before the allocation that it came to.
class RangeReplay {
 public:
  RangeReplay(LoadedTrace& trace, Rows& rows) : trace_(trace), rows_(rows) {}

  void follow(const Instant& from, const Instant& to) {
    for (std::size_t block = std::min(to.block + 1, trace_.blocks().size());
         block-- > from.block;) {
      const auto events = events_between(trace_, block, from, to);
      for (std::size_t i = events.size(); i-- > 0;) {
        analyzer::follow_back(events[i], *this);
      }
    }
    add_older(from, to);
  }

  // See analyzer::follow_back.
  void begin(const trace::Event& event) {
    StackValues& values = rows_.of(event.stack, event.lane);
    values.allocated_bytes += event.size;
    ++values.allocated_blocks;
    if (const auto growth = growth_.find(event.allocation); growth != growth_.end()) {
      values.allocated_bytes += growth->second.came;
      growth_.erase(growth);
    }
  }
  void end(trace::AllocationNumber, const trace::Event&) {}
  void resize(trace::AllocationNumber allocation, std::int64_t change, const trace::Event& event) {
    Growth& growth = growth_[allocation];
    growth.came += event.kind == trace::EventKind::kGrow ? event.size : 0;
    growth.since = analyzer::wrapping_sum(growth.since, change);
    growth.stays = std::max(growth.stays, growth.since);
  }

 private:
  /// How one allocation changes from here to the end of the range, in bytes.
  struct Growth {
    std::uint64_t came = 0;
    std::int64_t since = 0;  ///< What came minus what went.
    /// What is left at the end of what came: the most that `since` was, as what was gained last
    /// goes first.
    std::int64_t stays = 0;
  };

  /// What is left in `growth_` began before the range, so its stacks are looked up.
  void add_older(const Instant& from, const Instant& to) {
    std::erase_if(growth_, [](const auto& entry) { return entry.second.came == 0; });
    if (growth_.empty()) {
      return;
    }
    visit_unreleased(trace_, {}, from, [this](const trace::Event& event, std::uint64_t) {
      if (const auto growth = growth_.find(event.allocation); growth != growth_.end()) {
        rows_.of(event.stack, event.lane).allocated_bytes += growth->second.came;
      }
    });
    visit_live(trace_, {}, to, [this](const trace::Event& event, std::uint64_t bytes) {
      if (const auto growth = growth_.find(event.allocation); growth != growth_.end()) {
        const auto stays = static_cast<std::uint64_t>(growth->second.stays);
        rows_.of(event.stack, event.lane).bytes += std::min(stays, bytes);
      }
    });
  }

  LoadedTrace& trace_;
  Rows& rows_;
  std::unordered_map<trace::AllocationNumber, Growth> growth_;
};

}  // namespace

StackValues& StackValues::operator+=(const StackValues& other) {
  bytes += other.bytes;
  blocks += other.blocks;
  allocated_bytes += other.allocated_bytes;
  allocated_blocks += other.allocated_blocks;
  return *this;
}

bool holds_more(const StackValues& a, const StackValues& b) {
  return std::tuple(a.bytes, a.allocated_bytes) > std::tuple(b.bytes, b.allocated_bytes);
}

StackTable stacks_at(LoadedTrace& trace, const Instant& at) {
  const analyzer::LiveSet live = analyzer::live_set_at(trace, at);
  Rows rows;
  rows.keep(live.stacks);
  for (const trace::Lane lane : trace::kShownLanes) {
    const std::int64_t missing = live.unattributed.at(static_cast<std::size_t>(lane));
    if (missing > 0) {
      rows.of(trace::kNoStack, lane).bytes += static_cast<std::uint64_t>(missing);
    }
  }
  return {.at_ns = at.at_ns, .since_ns = std::nullopt, .rows = rows.sorted()};
}

StackTable stacks_between(LoadedTrace& trace, const Instant& from, const Instant& to) {
  Rows rows;
  RangeReplay(trace, rows).follow(from, to);
  rows.keep(analyzer::kept_stacks(trace, from, to));
  return {.at_ns = to.at_ns, .since_ns = from.at_ns, .rows = rows.sorted()};
}

}  // namespace tidemark::exports
