#include "analyzer/html/contents/columns.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace tidemark::html {
namespace {

using analyzer::LoadedTrace;

constexpr std::size_t kEvenColumns = 1024;
constexpr std::size_t kDenseColumns = 512;
/// With this many blocks, their begins are enough to show where the events are.
constexpr std::size_t kMinBlocksForBorders = 1024;

/// The time of every `step`-th event.
std::vector<std::uint64_t> event_times(LoadedTrace& trace, std::uint64_t step) {
  std::vector<std::uint64_t> times;
  trace::EventOrdinal ordinal = 0;
  for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
    const auto* events = trace.events(block);
    for (std::size_t i = 0; events != nullptr && i < events->size(); ++i) {
      if (ordinal++ % step == 0) {
        times.push_back((*events)[i].at_ns);
      }
    }
  }
  return times;
}

std::vector<std::uint64_t> block_times(const LoadedTrace& trace) {
  const auto blocks = trace.blocks();
  const std::size_t step = blocks.size() / kDenseColumns + 1;
  std::vector<std::uint64_t> times;
  for (std::size_t block = 0; block < blocks.size(); block += step) {
    times.push_back(blocks[block].begin_ns);
  }
  return times;
}

void sort_borders(std::vector<std::uint64_t>& borders) {
  std::ranges::sort(borders);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
}

/// None when the events are too many.
std::optional<std::vector<std::uint64_t>> borders_at_each_event(LoadedTrace& trace) {
  if (trace.event_count() > kDenseColumns) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> borders{0, trace.duration_ns() + 1};
  for (const std::uint64_t ns : event_times(trace, 1)) {
    // Separates what happened at one instant from what was there until the next one.
    borders.push_back(ns);
    borders.push_back(ns + 1);
  }
  sort_borders(borders);
  return borders;
}

std::vector<std::uint64_t> borders_where_dense(LoadedTrace& trace) {
  auto borders = trace.blocks().size() >= kMinBlocksForBorders
                     ? block_times(trace)
                     : event_times(trace, trace.event_count() / kDenseColumns + 1);
  const std::uint64_t end = trace.duration_ns() + 1;
  for (std::uint64_t c = 0; c < kEvenColumns; ++c) {
    borders.push_back(end / kEvenColumns * c + end % kEvenColumns * c / kEvenColumns);
  }
  borders.push_back(end);
  sort_borders(borders);
  return borders;
}

}  // namespace

PageColumns page_columns(LoadedTrace& trace) {
  PageColumns page;
  auto each = borders_at_each_event(trace);
  page.is_complete = each.has_value();
  page.borders = each ? std::move(*each) : borders_where_dense(trace);
  page.columns = picture::stacked_columns(trace, page.borders);
  return page;
}

}  // namespace tidemark::html
