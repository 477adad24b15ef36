/// State of the books for one process image, a part for each book: its blocks, where their content
/// came from, what looks have found, and when the next looks are due.
#pragma once

#include "collector/drain/hosts/heap_look_marks.hpp"
#include "collector/drain/hosts/run_mark.hpp"
#include "collector/drain/tables/address_table.hpp"
#include "collector/drain/tables/area_states.hpp"
#include "collector/drain/tables/block_origins.hpp"
#include "collector/drain/tables/large_blocks.hpp"
#include "collector/drain/tables/live_block.hpp"
#include "collector/drain/tables/mapping_table.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/drain/tables/stacks/stack_map.hpp"
#include "collector/process/process_io.hpp"
#include "collector/process/process_memory.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"
#include "collector/weights/block_sample.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark {

/// A realloc, munmap or mremap between its two records: what was taken from the tables, in case the
/// call fails.
struct PendingCall {
  std::optional<LiveBlock> block;    ///< realloc: see Source::reallocated.
  std::uint64_t moved_from = 0;      ///< mremap: where `moving` was.
  std::vector<Mapping> moving;       ///< Taken from the table, still counted.
  PageStates moving_pages;           ///< Those of `moving`.
  std::optional<Mapping> doubled{};  ///< mremap of no bytes: shared memory to be mapped again.
  std::vector<Mapping> unmapped;     ///< munmap: released already.
};

/// A large mapping that was not looked at yet, or that was being filled at the last look. It has no
/// number and is in no lane until a look tells how much of it is touched. Parts that a record names
/// before that, and parts already touched when other memory is released, are counted at once, with
/// a number; the rest keeps waiting.
struct UnseenMapping {
  PageRange pages;
  trace::Event event;  ///< The event that would count it in full.
  std::uint64_t since_ns = 0;
  std::uint64_t allocation = 0;  ///< Once it is settled.
  std::uint64_t present = 0;     ///< Bytes present at the last look.
  std::uint64_t come = 0;        ///< Those of them that are new since the look before.
  std::uint64_t looked_ns = 0;   ///< Time of the last look; 0: none.
  std::uint64_t pause_ns = 0;    ///< Time between these two looks; 0: at most one.
  PageRanges named;              ///< Touched according to records of reads, copies and fills.
  std::uint64_t named_bytes = 0;
  std::uint64_t next_look_ns = 0;
  bool is_break = false;    ///< As in Mapping.
  bool is_counted = false;  ///< Counted in part, and numbered.
  std::uint64_t counted_bytes = 0;
  /// Until this time, no more than `counted_bytes` were touched.
  std::uint64_t counted_until_ns = 0;
};

/// Device memory of one handle.
struct DeviceBlock {
  LiveBlock block;
  std::uint64_t mapped_at = 0;  ///< Where it is mapped in the host; 0: not mapped.
  /// Host memory in which the driver keeps it; empty: none.
  PageRange backing{};

  /// `mapped_at` is in `backing`, where the block is found anyway.
  [[nodiscard]] bool is_mapped_in_backing() const {
    return mapped_at >= backing.begin && mapped_at < backing.end;
  }
};

/// What is known of a large block's pages.
struct ToldLook {
  std::uint64_t first_ns = 0;  ///< The first look.
  std::uint64_t at_ns = 0;     ///< Last look in the trace; 0: none.
  std::uint64_t bytes = 0;
  std::uint64_t seen_ns = 0;  ///< Last look, if not in the trace yet.
  std::uint64_t seen_bytes = 0;
  std::uint64_t quiet_ns = 0;  ///< Look before, if not worth writing.
  std::uint64_t quiet_bytes = 0;
};

/// What was seen in which blocks, and when to look again: see ValueBook.
struct HostValues {
  /// One look into one block.
  struct Seen {
    std::uint64_t address = 0;
    std::uint64_t until_ns = 0;  ///< When the look ended.
    bool is_mapped = false;      ///< In a mapping: see `mapped`.
    bool has_values = false;  ///< Else its pages are not in memory, or nothing was written there.
    weights::BlockSample sample;
    std::vector<trace::Joined> joined{};  ///< What of others it was seen to hold: see JoinBook.
  };
  /// The part of a large anonymous mapping that is treated as a block: its pages in memory, without
  /// both ends.
  struct Mapped {
    std::uint64_t address = 0;
    LargeBlocks::Block block;
    bool is_arena = false;         ///< So small that it is more likely one of many.
    bool was_before_load = false;  ///< No file that may have tensors had been used yet.
  };
  std::unordered_map<trace::AllocationNumber, Mapped> mapped;  ///< At the time of that look.
  std::vector<Seen> seen;  ///< By the last look, if still valid.
  std::uint64_t looked_ns = 0;
  std::uint64_t cost_ns = 0;      ///< That look's CPU time.
  std::uint64_t spent_ns = 0;     ///< On all of them.
  std::uint64_t last_use_ns = 0;  ///< Last use of a file that may have tensors; 0: none.
  std::uint64_t peak_bytes = 0;   ///< Footprint at its last notable rise.
  std::uint64_t risen_ns = 0;     ///< When a look noticed that.
};

