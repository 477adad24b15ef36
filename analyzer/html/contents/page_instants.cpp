#include "analyzer/html/contents/page_instants.hpp"

#include "analyzer/html/contents/live_series.hpp"
#include "analyzer/html/contents/packed.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/report/facts/group_passages.hpp"
#include "analyzer/report/facts/lives_text.hpp"
#include "collector/trace/coding/bytes.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tidemark::html {
namespace {

using analyzer::Report;

/// Stacks with less than this part of the instant's bytes are folded. At the peak readers look
/// closer. A flame graph of the whole draws nothing below one in 500.
constexpr std::uint64_t kPeakShare = 4000;
constexpr std::uint64_t kOtherShare = 800;

/// A limit, and each higher one, half as much again, up to so many bytes. These may be any number
/// that a trace has.
std::vector<std::uint64_t> raised_limits(std::uint64_t limit, std::uint64_t bytes) {
  std::vector<std::uint64_t> limits{limit};
  while (limits.back() < bytes) {
    limits.push_back(limits.back() + std::min(bytes - limits.back(), limits.back() / 2 + 1));
  }
  return limits;
}

/// Raises a limit as little as it takes for the live set to have at most so many entries, if that
/// helps. To fold is dear, and a higher limit leaves no more of them: so the limits are halved.
/// @param bytes that are held: no limit is higher.
std::vector<FoldedStack> folded_to(std::size_t most,
                                   const Folding& folding,
                                   std::uint64_t bytes,
                                   FoldLimits& limits,
                                   std::uint64_t& raised) {
  auto stacks = folding.folded(limits);
  if (stacks.size() <= most) {
    return stacks;
  }
  const std::vector<std::uint64_t> values = raised_limits(raised, bytes);
  std::size_t too_low = 0;
  std::size_t last = values.size() - 1;
  while (too_low + 1 < last) {
    const std::size_t middle = too_low + (last - too_low) / 2;
    raised = values[middle];
    (folding.folded(limits).size() > most ? too_low : last) = middle;
  }
  raised = values[last];
  return folding.folded(limits);
}

/// Large rows come first, whatever branch they are in: in a program that imports a lot, their
/// branches leave as many remnants as there is space for, each of a few small stacks.
std::vector<FoldedStack> fitted(std::size_t most,
                                const Folding& folding,
                                std::uint64_t bytes,
                                FoldLimits& limits) {
  const std::uint64_t least_branch = limits.branch_bytes;
  limits.branch_bytes = bytes;
  folded_to(most / 2, folding, bytes, limits, limits.row_bytes);
  limits.branch_bytes = least_branch;
  return folded_to(most, folding, bytes, limits, limits.branch_bytes);
}

/// If the stacks hold little of the totals, as in a damaged trace, all of it is one branch.
FoldLimits lowest_limits(const PageInstant& instant, const HeldStacks& held) {
  return {.branch_bytes = std::min(instant.limits.branch_bytes, held.bytes()),
          .row_bytes = instant.limits.row_bytes};
}

PageInstant page_instant(analyzer::LoadedTrace& trace, const StoredInstant& stored) {
  PageInstant instant{.stored = stored, .totals = {}, .stacks = {}, .limits = {}};
  const auto totals = trace.totals_at(stored.at);
  instant.totals = totals.value_or(trace.blocks()[stored.at.block].at_begin);
  const std::uint64_t footprint = instant.totals.footprint();
  const std::uint64_t least = footprint / (stored.is_peak ? kPeakShare : kOtherShare);
  instant.limits = {.branch_bytes = least, .row_bytes = least};
  return instant;
}

void list_stacks(const HeldStacks& held,
                 const Folding& folding,
                 const InstantRoom& room,
                 PageInstant& instant) {
  instant.stacks = fitted(instant.stored.is_peak ? room.at_peak : room.elsewhere, folding,
                          held.bytes(), instant.limits);
  instant.stack_count = folding.stack_count();
  instant.unattributed_bytes = static_cast<std::int64_t>(instant.totals.footprint() - held.bytes());
}

/// Compares the live set of each instant with that of the peak, row by row.
class PeakComparison {
 public:
  /// All stay borrowed. All `changes` have been applied to `held`.
  PeakComparison(HeldStacks& held,
                 std::span<const LiveChange> changes,
                 std::vector<PageInstant>& instants,
                 std::vector<std::uint64_t> at_peak)
      : held_(held), changes_(changes), instants_(instants), at_peak_(std::move(at_peak)) {
    for (const PageInstant& instant : instants_) {
      if (instant.stored.is_peak) {
        list_large_rows(instant);
      }
    }
  }

