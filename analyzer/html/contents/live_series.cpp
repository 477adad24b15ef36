#include "analyzer/html/contents/live_series.hpp"

#include "analyzer/query/live/live_spans.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidemark::html {
namespace {

/// Adds up the changes of one instant, met in any order. Memory: for at most twice as many as there
/// are stacks among them, in each lane.
class InstantChanges {
 public:
  void add(const LiveChange& change) {
    changes_.push_back(change);
    if (changes_.size() >= enough_) {
      sum_up();
      enough_ = std::max(kMinChanges, 2 * changes_.size());
    }
  }

  /// In the order of stacks and lanes; without those that cancel each other out.
  const std::vector<LiveChange>& sum_up() {
    std::ranges::sort(changes_, {}, key_of);
    std::size_t kept = 0;
    for (std::size_t next = 0; next < changes_.size();) {
      LiveChange sum = changes_[next++];
      for (; next < changes_.size() && key_of(changes_[next]) == key_of(sum); ++next) {
        sum.bytes += changes_[next].bytes;
        sum.blocks += changes_[next].blocks;
      }
      if (sum.bytes != 0 || sum.blocks != 0) {
        changes_[kept++] = sum;
      }
    }
    changes_.resize(kept);
    return changes_;
  }

 private:
  static constexpr std::size_t kMinChanges = std::size_t{1} << 14U;

  static std::uint64_t key_of(const LiveChange& change) {
    return analyzer::key_of(trace::index(change.stack), change.lane);
  }

  std::vector<LiveChange> changes_;
  std::size_t enough_ = kMinChanges;
};

/// One instant behind the other. Each is given up as it is taken.
std::vector<LiveChange> in_order(std::vector<InstantChanges> instants) {
  std::vector<LiveChange> all;
  for (InstantChanges& instant : instants) {
    const auto& changes = instant.sum_up();
    all.insert(all.end(), changes.begin(), changes.end());
    instant = {};
  }
  return all;
}

}  // namespace

std::vector<LiveChange> live_changes(analyzer::LoadedTrace& trace,
                                     std::span<const analyzer::Instant> instants) {
  std::vector<InstantChanges> changes(instants.size());
  analyzer::visit_live_spans(trace, instants, [&](const analyzer::LiveSpan& span) {
    const auto bytes = static_cast<std::int64_t>(span.bytes);
    LiveChange change{.instant = span.first,
                      .stack = span.allocation.stack,
                      .lane = span.allocation.lane,
                      .bytes = bytes,
                      .blocks = 1};
    changes[change.instant].add(change);
    if (span.end < instants.size()) {
      change.instant = span.end;
      change.bytes = -bytes;
      change.blocks = -1;
      changes[change.instant].add(change);
    }
  });
  return in_order(std::move(changes));
}

}  // namespace tidemark::html
