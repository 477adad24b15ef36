#include "analyzer/export/stacks/stack_values.hpp"

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
  const std::size_t end = std::min(to.block + 1, trace.blocks().size());
  for (std::size_t block = from.block; block < end; ++block) {
    for (const trace::Event& event : events_between(trace, block, from, to)) {
      if (trace::is_allocation(event.kind)) {
        rows.of(event.stack, event.lane) += {.allocated_bytes = event.size, .allocated_blocks = 1};
      }
    }
  }
  rows.keep(analyzer::kept_stacks(trace, from, to));
  return {.at_ns = to.at_ns, .since_ns = from.at_ns, .rows = rows.sorted()};
}

}  // namespace tidemark::exports
