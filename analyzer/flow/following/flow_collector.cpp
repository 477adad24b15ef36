#include "analyzer/flow/following/flow_collector.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/stack_sampling.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// The largest size from which on glibc may serve a request from its heap, where pages are reused.
constexpr std::uint64_t kSurelyMapped = std::uint64_t{32} << 20U;

/// The class of a life's length, to a precision of a thirty-second, since which lives are short is
/// known only at the end. Classes are ordered and fit 16 bits.
constexpr std::uint64_t length_class(std::uint64_t ns) {
  constexpr int kBits = 6;  // Significant bits of each length.
  const auto width = static_cast<int>(std::bit_width(ns));
  const int dropped = std::max(0, width - kBits);
  return (static_cast<std::uint64_t>(dropped) << kBits) + (ns >> dropped);
}

constexpr unsigned kLengthBits = 16;

bool has_fresh_pages(const trace::Event& event) {
  return event.lane == trace::Lane::kAnon ||
         (event.lane == trace::Lane::kHeap && event.size > kSurelyMapped);
}

}  // namespace

FlowCollector::FlowCollector(const LoadedTrace& trace,
                             const ModelFiles& files,
                             const FlowBounds& bounds)
    : trace_(trace),
      files_(files),
      bounds_(bounds),
      touches_(trace.definitions(), files, lives_, bounds.peak) {}

void FlowCollector::see(const trace::Event& event,
                        trace::EventOrdinal ordinal,
                        std::uint64_t footprint) {
  now_ = {ordinal, event.at_ns, footprint};
  note_plateau();
  touches_.see(event, ordinal);
  follow(event, *this);
}

std::uint32_t FlowCollector::add_life(const trace::Event& event) {
  BlockLife added;
  added.first_size = added.size = event.size;
  added.born = now_.ordinal;
  added.born_ns = now_.ns;
  added.allocation = event.allocation;
  added.stack = certain_stack(trace_.definitions().session, event);
  added.process = trace_.process_of(event.thread).value_or(trace::ProcessId{0});
  added.lane = event.lane;
  added.is_fresh = has_fresh_pages(event);
  return lives_.add(added);
}

void FlowCollector::begin(const trace::Event& event) {
  const bool is_file = event.lane == trace::Lane::kFile;
  // An empty block may grow to any size.
  const bool is_small = event.size < kLargeBlockBytes && event.size != 0;
  if (is_small || (is_file && !files_.contains(event.extra))) {
    return;
  }
  const std::uint32_t index = add_life(event);
  if (index == BlockLife::kNone) {
    return;
  }
  if (is_file) {
    lives_[index].is_mapping = true;
    lives_[index].depth = 1;
  } else if (const auto file = trace::written_file(event)) {
    lives_[index].is_written_model = files_.contains(*file);
  }
}

void FlowCollector::move(const trace::Event& event) {
  const std::uint32_t index = lives_.find(event.released);
  if (index == BlockLife::kNone) {
    if (event.size >= kLargeBlockBytes && trace::in_footprint(event.lane)) {
      add_life(event);
    }
    return;
  }
  BlockLife& grown = lives_[index];
  lives_.renumber(index, event.released, event.allocation);
  grown.growth_steps += event.size > grown.size ? 1 : 0;
  const auto change = static_cast<std::int64_t>(event.size - grown.size);
  grown.size = event.size;
  grown.touched_size = std::min(grown.touched_size, event.size);
  note_resize(index, change, event.released);
  grown.stack = certain_stack(trace_.definitions().session, event);
}

void FlowCollector::note_resize(std::uint32_t index,
                                std::int64_t change,
                                trace::AllocationNumber before) {
  flow_.resizes.push_back({index, now_.ordinal, change, before});
  if (lives_[index].lane == trace::Lane::kHeap) {  // Releases in other lanes are all seen.
    smallest_ = std::min(smallest_, lives_[index].size);
  }
  if (flow_.resizes.size() >= most_resizes_) {
    thin_resizes();
  }
}

void FlowCollector::thin_resizes() {
  // Resizes of blocks that were not kept; other lives may have their indices now.
  std::erase_if(flow_.resizes,
                [this](const Resize& resize) { return resize.at < lives_[resize.life].born; });
  if (flow_.resizes.size() > kMaxResizes / 2) {
    // Joins two steps of a block at the time of the later one: savings then come later.
    std::vector<Resize> joined;
    std::vector<std::uint32_t> single(lives_.size(), BlockLife::kNone);
    for (const Resize& resize : flow_.resizes) {
      std::uint32_t& first = single[resize.life];
      if (first == BlockLife::kNone) {
        first = static_cast<std::uint32_t>(joined.size());
        joined.push_back(resize);
      } else {
        joined[first].at = resize.at;
        joined[first].before = resize.before;
        joined[first].change = wrapping_sum(joined[first].change, resize.change);
        first = BlockLife::kNone;
      }
    }
    flow_.resizes = std::move(joined);
  }
  most_resizes_ = std::clamp(2 * flow_.resizes.size(), most_resizes_, kMaxResizes);
}

