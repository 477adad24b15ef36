#include "analyzer/html/contents/page_instants.hpp"

#include "analyzer/html/contents/live_series.hpp"
#include "analyzer/html/contents/packed.hpp"

namespace tidemark::html {
namespace {

using analyzer::Report;

/// A branch is folded when it holds less than one in so many of the instant's bytes. At the peak
/// people look closer.
constexpr std::uint64_t kPeakShare = 4000;
constexpr std::uint64_t kOtherShare = 800;
/// Where even that leaves more entries than these, more is folded: a page stays small whatever the
/// load. A flame graph of the whole draws nothing below one in 500.
constexpr std::size_t kMaxPeakStacks = 400;
constexpr std::size_t kMaxOtherStacks = 100;

PageInstant page_instant(analyzer::LoadedTrace& trace,
                         const StoredInstant& stored,
                         const HeldStacks& held) {
  PageInstant instant{.stored = stored, .totals = {}, .stacks = {}};
  const auto totals = trace.totals_at(stored.at);
  instant.totals = totals.value_or(trace.blocks()[stored.at.block].at_begin);
  const std::uint64_t footprint = instant.totals.footprint();
  instant.least_bytes = footprint / (stored.is_peak ? kPeakShare : kOtherShare);
  instant.stacks = held.folded(instant.least_bytes);
  const std::size_t most = stored.is_peak ? kMaxPeakStacks : kMaxOtherStacks;
  while (instant.stacks.size() > most && instant.least_bytes < footprint) {
    instant.least_bytes += instant.least_bytes / 2 + 1;
    instant.stacks = held.folded(instant.least_bytes);
  }
  instant.stack_count = held.stack_count();
  instant.unattributed_bytes = static_cast<std::int64_t>(footprint - held.bytes());
  return instant;
}

}  // namespace

std::vector<PageInstant> page_instants(analyzer::LoadedTrace& trace,
                                       const Report& report,
                                       StackPlanter& planter,
                                       const StackForest& forest) {
  const auto chosen = choose_instants(trace, report);
  std::vector<analyzer::Instant> positions;
  positions.reserve(chosen.size());
  for (const StoredInstant& instant : chosen) {
    positions.push_back(instant.at);
  }
  const auto changes = live_changes(trace, positions);
  HeldStacks held(planter, forest, trace.definitions());
  auto next = changes.begin();
  std::vector<PageInstant> instants;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (; next != changes.end() && next->instant == i; ++next) {
      held.apply(*next);
    }
    instants.push_back(page_instant(trace, chosen[i], held));
  }
  return instants;
}

Json lanes_document(const trace::LaneTotals& lanes) {
  Json json;
  for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
    json[trace::key_of(static_cast<trace::Lane>(lane))] = lanes.bytes.at(lane);
  }
  return json;
}

Json instant_document(const PageInstant& instant) {
  const auto& stacks = instant.stacks;
  return {{"at_ns", instant.stored.at.at_ns},
          {"label", instant.stored.label},
          {"is_peak", instant.stored.is_peak},
          {"bytes", instant.totals.footprint()},
          {"lanes", lanes_document(instant.totals)},
          {"unattributed", instant.unattributed_bytes},
          {"least", instant.least_bytes},
          {"stacks", instant.stack_count},
          {"node", packed_column(stacks, [](const auto& stack) { return stack.node; })},
          {"lane", packed_column(stacks, [](const auto& stack) { return stack.lane; })},
          {"held", packed_column(stacks, [](const auto& stack) { return stack.bytes; })},
          {"blocks", packed_column(stacks, [](const auto& stack) { return stack.blocks; })},
          {"folded", packed_column(stacks, [](const auto& stack) { return stack.folded; })},
          {"row", packed_column(stacks, [](const auto& stack) { return stack.row; })}};
}

}  // namespace tidemark::html
