#include "collector/drain/books/contents/seen_values.hpp"

#include "collector/drain/books/contents/joined_blocks.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

namespace tidemark {

using weights::BlockSample;

namespace {

bool are_same(const BlockSample& one, const BlockSample& other) {
  return one.first == other.first && one.inner == other.inner && one.size == other.size;
}

/// Ignores the header, which may be a reference count.
bool have_same_values(const BlockSample& one, const BlockSample& other) {
  constexpr std::size_t kMaxHeader = kValueHeaders.back();
  return one.inner == other.inner && std::equal(one.first.begin() + kMaxHeader, one.first.end(),
                                                other.first.begin() + kMaxHeader);
}

/// For a block of `size` beside `kept` others.
bool has_room(std::size_t kept, std::uint64_t size) {
  return kept < (size < SeenValues::kLarge ? SeenValues::kMaxBlocks / 2 : SeenValues::kMaxBlocks);
}

}  // namespace

SeenValues::News SeenValues::keep(trace::ProcessId process,
                                  std::uint64_t address,
                                  const BlockSample& sample) {
  const auto known = histories_.find(sample.allocation);
  if (known == histories_.end()) {
    if (!has_room(histories_.size(), sample.size)) {
      has_refused_ = true;
      return News::kNone;
    }
    histories_[sample.allocation] = {process, address, {{sample, 0, sample.at_ns}}};
    empties_.erase(sample.allocation);
    return News::kFirst;
  }
  History& history = known->second;
  Period& last = history.periods.back();
  if (are_same(last.sample, sample) && !last.has_ended) {
    last.last_ns = sample.at_ns;
    return News::kNone;
  }
  last.has_ended = true;
  const Period next{sample, std::max(last.last_ns, history.other_ns), sample.at_ns};
  if (history.periods.size() < History::kMaxPeriods) {
    history.periods.push_back(next);
    return News::kOther;
  }
  // The last content is the one that matters.
  last = next;
  return News::kReplaced;
}

void SeenValues::keep_empty(const BlockSample& sample) {
  if (const auto known = histories_.find(sample.allocation); known != histories_.end()) {
    known->second.periods.back().has_ended = true;
    known->second.other_ns = sample.at_ns;
  } else if (empties_.contains(sample.allocation) || has_room(empties_.size(), sample.size)) {
    empties_[sample.allocation] = {sample.size, sample.at_ns};
  } else {
    has_refused_ = true;
  }
}

std::vector<const SeenValues::History*> SeenValues::large_but(
    const std::unordered_set<trace::AllocationNumber>& left_out) const {
  std::vector<const History*> histories;
  for (const auto& [allocation, history] : histories_) {
    if (!left_out.contains(allocation) && history.size() >= kCompared)
      histories.push_back(&history);
  }
  std::ranges::sort(histories, std::ranges::greater{}, [](const History* history) {
    return std::tuple(history->size(), history->periods.front().sample.allocation);
  });
  return histories;
}

std::optional<SeenValues::Period> SeenValues::period_at(trace::AllocationNumber allocation,
                                                        std::uint64_t at_ns) const {
  const auto history = histories_.find(allocation);
  if (history == histories_.end())
    return std::nullopt;
  const auto& periods = history->second.periods;
  const auto period = std::find_if(periods.rbegin(), periods.rend(),
                                   [at_ns](const Period& it) { return it.sample.at_ns <= at_ns; });
  if (period == periods.rend())
    return std::nullopt;
  const auto is_other = [&](const Period& it) {
    return !have_same_values(it.sample, period->sample);
  };
  const auto first = std::find_if(period, periods.rend(), is_other);
  const auto last = std::find_if(period.base(), periods.end(), is_other);
  Period values = *std::prev(last);
  values.from_ns = std::prev(first)->from_ns;
  return values;
}

bool SeenValues::has_large() const {
  return std::ranges::any_of(histories_,
                             [](const auto& known) { return known.second.size() >= kCompared; });
}

}  // namespace tidemark