void FlowCollector::end(trace::AllocationNumber allocation, const trace::Event& event) {
  if (event.lane == trace::Lane::kHeap && event.size < smallest_) {
    return;
  }
  const std::uint32_t index = lives_.find(allocation);
  if (index != BlockLife::kNone) {
    lives_.remove(allocation);
    end_life(index, false);
  }
}

void FlowCollector::resize(trace::AllocationNumber allocation,
                           std::int64_t change,
                           const trace::Event& event) {
  const std::uint32_t index = lives_.find(allocation);
  if (index == BlockLife::kNone) {
    return begin_again(allocation, change, event);
  }
  const std::uint64_t before = lives_[index].size;
  lives_[index].size = changed(before, change);
  note_resize(index, static_cast<std::int64_t>(lives_[index].size - before));
  if (lives_[index].size == 0 && change < 0) {  // Piece by piece, and this was the last.
    emptied_[allocation] = lives_[index].stack;
    lives_.remove(allocation);
    end_life(index, false);
  }
}

/// A block that was given back completely is there again.
void FlowCollector::begin_again(trace::AllocationNumber allocation,
                                std::int64_t change,
                                const trace::Event& event) {
  const auto emptied = emptied_.find(allocation);
  if (emptied == emptied_.end() || change <= 0) {
    return;
  }
  trace::Event again = event;
  again.stack = emptied->second;
  emptied_.erase(emptied);
  add_life(again);
}

void FlowCollector::end_all(const trace::Event& event) {
  const auto process = trace_.process_of(event.thread);
  lives_.remove_if([this, process, &event](std::uint32_t index) {
    const BlockLife& held = lives_[index];
    const bool ends = process == held.process && event.lane == held.lane;
    if (ends) {
      end_life(index, true);
    }
    return ends;
  });
}

void FlowCollector::end_life(std::uint32_t index, bool swept) {
  BlockLife& ended = lives_[index];
  ended.died = now_.ordinal;
  ended.died_ns = now_.ns;
  ended.swept = swept;
  ended.footprint_after = now_.footprint;
  if (swept) {
    flow_.lifetimes[trace::index(ended.stack)].long_bytes += ended.size;
  } else {
    const std::uint64_t length = length_class(ended.died_ns - ended.born_ns);
    lengths_[(std::uint64_t{trace::index(ended.stack)} << kLengthBits) | length] +=
        ended.size == 0 ? std::max(ended.first_size, ended.room()) : ended.size;
  }
  if (now_.ordinal < bounds_.peak) {
    touches_.end(index);
  }
  if (!is_worth_keeping(ended)) {
    lives_.forget(index);
  }
}

bool FlowCollector::is_worth_keeping(const BlockLife& life) const {
  return life.holds_model() || life.is_alive_after(bounds_.peak) ||
         (life.has_moved && life.room() >= bounds_.notable_bytes);
}

/// The exact peak may be only a few bytes higher than what came before: the whole time at that
/// height is part of it.
void FlowCollector::note_plateau() {
  if (now_.ordinal >= bounds_.peak) {
    return;
  }
  const bool is_high = now_.footprint >= bounds_.peak_bytes - bounds_.peak_bytes / 100;
  flow_.plateau_ns = is_high ? std::min(flow_.plateau_ns, now_.ns) : UINT64_MAX;
}

void FlowCollector::set_short_life(std::uint64_t short_life_ns) {
  const std::uint64_t longest = length_class(short_life_ns);
  for (const auto& [key, bytes] : lengths_) {
    Lifetimes& lifetimes = flow_.lifetimes[static_cast<std::uint32_t>(key >> kLengthBits)];
    const bool is_short = (key & ((1U << kLengthBits) - 1)) <= longest;
    (is_short ? lifetimes.short_bytes : lifetimes.long_bytes) += bytes;
  }
  flow_.short_life_ns = short_life_ns;
}

ModelFlow FlowCollector::take(std::uint64_t short_life_ns) {
  lives_.for_each_alive([this](BlockLife& left) {
    left.swept = true;
    flow_.lifetimes[trace::index(left.stack)].long_bytes += left.size;
  });
  set_short_life(short_life_ns);
  flow_.left_out_blocks = lives_.left_out();
  flow_.lives = lives_.take();
  touches_.take(flow_);
  return std::move(flow_);
}

}  // namespace tidemark::analyzer
