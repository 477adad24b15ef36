#include "gui/view/blocks/block_story.hpp"

#include "analyzer/query/lifetimes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark::gui {
namespace {

LongBlock long_block(const trace::Event& event) {
  return {.allocation = event.allocation,
          .bytes = event.size,
          .begin_ns = event.at_ns,
          .stack = event.stack,
          .thread = event.thread,
          .lane = event.lane};
}

}  // namespace

StoryGatherer::StoryGatherer(analyzer::LoadedTrace& trace, trace::AllocationNumber allocation)
    : trace_(trace), allocation_(allocation), next_(block_of(allocation)) {
  story_.block.allocation = allocation;
}

/// The block of events in which an allocation begins.
std::size_t StoryGatherer::block_of(trace::AllocationNumber allocation) const {
  const auto blocks = trace_.blocks();
  const auto after =
      std::ranges::upper_bound(blocks, allocation, {}, &trace::BlockSummary::first_allocation);
  return after == blocks.begin() ? 0 : static_cast<std::size_t>(after - blocks.begin()) - 1;
}

bool StoryGatherer::step() {
  if (is_over_ || next_ >= trace_.blocks().size()) {
    return false;
  }
  if (const auto* events = trace_.events(next_++)) {
    for (const trace::Event& event : *events) {
      see(event);
    }
  }
  return !is_over_ && next_ < trace_.blocks().size();
}

void StoryGatherer::see(const trace::Event& event) {
  analyzer::follow(event, *this);
  switch (event.kind) {
    case trace::EventKind::kRead:
      last_files_[trace::index(event.thread)] = event.extra;
      break;
    case trace::EventKind::kReadInto:
      if (event.allocation == allocation_) {
        const auto file = last_files_.find(trace::index(event.thread));
        pass(Passage::Kind::kRead, file == last_files_.end() ? UINT64_MAX : file->second, event);
      }
      break;
    case trace::EventKind::kFill:
      if (event.allocation == allocation_) {
        pass(Passage::Kind::kFilled, 0, event);
      }
      break;
    case trace::EventKind::kCopy:
      if (event.allocation == allocation_) {
        pass(Passage::Kind::kCopiedIn, event.released, event);
      } else if (event.released == allocation_) {
        pass(Passage::Kind::kCopiedOut, event.allocation, event);
      }
      break;
    default:
      break;
  }
}

void StoryGatherer::pass(Passage::Kind kind, std::uint64_t other, const trace::Event& event) {
  const auto [entry, is_new] = passages_.try_emplace(Key(kind, other));
  Passage& passage = entry->second;
  if (is_new) {
    passage.kind = kind;
    passage.first_ns = event.at_ns;
  }
  passage.bytes += event.size;
  passage.last_ns = event.at_ns;
  ++passage.count;
}

void StoryGatherer::begin(const trace::Event& event) {
  if (event.allocation == allocation_) {
    story_.block = long_block(event);
    is_alive_ = true;
  }
}

void StoryGatherer::end(trace::AllocationNumber allocation, const trace::Event& event) {
  if (allocation == allocation_ && is_alive_) {
    story_.block.end_ns = event.at_ns;
    is_alive_ = false;
    is_over_ = true;
  }
}

void StoryGatherer::resize(trace::AllocationNumber allocation, std::int64_t, const trace::Event&) {
  story_.resizes += allocation == allocation_ ? 1U : 0U;
}

void StoryGatherer::end_all(const trace::Event& event) {
  if (is_alive_ && event.lane == story_.block.lane &&
      trace_.process_of(event.thread) == trace_.process_of(story_.block.thread)) {
    end(allocation_, event);
  }
}

/// An allocation's event, wherever it is.
std::optional<LongBlock> StoryGatherer::find(trace::AllocationNumber allocation) {
  const auto* events =
      allocation == trace::kNoAllocation ? nullptr : trace_.events(block_of(allocation));
  if (events == nullptr) {
    return std::nullopt;
  }
  const auto found = std::ranges::find_if(*events, [allocation](const trace::Event& event) {
    return trace::is_allocation(event.kind) && event.allocation == allocation;
  });
  return found == events->end() ? std::nullopt : std::optional(long_block(*found));
}

BlockStory StoryGatherer::take() {
  const auto& files = trace_.definitions().files;
  for (auto& [key, passage] : passages_) {
    const auto [kind, other] = key;
    if (kind == Passage::Kind::kRead) {
      passage.file = other < files.size() ? files[other].path : "";
    } else if (kind != Passage::Kind::kFilled) {
      passage.other = find(other);
    }
    story_.passages.push_back(std::move(passage));
  }
  std::ranges::stable_sort(story_.passages, {}, &Passage::first_ns);
  return std::move(story_);
}

}  // namespace tidemark::gui
