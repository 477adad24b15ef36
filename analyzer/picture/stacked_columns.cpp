#include "analyzer/picture/stacked_columns.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace tidemark::picture {
namespace {

using trace::Lane;
using trace::LaneTotals;

struct Span {
  std::uint64_t from_ns;
  std::uint64_t to_ns;
};

/// Finds the lanes at an instant of a span at which the footprint had a given value.
class FootprintSearch {
 public:
  FootprintSearch(analyzer::LoadedTrace& trace, Span span, std::uint64_t footprint)
      : trace_(trace), span_(span), footprint_(footprint) {}

  std::optional<LaneTotals> lanes() {
    const auto blocks = trace_.blocks();
    const auto first = std::partition_point(
        blocks.begin(), blocks.end(),
        [this](const trace::BlockSummary& block) { return block.end_ns < span_.from_ns; });
    auto block = static_cast<std::size_t>(first - blocks.begin());
    if (block > 0 && is_it(blocks[block - 1].at_end)) {
      return blocks[block - 1].at_end;
    }
    for (; block < blocks.size() && blocks[block].begin_ns < span_.to_ns; ++block) {
      if (auto found = lanes_in(block)) {
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_it(const LaneTotals& lanes) const {
    return lanes.footprint() == footprint_;
  }

  std::optional<LaneTotals> lanes_in(std::size_t block) {
    const trace::BlockSummary& summary = trace_.blocks()[block];
    if (footprint_ < summary.minimum_footprint || footprint_ > summary.maximum_footprint) {
      return std::nullopt;
    }
    const auto* events = trace_.events(block);
    if (events == nullptr) {
      return std::nullopt;
    }
    LaneTotals lanes = summary.at_begin;
    for (const trace::Event& event : *events) {
      // What stood when the event came was still there at the span's begin.
      if (event.at_ns >= span_.from_ns && is_it(lanes)) {
        return lanes;
      }
      if (event.at_ns >= span_.to_ns) {
        return std::nullopt;
      }
      trace::apply(event, lanes);
    }
    return is_it(lanes) ? std::optional(lanes) : std::nullopt;
  }

  analyzer::LoadedTrace& trace_;
  Span span_;
  std::uint64_t footprint_;
};

/// Takes away from the lanes, the largest first, what goes beyond `footprint`.
LaneTotals cut_down(LaneTotals lanes, std::uint64_t footprint) {
  while (lanes.footprint() > footprint) {
    std::uint64_t& largest = lanes[*std::ranges::max_element(
        trace::kFootprintLanes, {}, [&lanes](Lane lane) { return lanes[lane]; })];
    largest -= std::min(largest, lanes.footprint() - footprint);
  }
  return lanes;
}

class ColumnStacker {
 public:
  explicit ColumnStacker(analyzer::LoadedTrace& trace) : trace_(trace) {}

  StackedColumn stack(const analyzer::Extents& extents, Span span) {
    LaneTotals highest;
    LaneTotals lowest;
    for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
      highest.bytes[lane] = extents.lanes[lane].maximum;
      lowest.bytes[lane] = extents.lanes[lane].minimum;
    }
    return {.highest = lanes_at(extents.footprint.maximum, highest, highest, span),
            .lowest = lanes_at(extents.footprint.minimum, lowest, highest, span),
            .file = extents.lanes[static_cast<std::size_t>(Lane::kFile)]};
  }

 private:
  /// Where one lane moved, or all moved together, the extremes are those of one instant: nothing
  /// has to be searched.
  LaneTotals lanes_at(std::uint64_t footprint,
                      const LaneTotals& extremes,
                      const LaneTotals& at_most,
                      Span span) {
    if (extremes.footprint() == footprint) {
      return extremes;
    }
    const auto found = FootprintSearch(trace_, span, footprint).lanes();
    return found ? *found : cut_down(at_most, footprint);
  }

  analyzer::LoadedTrace& trace_;
};

}  // namespace

std::vector<StackedColumn> stacked_columns(analyzer::LoadedTrace& trace,
                                           std::span<const std::uint64_t> borders) {
  analyzer::Timeline timeline(trace);
  const auto extents = timeline.columns(borders);
  ColumnStacker stacker(trace);
  std::vector<StackedColumn> columns;
  columns.reserve(extents.size());
  for (std::size_t c = 0; c < extents.size(); ++c) {
    columns.push_back(stacker.stack(extents[c], {borders[c], borders[c + 1]}));
  }
  return columns;
}

}  // namespace tidemark::picture