  void run() {
    auto next = changes_.begin();
    for (std::size_t i = 0; i < instants_.size(); ++i) {
      for (; next != changes_.end() && next->instant == i; ++next) {
        if (!trace::in_footprint(next->lane)) {
          continue;
        }
        const auto row = row_of_.find(held_.reading_of(*next));
        if (row != row_of_.end()) {
          rows_[row->second].bytes += static_cast<std::uint64_t>(next->bytes);
        }
      }
      if (!instants_[i].stored.is_peak) {
        compare(instants_[i]);
      }
    }
  }

 private:
  struct Row {
    std::uint32_t number = 0;  ///< At the peak.
    std::uint32_t reading = 0;
    std::uint64_t bytes = 0;  ///< At the instant.
  };

  [[nodiscard]] std::uint64_t bytes_at_peak(std::uint32_t reading) const {
    return reading < at_peak_.size() ? at_peak_[reading] : 0;
  }

  void list_large_rows(const PageInstant& peak) {
    least_bytes_ = std::max(peak.limits.row_bytes, peak.totals.footprint() / kOtherShare);
    for (const FoldedStack& stack : peak.stacks) {
      if (stack.row != 0 && bytes_at_peak(stack.reading) >= least_bytes_ &&
          row_of_.try_emplace(stack.reading, rows_.size()).second) {
        rows_.push_back({.number = stack.row, .reading = stack.reading});
      }
    }
    std::ranges::sort(rows_, {}, &Row::number);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      row_of_[rows_[i].reading] = i;
    }
  }

  void compare(PageInstant& instant) const {
    PageInstant::BesidePeak& beside = instant.beside_peak;
    beside.least_bytes = std::max(least_bytes_, instant.limits.row_bytes);
    std::unordered_set<std::uint32_t> here;
    for (const FoldedStack& stack : instant.stacks) {
      if (stack.row != 0) {
        here.insert(stack.reading);
        beside.at_peak.resize(std::max<std::size_t>(beside.at_peak.size(), stack.row));
        beside.at_peak[stack.row - 1] = bytes_at_peak(stack.reading);
      }
    }
    for (const Row& row : rows_) {
      if (!here.contains(row.reading)) {
        beside.missing_rows.push_back(row.number);
        beside.missing_held.push_back(row.bytes);
      }
    }
  }

  HeldStacks& held_;
  std::span<const LiveChange> changes_;
  std::vector<PageInstant>& instants_;
  std::vector<std::uint64_t> at_peak_;  // By reading.
  std::uint64_t least_bytes_ = 0;
  std::vector<Row> rows_;                                  // The peak's large ones.
  std::unordered_map<std::uint32_t, std::size_t> row_of_;  // In `rows_`, by reading.
};

PageInstant::LargestBlock largest_of(const analyzer::FollowedGroups& followed,
                                     const trace::Definitions& definitions,
                                     const analyzer::LoadMoments& moments) {
  const analyzer::BlockLives& lives = followed.own.lives;
  PageInstant::LargestBlock largest{.bytes = lives.largest_bytes,
                                    .row = followed.largest_group + 1,
                                    .lines = {analyzer::lives_text(lives, definitions, moments)}};
  for (auto lines :
       {analyzer::tensor_lines(definitions, followed.largest, lives.largest_bytes, moments.peak_ns),
        analyzer::passage_lines(definitions, followed.own)}) {
    largest.lines.insert(largest.lines.end(), lines.begin(), lines.end());
  }
  return largest;
}

/// Sets when the blocks of the peak's rows came and went, and all details of the largest block.
void tell_lives(analyzer::LoadedTrace& trace,
                const Report& report,
                const Folding& folding,
                PageInstant& instant) {
  const auto rows = folding.rows_by_stack(instant.limits);
  std::uint32_t count = 0;
  for (const auto& [stack, row] : rows) {
    count = std::max(count, row);
  }
  const auto followed = analyzer::follow_groups(
      trace, instant.stored.at, count,
      [&rows](const trace::Event& event) -> std::optional<std::uint32_t> {
        const auto row = rows.find(analyzer::key_of(trace::index(event.stack), event.lane));
        return row == rows.end() ? std::nullopt : std::optional(row->second - 1);
      });
  const analyzer::LoadMoments moments{
      .peak_ns = report.peak.at.at_ns, .end_ns = report.duration_ns, .phases = report.phases};
  instant.lives.reserve(count);
  for (const analyzer::FollowedGroup& group : followed.groups) {
    std::string& text =
        instant.lives.emplace_back(analyzer::lives_text(group.lives, trace.definitions(), moments));
    for (const std::string& line : analyzer::passage_lines(trace.definitions(), group)) {
      text += '\n' + line;
    }
  }
  if (followed.own.lives.blocks > 0) {
    instant.largest = largest_of(followed, trace.definitions(), moments);
  }
}

