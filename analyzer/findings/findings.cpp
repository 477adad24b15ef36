#include "analyzer/findings/findings.hpp"

#include "analyzer/load/reading_progress.hpp"
#include "analyzer/stacks/regions/memory_regions.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tidemark::analyzer {

void Evidence::explain(const std::vector<std::uint32_t>& lives) {
  for (const std::uint32_t life : lives) {
    explained[life] = true;
  }
}

std::uint64_t Evidence::room_at_peak(std::uint32_t life) const {
  return std::max(flow.lives()[life].size, flow.size_after(life, peak - 1));
}

void Evidence::name(std::uint32_t life, trace::TensorId tensor) {
  const BlockLife& block = flow.lives()[life];
  if (!is_named[life]) {
    sized.push_back({.tensor = tensor,
                     .allocation = block.allocation,
                     .bytes = flow.size_after(life, peak - 1),
                     .stack = block.stack});
    is_named[life] = true;
  }
}

std::optional<LowerPeak> higher_of(const std::optional<LowerPeak>& one,
                                   const std::optional<LowerPeak>& other) {
  if (!one || !other) {
    return std::nullopt;
  }
  return one->bytes >= other->bytes ? one : other;
}

bool Evidence::may_be_moved_by_collector(std::uint32_t from, std::uint32_t to) const {
  return may_collector_move(trace, flow.lives()[from].stack, flow.lives()[to].stack);
}

std::uint64_t Evidence::high_since_ns() const {
  return std::min(totals.plateau_ns, load.peak.at.at_ns);
}

std::uint64_t Evidence::values_since_ns() const {
  constexpr std::uint64_t kHeaderPart = 64;
  const auto since_ns = load.model.source == ModelSource::kFiles
                            ? when_model_bytes(load, load.model.bytes / kHeaderPart)
                            : std::nullopt;
  return load.model.files.empty() ? 0 : since_ns.value_or(model_first_use_ns(load));
}

std::uint64_t Evidence::worth_saying() const {
  constexpr std::uint64_t kMinWorthSayingBytes = std::uint64_t{1} << 20U;
  return std::max(kMinWorthSayingBytes, load.peak.footprint_bytes / kWorthSayingPart);
}

bool Evidence::is_lower(std::uint64_t without, std::uint64_t bytes) const {
  const bool lowers_peak = without + worth_saying() <= load.peak.footprint_bytes;
  return is_in_turn ? !lowers_peak && bytes >= worth_saying() : lowers_peak;
}

std::uint64_t Evidence::peak_with_all_saved(const std::shared_ptr<const Savings>& savings) const {
  if (removed.empty()) {
    return what_if.peak_with(*savings);
  }
  Removal removal = removed;
  removal.savings.push_back(savings);
  return removal.is_of_savings() ? what_if.peak_with(savings_of(removal))
                                 : LoadWithout(trace, removal).peak().lanes.footprint();
}

std::optional<LowerPeak> Evidence::lower_peak(const Savings& savings) const {
  // At the peak's own instant it is lower by no more than this. Recomputing the peak takes a pass
  // over all events.
  const std::uint64_t saved_at_peak = savings.bytes_after(peak);
  if (saved_at_peak < worth_saying()) {
    return std::nullopt;
  }
  auto shared = std::make_shared<const Savings>(savings);
  const std::uint64_t peak_without = peak_with_all_saved(shared);
  if (!is_lower(peak_without, saved_at_peak)) {
    return std::nullopt;
  }
  return LowerPeak{peak_without, std::move(shared)};
}

bool Evidence::is_left_earlier(const Savings& savings, std::uint64_t without) const {
  Savings with_nothing_later = savings;
  with_nothing_later.add(peak, static_cast<std::int64_t>(load.peak.footprint_bytes));
  // Each of these peaks may be too high by a thousandth.
  return what_if.peak_with(with_nothing_later) + without / 500 >= without;
}

LowerPeak Evidence::peak_without_stacks(const std::vector<trace::StackId>& stacks,
                                        const std::shared_ptr<const Savings>& savings) const {
  Removal removal{.savings = {}, .stacks = stacks, .allocations = {}};
  if (savings != nullptr) {
    removal.savings.push_back(savings);
  }
  const RemainingPoint left = LoadWithout(trace, removal).peak();
  return {left.lanes.footprint(), savings, left.at.at_ns};
}

std::optional<LowerPeak> Evidence::peak_without(const std::vector<std::uint32_t>& lives) const {
  Savings savings;
  for (const std::uint32_t life : lives) {
    flow.save(life, 0, savings);
  }
  return lower_peak(savings);
}

Evidence evidence_of(LoadedTrace& trace,
                     const LoadFacts& load,
                     const ModelFlow& totals,
                     const FlowIndex& flow,
                     const PlacedChain& placed,
                     WhatIf& what_if) {
  const std::vector<bool> none(totals.lives.size());
  return {.trace = trace,
          .load = load,
          .totals = totals,
          .flow = flow,
          .placed = placed,
          .what_if = what_if,
          .places = std::make_shared<Places>(trace.definitions()),
          .peak = trace.ordinal(load.peak.at),
          .explained = none,
          .is_named = none,
          .is_slack_told = none};
}

std::string blocks_text(std::uint64_t bytes, std::uint64_t blocks, const std::string& place) {
  return fmt::format("{} in {} {} of {}", format_size(bytes), format_count(blocks),
                     blocks == 1 ? "block" : "blocks", place);
}

std::string part_text(std::uint64_t bytes, std::uint64_t whole) {
  if (bytes == whole) {
    return "All";
  }
  const std::string part = format_size(bytes);
  return part == format_size(whole) ? "Nearly all" : part;
}

std::string by_values_text(std::uint64_t seen, std::uint64_t inferred) {
  if (inferred == 0) {
    return "by the values that blocks hold";
  }
  return fmt::format("by the values that {} {}, and by the sizes and the place of {} more",
                     format_count(seen), seen == 1 ? "block holds" : "blocks hold",
                     format_count(inferred));
}

std::string by_their_values_text(std::uint64_t seen, std::uint64_t inferred) {
  return inferred == 0
             ? "by their values"
             : fmt::format("{} of them by their values and {} by their sizes and their place",
                           format_count(seen), format_count(inferred));
}

void add_finding(const Evidence& evidence,
                 const LowerPeak& without,
                 trace::StackId stack,
                 Finding finding,
                 std::vector<Finding>& findings) {
  finding.at_ns = evidence.load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), stack);
  without.note(finding);
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
