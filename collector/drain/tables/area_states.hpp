/// Where the kernel's list of a process's memory and the records of its mappings differ.
#pragma once

#include "collector/drain/tables/mapping_table.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/os/area_file.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace tidemark {

/// A record of a mapping is made after the call, one of an unmapping before it, and a thread may
/// stand still between the two for any time: so both lists are right in turn. What waits here for
/// the other half is no loss.
struct AreaStates {
  /// Files that are mapped, though by the records they are not: munmap is on its way, or the
  /// process has them from the one that forked it. They are forgotten once they are not mapped any
  /// more.
  PageRanges leaving;
  /// Of one file, what no record has named. One that still comes takes it out.
  struct UnrecordedFile {
    PageRanges pages;  ///< Of all looks before the last one.
    PageRanges last;   ///< Of the last one: a thread may still be inside the call that maps it.
    std::uint64_t most_bytes = 0;  ///< At one look, of those before the last one.
  };
  std::map<AreaFile, UnrecordedFile> unrecorded_files;
  PageRanges unrecorded;  ///< All of them.
  /// What was not mapped at the last look, though by the records it was, and has not been named by
  /// a record since.
  PageRanges missing;
  /// All that a record has ever named, here or in the processes that this one comes from by fork:
  /// what a child may have from it. Everything, once it is too much or records were dropped.
  std::shared_ptr<PageRanges> named = std::make_shared<PageRanges>();
  /// `named` of the process that forked this one, as it is now: the record of a call may come after
  /// the fork that the call was before. Null where that process is not known.
  std::shared_ptr<const PageRanges> parent_named;
  /// Files that were mapped at the first look, and that `parent_named` did not have then.
  PageRanges not_from_parent;
  /// What the last look took for bare memory (find_bare_memory). Its record may be on its way.
  PageRanges maybe_bare;
  bool was_looked_at = false;
  bool has_gaps = false;  ///< Records were dropped: nothing can be compared.
  std::uint64_t next_look_ns = 0;
  std::uint64_t next_search_ns = 0;  ///< For bare memory at an address.

  /// Before the first record of a process that `other` has forked.
  void forked_from(const AreaStates& other) {
    *named = *other.named;
    parent_named = other.named;
  }
  /// By a record.
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
  /// By a record of what is not in the table: it was mapped before the recording, or by libc.
  void explained(const PageRange& range) {
    mapped(range);
    leaving.add(range);
  }
  /// Records were dropped: what is known may be for want of them.
  void stop_comparing() {
    // Children hold the very set.
    std::shared_ptr<PageRanges> kept = std::move(named);
    *this = {};
    has_gaps = true;
    named = std::move(kept);
    name(kEverything);
  }
  /// By a record, before the call.
  void goes(const Mapping& mapping) {
    const PageRange range{mapping.begin, mapping.end};
    missing.remove(range);
    name(range);
    if (mapping.kind != Mapping::Kind::kAnon && mapping.kind != Mapping::Kind::kReserved)
      leaving.add(range);
  }

 private:
  static constexpr PageRange kEverything{0, ~std::uint64_t{0}};
  /// Ranges, after which all addresses are named: each fork copies them.
  static constexpr std::size_t kMaxNamed = 1024;

  void name(const PageRange& range) {
    named->add(named->count() < kMaxNamed ? range : kEverything);
  }
};

}  // namespace tidemark
