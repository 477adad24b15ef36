#include "tests/collector/trace/plain_model.hpp"

#include <algorithm>
#include <random>
#include <span>

namespace tidemark::trace::tests {
namespace {

class RandomHost {
 public:
  RandomHost(Recording& recording, std::uint32_t seed) : recording_(recording), random_(seed) {}

  void act() {
    recording_.at(now_ += upto(5'000)).on(static_cast<std::uint32_t>(upto(1)));
    const auto choice = upto(99);
    if (live_.empty() || choice < 45)
      return live_.push_back(allocate());
    const auto victim = upto(live_.size() - 1);
    if (choice < 80)
      recording_.release(take(victim));
    else if (choice < 90)
      live_.push_back(recording_.reallocate(take(victim), size(), stack()));
    else if (choice < 93)
      recording_.release_part(live_[victim], 1);
    else if (choice < 96)
      recording_.grow(live_[victim], size());
    else
      recording_.note(other_kind(), upto(1'000), 0);
  }
  bool wants_flush() { return upto(199) == 0; }

 private:
  std::uint64_t upto(std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(0, most)(random_);
  }
  std::uint64_t size() { return 1 + upto((std::uint64_t{1} << upto(40)) - 1) + 64; }
  StackId stack() { return StackId{static_cast<std::uint32_t>(upto(3))}; }
  std::uint64_t allocate() {
    const auto lane = static_cast<Lane>(upto(kLaneCount - 1));
    const auto extra = lane == Lane::kHeap ? upto(20) : 0;
    return recording_.allocate(size(), stack(), lane, extra);
  }
  std::uint64_t take(std::size_t victim) {
    std::swap(live_[victim], live_.back());
    const auto allocation = live_.back();
    live_.pop_back();
    return allocation;
  }
  EventKind other_kind() {
    constexpr std::array kKinds{EventKind::kFail, EventKind::kRead, EventKind::kAdvise,
                                EventKind::kLost};
    return kKinds[upto(kKinds.size() - 1)];
  }

  Recording& recording_;
  std::mt19937 random_;
  std::vector<std::uint64_t> live_;
  std::uint64_t now_ = 0;
};

BlockSummary plain_summary(std::span<const Event> events, const LaneTotals& before) {
  BlockSummary block;
  block.event_count = static_cast<std::uint32_t>(events.size());
  block.begin_ns = events.front().at_ns;
  block.end_ns = events.back().at_ns;
  block.at_begin = block.at_end = block.minimum = block.maximum = before;
  std::vector<std::uint64_t> footprints;
  for (const auto& event : events) {
    apply(event, block.at_end);
    for (std::size_t lane = 0; lane < kLaneCount; ++lane) {
      block.minimum.bytes[lane] = std::min(block.minimum.bytes[lane], block.at_end.bytes[lane]);
      block.maximum.bytes[lane] = std::max(block.maximum.bytes[lane], block.at_end.bytes[lane]);
    }
    footprints.push_back(block.at_end.footprint());
  }
  const auto least = std::ranges::min_element(footprints);
  const auto most = std::ranges::max_element(footprints);
  block.minimum_footprint = std::min(*least, before.footprint());
  block.maximum_footprint = std::max(*most, before.footprint());
  const bool before_first = *most < before.footprint();
  const auto at = static_cast<std::uint32_t>(most - footprints.begin());
  block.maximum_at_event = before_first ? BlockSummary::kBeforeFirst : at;
  block.maximum_at_ns = before_first ? block.begin_ns : events[at].at_ns;
  return block;
}

}  // namespace

std::vector<std::size_t> record_at_random(Recording& recording,
                                          std::uint32_t seed,
                                          std::size_t count) {
  RandomHost host(recording, seed);
  std::vector<std::size_t> flushed_at;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && host.wants_flush()) {
      recording.flush();
      flushed_at.push_back(i);
    }
    host.act();
  }
  return flushed_at;
}

std::vector<BlockSummary> plain_summaries(const std::vector<Event>& events,
                                          const std::vector<std::size_t>& flushed_at) {
  auto ends = flushed_at;
  ends.push_back(events.size());
  std::vector<BlockSummary> blocks;
  LaneTotals totals;
  std::size_t begin = 0;
  std::uint64_t allocations = 0;
  for (const auto end : ends) {
    const auto span = std::span(events).subspan(begin, end - begin);
    auto block = plain_summary(span, totals);
    block.first_event = begin;
    block.first_allocation = allocations;
    for (const auto& event : span)
      allocations += is_allocation(event.kind) ? 1U : 0U;
    totals = block.at_end;
    begin = end;
    blocks.push_back(block);
  }
  return blocks;
}

std::vector<std::string> texts_of(const std::vector<BlockSummary>& summaries) {
  std::vector<std::string> texts;
  for (const auto& summary : summaries)
    texts.push_back(text_of(summary));
  return texts;
}

}  // namespace tidemark::trace::tests
