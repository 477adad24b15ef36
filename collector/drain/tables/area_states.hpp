/// Where the kernel's list of a process's memory and the records of its mappings differ.
#pragma once

#include "collector/drain/tables/mapping_table.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/os/area_file.hpp"

#include <cstdint>
#include <map>

namespace tidemark {

/// A record of a mapping is made after the call, one of an unmapping before it, and a thread may
/// stand still between the two for any time: so both lists are right in turn. What waits here for
/// the other half is no loss.
struct AreaStates {
  /// Files that are mapped, though by the records they are not: munmap is on its way, or a fork has
  /// left them to this process. They are forgotten once they are not mapped any more.
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
  bool was_looked_at = false;
  bool has_gaps = false;  ///< Records were dropped: nothing can be compared.
  std::uint64_t next_look_ns = 0;

  /// By a record.
  void mapped(const PageRange& range) {
    leaving.remove(range);
    missing.remove(range);
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
    *this = {};
    has_gaps = true;
  }
  /// By a record, before the call.
  void goes(const Mapping& mapping) {
    const PageRange range{mapping.begin, mapping.end};
    missing.remove(range);
    if (mapping.kind != Mapping::Kind::kAnon && mapping.kind != Mapping::Kind::kReserved)
      leaving.add(range);
  }
};

}  // namespace tidemark