/// By the last look at each block until then, as in the window's pane of pages.
void tell_untouched(analyzer::LoadedTrace& trace, PageInstant& instant) {
  const analyzer::Instant& at = instant.stored.at;
  std::unordered_map<std::uint64_t, std::uint64_t> touched;
  for (const trace::Look& look : trace.definitions().looks) {
    if (look.at_ns <= at.at_ns) {
      touched[look.allocation] = look.bytes;
    }
  }
  const auto untouched_of = [&](const trace::Event& event, std::uint64_t bytes) {
    const auto seen = touched.find(event.allocation);
    return seen == touched.end() ? 0 : bytes - std::min(bytes, seen->second);
  };
  if (!touched.empty()) {
    std::uint64_t& untouched = instant.untouched_bytes.emplace(0);
    analyzer::visit_live(trace, {}, at, [&](const trace::Event& event, std::uint64_t bytes) {
      untouched += event.lane == trace::Lane::kHeap ? untouched_of(event, bytes) : 0;
    });
  }
  if (at.at_ns > 0) {
    analyzer::visit_live(trace, trace.instant_at(at.at_ns - 1), at,
                         [&](const trace::Event& event, std::uint64_t bytes) {
                           const bool is_told = untouched_of(event, bytes) > 0;
                           instant.just_asked_bytes +=
                               event.lane == trace::Lane::kHeap && !is_told ? bytes : 0;
                         });
  }
}

}  // namespace

std::vector<PageInstant> page_instants(analyzer::LoadedTrace& trace,
                                       const Report& report,
                                       TraceStacks& stacks,
                                       const StackForest& forest,
                                       const InstantRoom& room,
                                       bool with_rows) {
  const auto chosen = choose_instants(trace, report);
  std::vector<analyzer::Instant> positions;
  positions.reserve(chosen.size());
  for (const StoredInstant& instant : chosen) {
    positions.push_back(instant.at);
  }
  const auto changes = live_changes(trace, positions);
  HeldStacks held(stacks, forest);
  auto next = changes.begin();
  std::vector<PageInstant> instants;
  std::vector<std::uint64_t> at_peak;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (; next != changes.end() && next->instant == i; ++next) {
      held.apply(*next);
    }
    PageInstant& instant = instants.emplace_back(page_instant(trace, chosen[i]));
    const Folding folding(held, lowest_limits(instant, held));
    list_stacks(held, folding, room, instant);
    if (with_rows && chosen[i].is_peak) {
      tell_lives(trace, report, folding, instant);
      tell_untouched(trace, instant);
      at_peak = held.bytes_of_readings();
    }
  }
  if (with_rows) {
    PeakComparison(held, changes, instants, std::move(at_peak)).run();
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
          {"least", instant.limits.row_bytes},
          {"node", packed_column(stacks, [](const auto& stack) { return stack.node; })},
          {"lane", packed_column(stacks, [](const auto& stack) { return stack.lane; })},
          {"held", packed_column(stacks, [](const auto& stack) { return stack.bytes; })},
          {"blocks", packed_column(stacks, [](const auto& stack) { return stack.blocks; })},
          {"folded", packed_column(stacks, [](const auto& stack) { return stack.folded; })}};
}

void add_rows(const PageInstant& instant, Json& document) {
  document["stacks"] = instant.stack_count;
  document["row"] = packed_column(instant.stacks, [](const auto& stack) { return stack.row; });
  if (!instant.lives.empty()) {
    document["lives"] = instant.lives;
  }
  if (instant.largest) {
    document["largest"] = {{"bytes", instant.largest->bytes},
                           {"row", instant.largest->row},
                           {"lines", instant.largest->lines}};
  }
  if (instant.stored.is_peak) {
    return;
  }
  const PageInstant::BesidePeak& beside = instant.beside_peak;
  std::vector<std::uint64_t> here(beside.at_peak.size());
  for (const FoldedStack& stack : instant.stacks) {
    if (stack.row != 0) {
      here[stack.row - 1] += stack.bytes;
    }
  }
  std::vector<std::uint64_t> changes;  // Most rows are as they were: these are zeros.
  for (std::size_t row = 0; row < here.size(); ++row) {
    changes.push_back(trace::zigzag(here[row] - beside.at_peak[row]));
  }
  document["changes"] = packed(changes);
  document["missing"] = packed_column(beside.missing_rows, [](std::uint32_t row) { return row; });
  document["missing_held"] = packed(beside.missing_held);
  document["changes_from"] = beside.least_bytes;
}

}  // namespace tidemark::html
