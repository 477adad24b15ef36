/// Differences between the kernel's list of a process's memory and the records of its mappings.
#pragma once

#include "collector/drain/tables/mapping_table.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/os/area_file.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace tidemark {

/// A mapping is recorded after the call, an unmapping before it, and a thread may be suspended in
/// between for any time: so either list may be ahead. What waits here for its other half is not a
/// loss.
struct AreaStates {
  /// Files that are mapped, but not according to the records: a munmap is in progress, or they are
  /// inherited from the process that forked this one. Removed once they are no longer mapped.
  PageRanges leaving;
  /// The parts of one file that no record has named. A record that arrives later removes its part.
  struct UnrecordedFile {
    PageRanges pages;  ///< From all looks before the last.
    PageRanges last;   ///< From the last look: a thread may still be inside the mapping call.
    std::uint64_t most_bytes = 0;  ///< Maximum at one look, except the last.
  };
  std::map<AreaFile, UnrecordedFile> unrecorded_files;
  PageRanges unrecorded;  ///< All of them.
  /// What was not mapped at the last look, although recorded as mapped, and no record has named
  /// since.
  PageRanges missing;
  /// All that a record has ever named, here or in the processes that this one was forked from: what
  /// a child may inherit. Everything, once it grows too large or records were dropped.
  std::shared_ptr<PageRanges> named = std::make_shared<PageRanges>();
  /// `named` of the process that forked this one, in its current state: a call made before the fork
  /// may be recorded after it. Null if that process is unknown.
  std::shared_ptr<const PageRanges> parent_named;
  /// Files that were mapped at the first look but not in `parent_named` then.
  PageRanges not_from_parent;
  /// What the last look found to be bare memory (find_bare_memory). Its record may be in flight.
  PageRanges maybe_bare;
  /// Freed blocks that libc had mapped alone, as long as they are mapped and may be unmapped yet: a
  /// thread may be displaced between the record of its free and the munmap.
  PageRanges freed;
  std::uint64_t freed_ns = 0;   ///< When the last of them was.
  trace::ThreadId freed_by{0};  ///< By whom.
  /// A thread that waits for something has unmapped its block after this time, one that waits for a
  /// processor after the longer one.
  static constexpr std::uint64_t kUnmapNs = 100'000'000;
  static constexpr std::uint64_t kStarvedUnmapNs = 1'000'000'000;
  bool was_looked_at = false;
  bool has_gaps = false;  ///< Records were dropped: nothing can be compared.
  std::uint64_t next_look_ns = 0;
  std::uint64_t next_search_ns = 0;  ///< Next search for bare memory at an address.

  /// Call before the first record of a process forked by `other`; null: by one that is not known
  /// (any more), from which it may have, and hand on, anything.
  void forked_from(const AreaStates* other) {
    if (other == nullptr) {
      name(kEverything);
      return;
    }
    *named = *other->named;
    parent_named = other->named;
  }
  /// A record says that `range` is mapped.
  void mapped(const PageRange& range) {
    name(range);
    leaving.remove(range);
    missing.remove(range);
    forget_unrecorded(range);
  }
  void forget_unrecorded(const PageRange& range) {
    if (unrecorded.remove(range) == 0)
      return;
    for (auto& [name, file] : unrecorded_files) {
      file.pages.remove(range);
      file.last.remove(range);
    }
  }
  /// A record names `range`, which is not in the table: it was mapped before the recording, or by
  /// libc.
  void explained(const PageRange& range) {
    mapped(range);
    leaving.add(range);
  }
  /// Records were dropped: differences may be due to that.
  void stop_comparing() {
    // Children share this set.
    std::shared_ptr<PageRanges> kept = std::move(named);
    *this = {};
    has_gaps = true;
    named = std::move(kept);
    name(kEverything);
  }
  /// A record says that `mapping` is about to be unmapped.
  void goes(const Mapping& mapping) {
    const PageRange range{mapping.begin, mapping.end};
    missing.remove(range);
    name(range);
    if (mapping.kind != Mapping::Kind::kAnon && mapping.kind != Mapping::Kind::kReserved)
      leaving.add(range);
  }

 private:
  static constexpr PageRange kEverything{0, ~std::uint64_t{0}};
  /// Limit on ranges, beyond which all addresses count as named: each fork copies them.
  static constexpr std::size_t kMaxNamed = 1024;

  void name(const PageRange& range) {
    named->add(named->count() < kMaxNamed ? range : kEverything);
  }
};

}  // namespace tidemark