/// What was seen at sampled places in large mappings and heap blocks, and when to look again: see
/// ProbeBook.
struct HostProbes {
  /// One look at one place.
  struct Seen {
    std::uint64_t address = 0;
    trace::AllocationNumber allocation = 0;
    std::uint64_t begin = 0;  ///< In the allocation.
    bool is_mapped = false;   ///< In a mapping, not a heap block.
    weights::Probe bytes{};
  };
  /// A period in which the same bytes were seen.
  struct Period {
    weights::Probe bytes{};
    std::uint64_t step = 0;     ///< Distance in bytes of the places of that look.
    std::uint64_t at_ns = 0;    ///< The first look that saw them.
    std::uint64_t from_ns = 0;  ///< When other bytes may have been there last; 0: unknown.
    std::uint64_t last_ns = 0;
    bool has_ended = false;  ///< A later look saw other bytes.
    bool is_left = false;    ///< The step has grown: no longer looked at.
  };
  struct Place {
    trace::AllocationNumber allocation = 0;
    std::uint64_t begin = 0;
    std::vector<Period> periods;
  };
  /// One pass over all memory that is present: several looks, if that is much.
  struct Round {
    std::uint64_t next = 0;       ///< Address at which the next look continues; 0: a new round.
    std::uint64_t step = 0;       ///< Distance in bytes of the places looked at.
    std::uint64_t met_bytes = 0;  ///< Bytes in memory, so far.
    std::uint64_t began_ns = 0;
    std::uint64_t before_ns = 0;   ///< When the last round began; 0: none.
    std::uint64_t peak_bytes = 0;  ///< The host's footprint at its begin.
  };
  struct Look {
    std::uint64_t at_ns = 0;
    PageRange range;            ///< What it went through.
    std::vector<Seen> seen;     ///< If still valid.
    std::uint64_t cost_ns = 0;  ///< In CPU time.
  };
  std::map<std::uint64_t, Place> places;  ///< By address.
  Round round;
  Look look;                   ///< The last one.
  std::uint64_t spent_ns = 0;  ///< CPU time of all looks.
};

/// ProcessStat::faults at a time. By default: none, before anything was recorded.
struct FaultCount {
  std::uint64_t at_ns = 0;
  std::uint64_t faults = 0;
};

/// How far a process had come when a mapping of it was last looked at.
struct LookedAt {
  std::uint64_t cpu_ns = 0;  ///< Its time on processors.
  std::uint64_t faults = 0;  ///< ProcessStat::faults, or fewer.
};

/// For a forked process: the part of its parent's memory that is now its own (ForkBook).
struct WrittenOfFork {
  /// The program from which it, and all processes that share pages with it, were forked; itself, if
  /// it was not forked or its parent is unknown.
  trace::ProcessId family{0};
  std::optional<LiveBlock> block;    ///< Its allocation in the trace.
  std::uint64_t most_bytes = 0;      ///< What its parent had when it was forked.
  std::uint64_t own_bytes = 0;       ///< Anonymous memory of its own, by the last look.
  std::uint64_t seen_bytes = 0;      ///< Those in no lane at that look: may count from now on.
  std::uint64_t seen_ns = 0;         ///< When that was seen.
  std::uint64_t looks = 0;           ///< How many there were.
  bool has_been_left = false;        ///< A process that shared its memory has ended since.
  std::uint64_t faults = 0;          ///< ProcessStat::faults then.
  std::uint64_t parent_faults = 0;   ///< Those of its parent then, or when it was forked.
  std::uint64_t parent_counted = 0;  ///< Bytes of private memory in its parent's lanes then.
};

