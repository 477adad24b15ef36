#include "analyzer/query/footprint/footprint_search.hpp"

#include <algorithm>

namespace tidemark::analyzer {
namespace {

class FootprintSearch {
 public:
  FootprintSearch(LoadedTrace& trace,
                  std::uint64_t from_ns,
                  std::uint64_t to_ns,
                  std::uint64_t footprint)
      : trace_(trace), from_ns_(from_ns), to_ns_(to_ns), footprint_(footprint) {}

  std::optional<Instant> find() {
    const auto blocks = trace_.blocks();
    const auto first = std::partition_point(
        blocks.begin(), blocks.end(),
        [this](const trace::BlockSummary& block) { return block.end_ns < from_ns_; });
    auto block = static_cast<std::size_t>(first - blocks.begin());
    if (block > 0 && is_it(blocks[block - 1].at_end)) {
      return Instant{block - 1, blocks[block - 1].event_count, blocks[block - 1].end_ns};
    }
    for (; block < blocks.size() && blocks[block].begin_ns < to_ns_; ++block) {
      if (auto found = find_in(block)) {
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_it(const trace::LaneTotals& lanes) const {
    return lanes.footprint() == footprint_;
  }

  std::optional<Instant> find_in(std::size_t block) {
    const trace::BlockSummary& summary = trace_.blocks()[block];
    if (footprint_ < summary.minimum_footprint || footprint_ > summary.maximum_footprint) {
      return std::nullopt;
    }
    const auto* events = trace_.events(block);
    if (events == nullptr) {
      return std::nullopt;
    }
    trace::LaneTotals lanes = summary.at_begin;
    std::uint64_t at_ns = summary.begin_ns;
    std::uint32_t count = 0;
    for (const trace::Event& event : *events) {
      // What was there when the event came was still there at the stretch's begin.
      if (event.at_ns >= from_ns_ && is_it(lanes)) {
        return Instant{block, count, at_ns};
      }
      if (event.at_ns >= to_ns_) {
        return std::nullopt;
      }
      trace::apply(event, lanes);
      at_ns = event.at_ns;
      ++count;
    }
    return is_it(lanes) ? std::optional(Instant{block, count, at_ns}) : std::nullopt;
  }

  LoadedTrace& trace_;
  std::uint64_t from_ns_;
  std::uint64_t to_ns_;
  std::uint64_t footprint_;
};

}  // namespace

std::optional<Instant> find_footprint(LoadedTrace& trace,
                                      std::uint64_t from_ns,
                                      std::uint64_t to_ns,
                                      std::uint64_t bytes) {
  return FootprintSearch(trace, from_ns, to_ns, bytes).find();
}

}  // namespace tidemark::analyzer
