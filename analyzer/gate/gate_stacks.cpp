#include "analyzer/gate/gate_stacks.hpp"

#include "analyzer/stacks/alike/stack_groups.hpp"
#include "analyzer/stacks/alike/stack_match.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

std::uint64_t growth(const GateStack& stack) {
  return stack.bytes > stack.before_bytes ? stack.bytes - stack.before_bytes : 0;
}

/// The modules of a baseline's unnamed code, for the table that compares them by name.
trace::Definitions modules_of(const Baseline& baseline) {
  std::set<std::string> names;
  for (const ReportStack& stack : baseline.stacks) {
    for (const NamedFrame& frame : stack.frames) {
      names.insert(frame.module);
    }
  }
  trace::Definitions definitions;
  for (const std::string& name : names) {
    definitions.modules.push_back({.path = name, .build_id = "", .base = 0});
  }
  return definitions;
}

std::vector<ComparableStack> comparable(std::span<const ReportStack> stacks,
                                        FrameTable& table,
                                        ComparableTree& tree,
                                        const std::string& build) {
  std::vector<ComparableStack> all;
  for (const ReportStack& stack : stacks) {
    std::vector<ComparableFrame> frames;
    for (std::size_t i = 0; i < startup_begin(stack.frames); ++i) {
      frames.push_back(table.add(stack.frames[i], build));
    }
    all.push_back({.lane = stack.lane, .bytes = stack.bytes, .node = tree.node_of(frames)});
  }
  return all;
}

std::vector<GateStack> gate_stacks(const std::vector<ReportStack>& now) {
  std::vector<GateStack> stacks;
  for (const ReportStack& stack : now) {
    stacks.push_back({.bytes = stack.bytes, .blocks = stack.blocks, .frames = stack.frames});
  }
  return stacks;
}

std::uint64_t value_of(const trace::LaneTotals& totals, const Subject& subject) {
  const auto lane = lane_of(subject.gauge);
  return lane ? totals[*lane] : totals.footprint();
}

std::uint64_t highest_in(const trace::BlockSummary& block, const Subject& subject) {
  const auto lane = lane_of(subject.gauge);
  return lane ? block.maximum[*lane] : block.maximum_footprint;
}

/// The ordinals of events after which the subject may have been at its highest.
struct EventRange {
  trace::EventOrdinal first = 0;
  trace::EventOrdinal last = UINT64_MAX;
};

std::optional<Instant> first_in_block(LoadedTrace& trace,
                                      std::size_t number,
                                      const Subject& subject,
                                      std::uint64_t bytes,
                                      const EventRange& range) {
  const trace::BlockSummary& block = trace.blocks()[number];
  const auto* const events = trace.events(number);
  if (events == nullptr) {
    return std::nullopt;
  }
  trace::LaneTotals totals = block.at_begin;
  for (std::uint32_t i = 0; i < events->size(); ++i) {
    trace::apply((*events)[i], totals);
    const trace::EventOrdinal ordinal = block.first_event + i;
    if (ordinal >= range.first && ordinal <= range.last && value_of(totals, subject) == bytes) {
      return Instant{.block = number, .events = i + 1, .at_ns = (*events)[i].at_ns};
    }
  }
  return std::nullopt;
}

std::optional<Instant> first_instant(LoadedTrace& trace,
                                     const Subject& subject,
                                     std::uint64_t bytes,
                                     const EventRange& range) {
  for (std::size_t i = 0; i < trace.blocks().size(); ++i) {
    const trace::BlockSummary& block = trace.blocks()[i];
    const bool overlaps =
        block.first_event <= range.last && block.first_event + block.event_count > range.first;
    if (!overlaps || highest_in(block, subject) < bytes) {
      continue;
    }
    if (auto found = first_in_block(trace, i, subject, bytes, range)) {
      return found;
    }
  }
  return std::nullopt;
}

/// An inferred phase has no events of its own; what was there before its first one counts, too.
EventRange range_of(LoadedTrace& trace, const Phase& phase) {
  if (phase.marked) {
    return {phase.begin_event, phase.end_event};
  }
  const std::uint64_t begin = trace.ordinal(trace.instant_at(phase.begin_ns));
  return {begin == 0 ? 0 : begin - 1, trace.ordinal(trace.instant_at(phase.end_ns))};
}

std::optional<Instant> highest_instant(LoadedTrace& trace,
                                       const Report& report,
                                       const Subject& subject,
                                       std::uint64_t bytes) {
  if (subject.phase.empty()) {
    return first_instant(trace, subject, bytes, {});
  }
  for (const Phase& phase : report.phases) {
    if (phase.name == subject.phase && phase.peak_bytes == bytes) {
      return first_instant(trace, subject, bytes, range_of(trace, phase));
    }
  }
  return std::nullopt;
}

bool belongs_to(const LiveStack& stack, const Subject& subject) {
  const auto lane = lane_of(subject.gauge);
  return lane ? stack.lane == *lane : trace::in_footprint(stack.lane);
}

}  // namespace

ExcessStacks grown_stacks(const trace::Definitions& definitions,
                          const Report& report,
                          const Baseline& baseline) {
  const std::vector<ReportStack>& now = report.live_stacks;
  FrameTable table(modules_of(baseline), definitions);
  ComparableTree tree;
  const auto before_stacks = comparable(baseline.stacks, table, tree, "before");
  const auto now_stacks = comparable(now, table, tree, "now");
  ExcessStacks excess{.grown = true, .stacks = gate_stacks(now)};
  for (const StackPair& pair : match_stacks(tree, before_stacks, now_stacks)) {
    excess.stacks[pair.after].before_bytes = baseline.stacks[pair.before].bytes;
    excess.stacks[pair.after].before_blocks = baseline.stacks[pair.before].blocks;
  }
  std::erase_if(excess.stacks, [](const GateStack& stack) { return growth(stack) == 0; });
  std::ranges::stable_sort(excess.stacks, std::ranges::greater{}, growth);
  return excess;
}

ExcessStacks alive_stacks(LoadedTrace& trace,
                          const Report& report,
                          const Subject& subject,
                          std::uint64_t bytes) {
  const auto at =
      is_sampled(subject.gauge) ? std::nullopt : highest_instant(trace, report, subject, bytes);
  if (!at) {
    return {};
  }
  std::vector<StackGroup> alive;
  for (const LiveStack& stack : certain_live_set_at(trace, *at).stacks) {
    if (belongs_to(stack, subject) && stack.bytes != 0) {
      alive.push_back({stack.lane, stack.bytes, stack.blocks, stack.stack});
    }
  }
  ExcessStacks excess;
  for (const StackGroup& group : merged_by_function(alive, trace.definitions())) {
    if (excess.stacks.size() == kMaxComparedStacks) {
      ++excess.more_stacks;
      excess.more_bytes += group.bytes;
      continue;
    }
    excess.stacks.push_back({.bytes = group.bytes,
                             .blocks = group.blocks,
                             .frames = named_stack(trace.definitions(), group.stack)});
  }
  return excess;
}

}  // namespace tidemark::analyzer
