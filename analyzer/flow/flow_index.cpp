#include "analyzer/flow/flow_index.hpp"

#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace tidemark::analyzer {
namespace {

/// Where the entries of each life begin in a list that is sorted by it; one more at the end.
template <typename Entry, typename Key>
std::vector<std::uint32_t> begins_of(const std::vector<Entry>& entries,
                                     Key key,
                                     std::size_t lives) {
  std::vector<std::uint32_t> begins(lives + 1);
  for (const Entry& entry : entries) {
    ++begins[std::invoke(key, entry) + 1];
  }
  for (std::size_t i = 1; i < begins.size(); ++i) {
    begins[i] += begins[i - 1];
  }
  return begins;
}

template <typename Entry>
std::span<const Entry> part_of(const std::vector<Entry>& entries,
                               const std::vector<std::uint32_t>& begins,
                               std::uint32_t life) {
  return std::span(entries).subspan(begins[life], begins[life + 1] - begins[life]);
}

}  // namespace

SavedAllocation saved_of(const BlockLife& life) {
  return {.allocation = life.allocation, .stack = life.stack, .lane = life.lane};
}

FlowIndex::FlowIndex(ModelFlow& flow) : flow_(flow) {
  std::erase_if(flow_.resizes, [&](const Resize& resize) {
    return resize.at < flow.lives[resize.life].born;  // The resized block was not kept.
  });
  std::ranges::stable_sort(flow_.resizes, {}, &Resize::life);
  std::ranges::stable_sort(flow_.departures, {}, &Departure::source);
  first_resize_ = begins_of(flow_.resizes, &Resize::life, flow_.lives.size());
  first_departure_ = begins_of(flow_.departures, &Departure::source, flow_.lives.size());
}

std::span<const Departure> FlowIndex::departures(std::uint32_t life) const {
  return part_of(flow_.departures, first_departure_, life);
}

std::span<const Resize> FlowIndex::resizes(std::uint32_t life) const {
  return part_of(flow_.resizes, first_resize_, life);
}

std::uint64_t FlowIndex::arrived(std::uint32_t life) const {
  const BlockLife& block = flow_.lives[life];
  return block.is_mapping ? block.first_size
                          : block.read_bytes + block.copied_in_bytes + block.moved_in_bytes;
}

bool FlowIndex::is_delivery(const Departure& departure) const {
  if (departure.target == BlockLife::kNone) {
    return false;
  }
  const BlockLife& target = flow_.lives[departure.target];
  return departure.is_growth || !departures(departure.target).empty() ||
         target.copied_in_bytes <= target.room() + target.room() / 10;
}

std::uint64_t FlowIndex::delivered(std::uint32_t life) const {
  std::uint64_t bytes = 0;
  for (const Departure& departure : departures(life)) {
    bytes += is_delivery(departure) ? departure.bytes : 0;
  }
  return bytes;
}

bool FlowIndex::is_passed_on(std::uint32_t life) const {
  const std::uint64_t held = std::min(arrived(life), flow_.lives[life].room());
  return held > 0 && is_most_of(delivered(life), held);
}

std::uint64_t FlowIndex::size_after(std::uint32_t life, trace::EventOrdinal ordinal) const {
  auto size = static_cast<std::int64_t>(flow_.lives[life].first_size);
  for (const Resize& resize : resizes(life)) {
    size = wrapping_sum(size, resize.at <= ordinal ? resize.change : 0);
  }
  return static_cast<std::uint64_t>(size);
}

void FlowIndex::save(std::uint32_t life, std::uint64_t from, Savings& savings) const {
  const BlockLife& block = flow_.lives[life];
  from = std::max(from, block.born);
  if (block.is_mapping || from >= block.died) {
    return;
  }
  savings.add(from, static_cast<std::int64_t>(size_after(life, from)), saved_of(block));
  for (const Resize& resize : resizes(life)) {
    if (resize.at > from) {
      savings.add(resize.at, resize.change, saved_of(block));
    }
  }
  if (block.died != BlockLife::kNever) {
    savings.add(block.died, minus(block.size), saved_of(block));
  }
}

void FlowIndex::save_part(std::uint32_t life, double part, Savings& savings) const {
  Savings whole;
  save(life, 0, whole);
  for (const Savings::Step& step : whole.sorted()) {
    savings.add(step.ordinal, std::llround(part * static_cast<double>(step.bytes)), step.of);
  }
}

void FlowIndex::save_delivered(std::uint32_t life, Savings& savings) const {
  const BlockLife& block = flow_.lives[life];
  if (block.is_mapping) {
    return;
  }
  std::uint64_t skipped = delivered(life);
  skipped -= std::min(skipped, block.room());
  std::uint64_t saved = 0;
  std::uint64_t size = block.first_size;
  auto resize = resizes(life).begin();
  // What the block gives back by itself is not saved any more.
  const auto go_on_to = [&](trace::EventOrdinal at) {
    for (; resize != resizes(life).end() && resize->at <= at; ++resize) {
      size = changed(size, resize->change);
      if (size < saved) {
        savings.add(resize->at, minus(saved - size), saved_of(block));
        saved = size;
      }
    }
  };
  for (const Departure& departure : departures(life)) {
    if (!is_delivery(departure) || departure.at >= block.died) {
      continue;
    }
    go_on_to(departure.at);
    const std::uint64_t of_no_use = std::min(skipped, departure.bytes);
    skipped -= of_no_use;
    savings.add(departure.at, static_cast<std::int64_t>(departure.bytes - of_no_use),
                saved_of(block));
    saved += departure.bytes - of_no_use;
  }
  go_on_to(block.died);
  if (block.died != BlockLife::kNever) {
    savings.add(block.died, minus(saved), saved_of(block));
  }
}

}  // namespace tidemark::analyzer
