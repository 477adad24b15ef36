#include "analyzer/query/live/what_if.hpp"

#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <map>

namespace tidemark::analyzer {

/// A trace block in which savings change.
struct WhatIf::Border {
  std::size_t block = 0;
  std::size_t first_step = 0;
  std::size_t last_step = 0;  // One past it.
  std::int64_t saved_before = 0;
  std::int64_t highest_possible = 0;
};

trace::StackId Savings::main_stack_after(trace::EventOrdinal events) const {
  std::map<trace::StackId, std::int64_t> saved;
  for (const Step& step : steps_) {
    if (step.ordinal < events && step.of.stack != trace::kNoStack) {
      saved[step.of.stack] += step.bytes;
    }
  }
  const auto most =
      std::ranges::max_element(saved, {}, [](const auto& stack) { return stack.second; });
  return most == saved.end() ? trace::kNoStack : most->first;
}

std::vector<Savings::Step> Savings::sorted() const {
  auto steps = steps_;
  std::ranges::stable_sort(steps, {}, &Step::ordinal);
  return steps;
}

std::int64_t Savings::sum_after(trace::EventOrdinal events) const {
  std::int64_t bytes = 0;
  for (const Step& step : steps_) {
    bytes += step.ordinal < events ? step.bytes : 0;
  }
  return bytes;
}

std::uint64_t Savings::bytes_after(trace::EventOrdinal events) const {
  return static_cast<std::uint64_t>(std::max(sum_after(events), std::int64_t{0}));
}

std::uint64_t Savings::spent_after(trace::EventOrdinal events) const {
  return static_cast<std::uint64_t>(std::max(-sum_after(events), std::int64_t{0}));
}

WhatIf::WhatIf(LoadedTrace& trace) : trace_(trace), pyramid_(trace.blocks()) {}

void WhatIf::see_whole_blocks(std::size_t first, std::size_t last, std::int64_t saved) {
  if (first < last) {
    const auto highest = static_cast<std::int64_t>(pyramid_.over(first, last).footprint.maximum);
    highest_ = std::max(highest_, wrapping_difference(highest, saved));
  }
}

void WhatIf::see_border(const Border& border) {
  const trace::BlockSummary& summary = trace_.blocks()[border.block];
  const auto* events = trace_.events(border.block);
  if (events == nullptr) {
    highest_ = std::max(highest_, border.highest_possible);
    return;
  }
  trace::LaneTotals totals = summary.at_begin;
  std::int64_t saved = border.saved_before;
  std::size_t step = border.first_step;
  const auto note = [&] {
    const auto footprint = static_cast<std::int64_t>(totals.footprint());
    highest_ = std::max(highest_, wrapping_difference(footprint, saved));
  };
  note();
  for (std::size_t i = 0; i < events->size(); ++i) {
    trace::apply((*events)[i], totals);
    for (; step < border.last_step && steps_[step].ordinal <= summary.first_event + i; ++step) {
      saved = wrapping_sum(saved, steps_[step].bytes);
    }
    note();
  }
}

/// The block of `steps_[first]`, with all further steps in it. Advances `saved_` to its end.
WhatIf::Border WhatIf::border_at(std::size_t first) {
  const auto blocks = trace_.blocks();
  const auto after = std::ranges::partition_point(
      blocks, [&](const auto& block) { return block.first_event <= steps_[first].ordinal; });
  // Events are numbered through the blocks, so only a hostile file has steps before the first.
  const auto block =
      static_cast<std::size_t>(std::max(after, blocks.begin() + 1) - blocks.begin()) - 1;
  const std::uint64_t end = after == blocks.end() ? UINT64_MAX : after->first_event;
  Border border{.block = block, .first_step = first, .last_step = first, .saved_before = saved_};
  std::int64_t least = saved_;
  for (; border.last_step < steps_.size() && steps_[border.last_step].ordinal < end;
       ++border.last_step) {
    saved_ = wrapping_sum(saved_, steps_[border.last_step].bytes);
    least = std::min(least, saved_);
  }
  border.highest_possible =
      wrapping_difference(static_cast<std::int64_t>(blocks[block].maximum_footprint), least);
  return border;
}

std::vector<WhatIf::Border> WhatIf::see_between_borders() {
  std::vector<Border> borders;
  std::size_t next_block = 0;
  for (std::size_t step = 0; step < steps_.size(); step = borders.back().last_step) {
    const std::int64_t saved = saved_;
    borders.push_back(border_at(step));
    see_whole_blocks(next_block, borders.back().block, saved);
    next_block = borders.back().block + 1;
  }
  see_whole_blocks(next_block, trace_.blocks().size(), saved_);
  return borders;
}

std::uint64_t WhatIf::peak_with(const Savings& savings) {
  if (trace_.blocks().empty()) {
    return 0;
  }
  steps_ = savings.sorted();
  saved_ = 0;
  highest_ = 0;
  auto borders = see_between_borders();
  std::ranges::sort(borders, std::ranges::greater{}, &Border::highest_possible);
  for (std::size_t i = 0; i < borders.size() && borders[i].highest_possible > highest_; ++i) {
    if (i >= kExactBorders &&
        wrapping_difference(borders[i].highest_possible, highest_) <= highest_ / kCloseEnough) {
      highest_ = borders[i].highest_possible;
      break;
    }
    see_border(borders[i]);
  }
  return static_cast<std::uint64_t>(highest_);
}

}  // namespace tidemark::analyzer
