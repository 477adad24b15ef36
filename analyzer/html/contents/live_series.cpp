#include "analyzer/html/contents/live_series.hpp"

#include "analyzer/query/live/live_spans.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::html {
namespace {

/// Adds up changes met in any order.
class ChangeTable {
 public:
  explicit ChangeTable(std::size_t instants) : instants_(instants) {}

  void add(const LiveChange& change) {
    const std::uint64_t key = analyzer::key_of(trace::index(change.stack), change.lane);
    auto& [bytes, blocks] = changes_[key * instants_ + change.instant];
    bytes += change.bytes;
    blocks += change.blocks;
  }

  [[nodiscard]] std::vector<LiveChange> sorted() const {
    std::vector<LiveChange> list;
    list.reserve(changes_.size());
    for (const auto& [place, amount] : changes_) {
      const std::uint64_t key = place / instants_;
      if (amount != std::pair<std::int64_t, std::int64_t>{}) {
        list.push_back(
            {.instant = static_cast<std::size_t>(place % instants_),
             .stack = trace::StackId{static_cast<std::uint32_t>(key / trace::kLaneCount)},
             .lane = static_cast<trace::Lane>(key % trace::kLaneCount),
             .bytes = amount.first,
             .blocks = amount.second});
      }
    }
    std::ranges::sort(list, {}, [](const LiveChange& change) {
      return std::tuple(change.instant, change.stack, change.lane);
    });
    return list;
  }

 private:
  std::size_t instants_;
  std::unordered_map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> changes_;
};

}  // namespace

std::vector<LiveChange> live_changes(analyzer::LoadedTrace& trace,
                                     std::span<const analyzer::Instant> instants) {
  ChangeTable changes(instants.size());
  analyzer::visit_live_spans(trace, instants, [&](const analyzer::LiveSpan& span) {
    const auto bytes = static_cast<std::int64_t>(span.bytes);
    LiveChange change{.instant = span.first,
                      .stack = span.allocation.stack,
                      .lane = span.allocation.lane,
                      .bytes = bytes,
                      .blocks = 1};
    changes.add(change);
    if (span.end < instants.size()) {
      change.instant = span.end;
      change.bytes = -bytes;
      change.blocks = -1;
      changes.add(change);
    }
  });
  return changes.sorted();
}

}  // namespace tidemark::html
