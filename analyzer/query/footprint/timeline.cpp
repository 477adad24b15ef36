#include "analyzer/query/footprint/timeline.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

/// Walks the trace once, from left to right, filling one column after the other.
class ColumnWalk {
 public:
  ColumnWalk(LoadedTrace& trace, const SummaryPyramid& pyramid, Detail detail)
      : trace_(trace), pyramid_(pyramid), detail_(detail) {}

  /// Goes to `ns`: everything before it is applied and shown nowhere.
  void start_at(std::uint64_t ns) {
    const auto blocks = trace_.blocks();
    block_ = first_block_ending_at(ns);
    state_ = block_ > 0 ? blocks[block_ - 1].at_end : trace::LaneTotals{};
    if (block_ == 0 && !blocks.empty()) {
      state_ = blocks[0].at_begin;
    }
    if (block_ < blocks.size() && blocks[block_].begin_ns < ns) {
      Extents unseen;
      enter_block();
      finish_block(ns, unseen);
    }
  }

  Extents column_until(std::uint64_t to_ns) {
    Extents column;
    column.include(state_);
    if (inside_ && !finish_block(to_ns, column)) {
      return column;
    }
    include_whole_blocks(to_ns, column);
    const auto blocks = trace_.blocks();
    if (block_ < blocks.size() && blocks[block_].begin_ns < to_ns) {
      enter_block();
      column.include(state_);
      finish_block(to_ns, column);
    }
    return column;
  }

 private:
  /// The first block, from the current one on, whose last event is at or after `ns`.
  [[nodiscard]] std::size_t first_block_ending_at(std::uint64_t ns) const {
    const auto blocks = trace_.blocks();
    const auto found =
        std::partition_point(blocks.begin() + static_cast<std::ptrdiff_t>(block_), blocks.end(),
                             [ns](const trace::BlockSummary& block) { return block.end_ns < ns; });
    return static_cast<std::size_t>(found - blocks.begin());
  }

  void include_whole_blocks(std::uint64_t to_ns, Extents& column) {
    const std::size_t last = first_block_ending_at(to_ns);
    if (last > block_) {
      column.include(pyramid_.over(block_, last));
      state_ = trace_.blocks()[last - 1].at_end;
      block_ = last;
    }
  }

  void enter_block() {
    inside_ = true;
    next_ = 0;
    state_ = trace_.blocks()[block_].at_begin;
  }

  /// Goes on inside the current block up to `to_ns`. @return true when the block is done.
  bool finish_block(std::uint64_t to_ns, Extents& column) {
    const trace::BlockSummary& block = trace_.blocks()[block_];
    const auto* events = detail_ == Detail::kExact ? trace_.events(block_) : nullptr;
    if (events == nullptr) {
      column.include(block);
    } else {
      for (; next_ < events->size() && (*events)[next_].at_ns < to_ns; ++next_) {
        trace::apply((*events)[next_], state_);
        column.include(state_);
      }
    }
    if (block.end_ns >= to_ns) {
      return false;
    }
    state_ = block.at_end;
    inside_ = false;
    ++block_;
    return true;
  }

  LoadedTrace& trace_;
  const SummaryPyramid& pyramid_;
  Detail detail_;
  trace::LaneTotals state_;
  std::size_t block_ = 0;
  std::size_t next_ = 0;  // Event of `block_` to apply next, while inside it.
  bool inside_ = false;   // Some of `block_` was shown already.
};

}  // namespace

void Extent::include(const Extent& other) {
  minimum = std::min(minimum, other.minimum);
  maximum = std::max(maximum, other.maximum);
}

void Extents::include(const Extents& other) {
  for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
    lanes[lane].include(other.lanes[lane]);
  }
  footprint.include(other.footprint);
}

void Extents::include(const trace::LaneTotals& totals) {
  for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
    lanes[lane].include({totals.bytes[lane], totals.bytes[lane]});
  }
  footprint.include({totals.footprint(), totals.footprint()});
}

void Extents::include(const trace::BlockSummary& block) {
  for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
    lanes[lane].include({block.minimum.bytes[lane], block.maximum.bytes[lane]});
  }
  footprint.include({block.minimum_footprint, block.maximum_footprint});
}

SummaryPyramid::SummaryPyramid(std::span<const trace::BlockSummary> blocks) {
  auto& bottom = levels_.emplace_back(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    bottom[i].include(blocks[i]);
  }
  while (levels_.back().size() > 1) {
    const auto& below = levels_.back();
    std::vector<Extents> level((below.size() + kFanOut - 1) / kFanOut);
    for (std::size_t i = 0; i < below.size(); ++i) {
      level[i / kFanOut].include(below[i]);
    }
    levels_.push_back(std::move(level));
  }
}

Extents SummaryPyramid::over(std::size_t first, std::size_t last) const {
  Extents extents;
  // Each level takes the ragged ends; what is left are whole groups, one entry each a level up.
  for (const auto& level : levels_) {
    while (first < last && first % kFanOut != 0) {
      extents.include(level[first++]);
    }
    while (first < last && last % kFanOut != 0) {
      extents.include(level[--last]);
    }
    if (first == last) {
      break;
    }
    first /= kFanOut;
    last /= kFanOut;
  }
  return extents;
}

Timeline::Timeline(LoadedTrace& trace) : trace_(trace), pyramid_(trace.blocks()) {}

std::vector<std::uint64_t> even_borders(std::uint64_t begin_ns,
                                        std::uint64_t end_ns,
                                        std::size_t count) {
  if (count == 0 || end_ns <= begin_ns) {
    return {};
  }
  const std::uint64_t width = end_ns - begin_ns;
  // width * c / count without the overflow of width * c.
  const std::uint64_t step = width / count;
  const std::uint64_t rest = width % count;
  std::vector<std::uint64_t> borders;
  borders.reserve(count + 1);
  for (std::uint64_t c = 0; c <= count; ++c) {
    borders.push_back(begin_ns + step * c + rest * c / count);
  }
  return borders;
}

std::vector<Extents> Timeline::columns(std::uint64_t begin_ns,
                                       std::uint64_t end_ns,
                                       std::size_t count,
                                       Detail detail) {
  return columns(even_borders(begin_ns, end_ns, count), detail);
}

std::vector<Extents> Timeline::columns(std::span<const std::uint64_t> borders, Detail detail) {
  if (borders.size() < 2) {
    return {};
  }
  std::vector<Extents> columns;
  columns.reserve(borders.size() - 1);
  ColumnWalk walk(trace_, pyramid_, detail);
  walk.start_at(borders.front());
  for (const std::uint64_t border : borders.subspan(1)) {
    columns.push_back(walk.column_until(border));
  }
  return columns;
}

}  // namespace tidemark::analyzer
