#include "gui/view/blocks/block_story.hpp"

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark::gui {
namespace {

/// Most resizes kept of each kind: before the block asked for, after it, and its own in place.
constexpr std::size_t kMaxListedPerSide = 8;

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
    : trace_(trace), allocation_(allocation), origins_(trace), first_(allocation) {
  story_.block.allocation = allocation;
  origins_.seek(allocation, allocation);
}

bool StoryGatherer::step() {
  if (!is_first_known_) {
    walk_back();
    return !trace_.blocks().empty();
  }
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

/// Through one block of events.
void StoryGatherer::walk_back() {
  is_first_known_ = !origins_.step();
  if (is_first_known_) {
    const analyzer::BlockOrigins::Origin* const origin = origins_.of(allocation_);
    first_ = origin == nullptr ? allocation_ : origin->first;
    next_ = analyzer::block_of(trace_, first_);
  }
}

bool StoryGatherer::was(trace::AllocationNumber allocation) const {
  // Numbers only grow.
  return std::ranges::binary_search(story_.chain, allocation);
}

void StoryGatherer::see(const trace::Event& event) {
  analyzer::follow(event, *this);
  if (event.kind == trace::EventKind::kRead) {
    last_files_[trace::index(event.thread)] = event.extra;
  } else if (trace::is_touch(event.kind)) {
    see_touch(event);
  }
}

void StoryGatherer::see_touch(const trace::Event& event) {
  const bool comes = was(event.allocation);
  if (event.kind == trace::EventKind::kCopy) {
    const bool goes = was(event.released);
    if (comes && !goes) {
      pass(Passage::Kind::kCopiedIn, event.released, event);
    } else if (goes && !comes) {
      pass(Passage::Kind::kCopiedOut, event.allocation, event);
    }
  } else if (comes && event.kind == trace::EventKind::kFill) {
    pass(Passage::Kind::kFilled, 0, event);
  } else if (comes) {
    const auto file = last_files_.find(trace::index(event.thread));
    pass(Passage::Kind::kRead, file == last_files_.end() ? UINT64_MAX : file->second, event);
  }
}

void StoryGatherer::pass(Passage::Kind kind, std::uint64_t other, const trace::Event& event) {
  const auto [entry, is_new] = passages_.try_emplace(Key(kind, other));
  Passage& passage = entry->second;
  if (is_new) {
    passage.kind = kind;
    passage.first_ns = event.at_ns;
    passage.own = now_.allocation;
  }
  passage.bytes += event.size;
  passage.last_ns = event.at_ns;
  ++passage.count;
}

void StoryGatherer::begin(const trace::Event& event) {
  if (event.allocation == first_) {
    story_.begin_ns = event.at_ns;
    is_alive_ = true;
    take_on(event);
  }
}

/// From now on the block is this allocation.
void StoryGatherer::take_on(const trace::Event& event) {
  now_ = long_block(event);
  story_.emptied_ns.reset();
  story_.chain.push_back(event.allocation);
  if (event.allocation == allocation_) {
    story_.block = now_;
    story_.most_bytes = now_.bytes;
    story_.most_ns = event.at_ns;
  }
}

void StoryGatherer::move(const trace::Event& event) {
  if (!is_alive_ || event.released != now_.allocation) {
    begin(event);
    return;
  }
  note_resize({.at_ns = event.at_ns,
               .from_bytes = now_.bytes,
               .to_bytes = event.size,
               .from = now_.allocation,
               .to = event.allocation});
  if (now_.allocation == allocation_) {
    story_.block.end_ns = event.at_ns;
  }
  take_on(event);
}

void StoryGatherer::end(trace::AllocationNumber allocation, const trace::Event& event) {
  if (allocation == now_.allocation && is_alive_) {
    story_.end_ns = event.at_ns;
    if (allocation == allocation_) {
      story_.block.end_ns = event.at_ns;
    }
    is_alive_ = false;
    is_over_ = true;
  }
}

void StoryGatherer::resize(trace::AllocationNumber allocation,
                           std::int64_t change,
                           const trace::Event& event) {
  if (!is_alive_ || allocation != now_.allocation) {
    return;
  }
  const std::uint64_t bytes = analyzer::changed(now_.bytes, change);
  note_resize({.at_ns = event.at_ns,
               .from_bytes = now_.bytes,
               .to_bytes = bytes,
               .from = allocation,
               .to = allocation});
  now_.bytes = bytes;
  story_.emptied_ns = bytes == 0 ? std::optional(event.at_ns) : std::nullopt;
  if (allocation == allocation_) {
    ++story_.resizes;
    if (bytes > story_.most_bytes) {
      story_.most_bytes = bytes;
      story_.most_ns = event.at_ns;
    }
  }
}

/// There may be any number of them: keeps those nearest to the block asked for.
void StoryGatherer::note_resize(const BlockResize& resize) {
  auto& sizes = story_.sizes;
  if (resize.from == allocation_ && resize.to == allocation_) {
    note_own_resize(resize);
    return;
  }
  const auto is_before = [this](const BlockResize& one) { return one.from < allocation_; };
  if (is_before(resize)) {
    if (sizes.size() == kMaxListedPerSide) {
      sizes.erase(sizes.begin());
    }
    sizes.push_back(resize);
    return;
  }
  const auto after = std::ranges::count_if(sizes, [&](const BlockResize& one) {
    return !is_before(one) && !(one.from == allocation_ && one.to == allocation_);
  });
  if (after < static_cast<std::ptrdiff_t>(kMaxListedPerSide)) {
    sizes.push_back(resize);
  }
}

/// A block that grows page by page has hundreds of resizes. The first ones say little; the largest
/// show how it got its size.
void StoryGatherer::note_own_resize(const BlockResize& resize) {
  const auto change = [this](const BlockResize& one) {
    const bool is_own = one.from == allocation_ && one.to == allocation_;
    return !is_own                         ? UINT64_MAX
           : one.from_bytes > one.to_bytes ? one.from_bytes - one.to_bytes
                                           : one.to_bytes - one.from_bytes;
  };
  auto& sizes = story_.sizes;
  sizes.push_back(resize);
  const auto own = std::ranges::count_if(
      sizes, [&](const BlockResize& one) { return change(one) != UINT64_MAX; });
  if (own > static_cast<std::ptrdiff_t>(kMaxListedPerSide)) {
    sizes.erase(std::ranges::min_element(sizes, {}, change));
  }
}

void StoryGatherer::end_all(const trace::Event& event) {
  if (is_alive_ && event.lane == now_.lane &&
      trace_.process_of(event.thread) == trace_.process_of(now_.thread)) {
    story_.ends_with_process = true;
    end(now_.allocation, event);
  }
}

/// Looks up the event of an allocation anywhere in the trace.
std::optional<Passage::Other> StoryGatherer::find(trace::AllocationNumber allocation) {
  const auto* events = allocation == trace::kNoAllocation
                           ? nullptr
                           : trace_.events(analyzer::block_of(trace_, allocation));
  if (events == nullptr) {
    return std::nullopt;
  }
  const auto found = std::ranges::find_if(*events, [allocation](const trace::Event& event) {
    return trace::is_allocation(event.kind) && event.allocation == allocation;
  });
  if (found == events->end()) {
    return std::nullopt;
  }
  return Passage::Other{
      .allocation = found->allocation, .bytes = found->size, .stack = found->stack};
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