/// The tables of a host, each kept by the book of its kind. They change independently.
struct HostTables {
  AddressTable heap;
  /// The large blocks of `heap`, and device memory that is mapped in the host or backed by its
  /// memory.
  LargeBlocks large;
  std::unordered_map<std::uint64_t, DeviceBlock> device;  ///< By handle.
  MappingTable mappings;
  AreaStates areas;  ///< Where the kernel's list and `mappings` differ.
  std::unordered_map<trace::AllocationNumber, ToldLook> looks;  ///< At those of `large`.
  BlockOrigins origins;  ///< For `large` and `mappings`, including released ones.
  std::uint64_t next_origin_look_ns = 0;
  HostValues values;  ///< What blocks of `large` and mappings hold.
  HostProbes probes;  ///< Samples of places in `mappings` and `large`.
  std::uint64_t next_look_ns = 0;
  std::uint64_t looked_up_to = 0;  ///< Address at which the next look continues.
  PageStates pages;                ///< States of pages in `mappings`.
  PageRanges bare;                 ///< Where `mappings` has bare ones (Mapping::is_bare).
  std::uint64_t next_bare_look_ns = 0;
  std::vector<UnseenMapping> unseen;
  /// Mapping::written of private file mappings that were being written to at the last look, or are
  /// new since.
  std::map<trace::AllocationNumber, LookedAt> being_written;
  std::array<FaultCount, 2> fault_counts{};  ///< At the last two looks, the later one first.
  std::uint64_t highest_beside_unseen = 0;   ///< The footprint without them, since the first came.
  std::vector<UnseenMapping>
      full;  ///< Those that count in full, though a part may never be touched.
  std::map<std::string, LiveBlock> file_data;  ///< By file: see FileDataBook.
  std::set<std::uint64_t> module_ends;         ///< Whole pages.
  std::set<std::uint64_t> modules_read;        ///< Load biases of those that the loader has read.
  std::uint32_t module_epoch = 0;              ///< The highest one of a module.
  std::uint64_t next_file_data_look_ns = 0;
  WrittenOfFork of_fork;
  StackMap stacks;
  std::unordered_map<std::uint32_t, trace::ThreadId> threads;  ///< Those that run, by tid.
  std::optional<trace::ThreadId> first_thread;  ///< The first of all, ended ones included.
  std::unordered_map<std::uint32_t, PendingCall> pending;  ///< By thread index.
  std::unordered_map<std::uint64_t, trace::FileId> descriptors;
  std::unordered_map<std::uint64_t, SharedObjectId> shared_descriptors;  ///< Those of memory.
  std::vector<SharedObjectId> inherited;  ///< Shared memory of the process that forked this one.

  explicit HostTables(StackMap map) : stacks(std::move(map)) {}
};

/// A large file that a process had open at a look, or has closed since the look before.
struct FileAtLook {
  OpenFile file;
  /// By how much its position went on since reads were told last; of one that was closed, and what
  /// was left of it.
  std::uint64_t moved_bytes = 0;
  std::uint64_t seen_uses = 0;  ///< FileBook::seen_uses_of, when they were told last.
  /// ReadLooks::untold_bytes before it was opened; kNotKnown once a child's reads were added to it.
  std::uint64_t untold_before = kNotKnown;
  bool is_closed = false;

  static constexpr std::uint64_t kNotKnown = UINT64_MAX;
};

/// What the sampler has seen of a host so far.
struct HostSampling {
  trace::Sample last;
  /// By how much its counts exceed its proportional share of shared pages, at the last look (an
  /// expensive one). Empty before the first look, and if it shares none.
  std::optional<MemorySample> shared_excess;
  /// Looks for io_uring rings that no record has announced.
  struct RingLooks {
    std::uint64_t expected_ns = 0;  ///< When a new ring last became likely.
    std::uint64_t last_ns = 0;      ///< Time of the last look; 0: there was none.
    std::uint64_t cost_ns = 0;      ///< That look's CPU time.
    std::size_t mapped = 0;         ///< Number of ring areas at the last look at all areas.
  } rings;
  /// See UnseenReadBook.
  struct ReadLooks {
    std::vector<FileAtLook> files;    ///< By the last look.
    std::uint64_t unseen_bytes = 0;   ///< Read by then, as the kernel counts, and seen by no hook.
    std::uint64_t told_up_to = 0;     ///< The same, by the look before.
    std::uint64_t left_bytes = 0;     ///< Those of that look that no file was told for.
    std::uint64_t told_bytes = 0;     ///< For all files.
    std::uint64_t untold_bytes = 0;   ///< Those of the look before that no file was ever told for.
    std::uint64_t reaped_faults = 0;  ///< ProcessStat::reaped_faults, at the last look.
    std::uint64_t count = 0;          ///< Looks so far.
    std::uint64_t next_ns = 0;        ///< When the next look may be.
  } reads;
  /// For samples, and for looks at new mappings.
  RunMark run_at_sample;
  RunMark run_at_mappings;
  /// Looks at the memory that holds its heap (trace::HeapLook).
  struct HeapLooks {
    HeapLookMarks marks;
    std::uint64_t next_ns = 0;   ///< When the next one may be.
    std::uint64_t spent_ns = 0;  ///< On all of them.
  } heap_looks;
  /// Resident bytes of tidemark's own private memory at the last look. Empty before the first, and
  /// if access to its pages is denied.
  std::optional<std::uint64_t> own_private_bytes;
  std::uint64_t next_own_look_ns = 0;
  /// Bytes freed by MADV_FREE but still resident at the last look.
  std::uint64_t lazily_freed_bytes = 0;
};

}  // namespace tidemark
