/// A backward walk through the blocks of a trace, for queries about live allocations.
#pragma once

#include "analyzer/query/lifetimes.hpp"
#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/query/pass/ahead.hpp"
#include "analyzer/query/wrapping.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

namespace tidemark::analyzer {

/// An allocation as kept in a digest: all that a sink of a backward walk needs.
constexpr trace::Event allocation_of(const trace::BlockDigest::Survivor& survivor) {
  return {.size = survivor.bytes,
          .allocation = survivor.allocation,
          .stack = survivor.stack,
          .thread = survivor.thread,
          .lane = survivor.lane};
}

/// `follow_back` over a whole block. Events that end or resize are unknown: a sink gets empty ones.
template <typename Sink>
void follow_back(const trace::BlockDigest& digest, Sink& sink) {
  for (const auto& survivor : digest.survivors) {
    sink.begin(allocation_of(survivor));
  }
  for (const auto& release : digest.releases) {
    if (release.part_bytes == 0) {
      sink.end(release.allocation, trace::Event{});
    } else {
      sink.resize(release.allocation, wrapping_difference(0, release.part_bytes), trace::Event{});
    }
  }
}

/// The digests of the blocks `last`, `last` - 1 ... `first`, read ahead on other threads.
class DigestsBack {
 public:
  DigestsBack(LoadedTrace& trace, std::size_t first, std::size_t last)
      : items_(last - first + 1, [&trace, last] {
          return [last, reader = std::shared_ptr(trace.block_reader())](std::size_t number,
                                                                        Item& item) {
            item.is_known = reader->enter(last - number) && reader->digest(item.digest);
            reader->leave();
          };
        }) {}

  /// Null if the block has none. Borrowed until the next call.
  const trace::BlockDigest* next() {
    const Item& item = items_.next();
    return item.is_known ? &item.digest : nullptr;
  }

 private:
  struct Item {
    trace::BlockDigest digest;
    bool is_known = false;
  };
  Ahead<Item> items_;
};

/// Follows everything between two instants, from the later one back. A block is decoded if an
/// instant is inside it or a process ended in it; for the others the digest is enough.
///
/// A sink may observe the walk's position:
///
///     sink.enter_block(block)           what comes next is of this block;
///                                       false: its single events are asked for
///     sink.enter_event(block, events)   so many events of the block are before the one that comes
template <typename Sink>
void walk_back(LoadedTrace& trace, const Instant& from, const Instant& to, Sink& sink) {
  if (to.block < from.block || to.block >= trace.blocks().size()) {
    return;
  }
  DigestsBack digests(trace, from.block, to.block);
  for (std::size_t block = to.block + 1; block-- > from.block && !trace.is_stopped();) {
    const std::size_t first = block == from.block ? from.events : 0;
    const std::size_t count = trace.blocks()[block].event_count;
    const std::size_t end = block == to.block ? std::min<std::size_t>(to.events, count) : count;
    bool is_whole = first == 0 && end == count;
    if constexpr (requires { sink.enter_block(block); }) {
      is_whole = sink.enter_block(block) && is_whole;
    }
    const trace::BlockDigest* digest = digests.next();
    if (end <= first) {
      continue;
    }
    if (is_whole && digest != nullptr && !digest->has_ends) {
      follow_back(*digest, sink);
    } else if (const auto* events = trace.events(block)) {
      for (std::size_t i = std::min(end, events->size()); i-- > first;) {
        if constexpr (requires { sink.enter_event(block, i); }) {
          sink.enter_event(block, i);
        }
        follow_back((*events)[i], sink);
      }
    }
  }
}

}  // namespace tidemark::analyzer
