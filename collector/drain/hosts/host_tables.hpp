/// What the books keep of one process image, each its own part: the blocks that it has, where they
/// came from, what looks at it have found, and when the next ones are due.
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

/// A realloc, munmap or mremap between its two records: what left the tables, in case it comes
/// back.
struct PendingCall {
  std::optional<LiveBlock> block;    ///< realloc: see Source::reallocated.
  std::uint64_t moved_from = 0;      ///< mremap: where `moving` was.
  std::vector<Mapping> moving;       ///< Held aside, still counted.
  PageStates moving_pages;           ///< Of these.
  std::optional<Mapping> doubled{};  ///< mremap of no bytes: shared memory to be mapped again.
  std::vector<Mapping> unmapped;     ///< munmap: released already.
};

/// A large mapping that nobody has looked at so far, or that was being filled at the last look. It
/// is in no lane and has no number until a look says what of it was touched. Of what a record names
/// meanwhile, and of what is touched by the time that something goes beside it, it has a number and
/// counts at once; the rest waits on.
struct UnseenMapping {
  PageRange pages;
  trace::Event event;  ///< As it would be in full.
  std::uint64_t since_ns = 0;
  std::uint64_t allocation = 0;  ///< Once it is settled.
  std::uint64_t present = 0;     ///< By the look before.
  std::uint64_t come = 0;        ///< Of that, since the look before that one.
  std::uint64_t looked_ns = 0;   ///< The look before; 0: there was none.
  std::uint64_t pause_ns = 0;    ///< Between the two; 0: there was one at most.
  PageRanges named;              ///< By records: reads, copies and fills went there.
  std::uint64_t named_bytes = 0;
  std::uint64_t next_look_ns = 0;
  bool is_break = false;    ///< As Mapping has it.
  bool is_counted = false;  ///< In part: it has its number.
  std::uint64_t counted_bytes = 0;
  /// No more than those was touched up to here.
  std::uint64_t counted_until_ns = 0;
};

/// Device memory of one handle.
struct DeviceBlock {
  LiveBlock block;
  std::uint64_t mapped_at = 0;  ///< Where the host sees it; 0: nowhere.
  /// Memory of the host that the driver keeps it in; empty: none.
  PageRange backing{};

  /// `mapped_at` is in it: the block is found there without the mapping.
  [[nodiscard]] bool is_mapped_in_backing() const {
    return mapped_at >= backing.begin && mapped_at < backing.end;
  }
};

/// What is known of a large block's pages.
struct ToldLook {
  std::uint64_t first_ns = 0;  ///< The first look.
  std::uint64_t at_ns = 0;     ///< The last one that was told; 0: none.
  std::uint64_t bytes = 0;
  std::uint64_t seen_ns = 0;  ///< The last one, if it is still to be told.
  std::uint64_t seen_bytes = 0;
  std::uint64_t quiet_ns = 0;  ///< The one before, if it was not worth telling.
  std::uint64_t quiet_bytes = 0;
};

/// What is to be seen of which blocks, and when: see ValueBook.
struct HostValues {
  /// One look into one block.
  struct Seen {
    std::uint64_t address = 0;
    std::uint64_t until_ns = 0;  ///< When it was over.
    bool is_mapped = false;      ///< Of a mapping: see `mapped`.
    bool has_values = false;  ///< Else its pages are not in memory, or nothing was written there.
    weights::BlockSample sample;
    std::vector<trace::Joined> joined{};  ///< What of others it was seen to hold: see JoinBook.
  };
  /// What of a large anonymous mapping is taken for a block: all that is in memory but both ends.
  struct Mapped {
    std::uint64_t address = 0;
    LargeBlocks::Block block;
  };
  std::unordered_map<trace::AllocationNumber, Mapped> mapped;  ///< At the time of that look.
  std::vector<Seen> seen;  ///< By the look before, if it is still to be believed.
  std::uint64_t looked_ns = 0;
  std::uint64_t cost_ns = 0;      ///< Of that look, in CPU time.
  std::uint64_t spent_ns = 0;     ///< On all of them.
  std::uint64_t last_use_ns = 0;  ///< Of a file that may have tensors; 0: there was none.
  std::uint64_t peak_bytes = 0;   ///< The footprint's, when it had last risen by a notable part.
  std::uint64_t risen_ns = 0;     ///< The look that noticed that.
};

/// What was seen here and there in large mappings and heap blocks, and when it is to be looked at
/// again: see ProbeBook.
struct HostProbes {
  /// One look at one place.
  struct Seen {
    std::uint64_t address = 0;
    trace::AllocationNumber allocation = 0;
    std::uint64_t begin = 0;  ///< In the allocation.
    bool is_mapped = false;   ///< And no heap block.
    weights::Probe bytes{};
  };
  /// The same bytes, as long as they were seen.
  struct Period {
    weights::Probe bytes{};
    std::uint64_t step = 0;     ///< Of that look: one place in so many bytes.
    std::uint64_t at_ns = 0;    ///< The first look that saw them.
    std::uint64_t from_ns = 0;  ///< When others may have been there last; 0: that is not known.
    std::uint64_t last_ns = 0;
    bool has_ended = false;  ///< A later look did not.
    bool is_left = false;    ///< The step has grown: nobody looks there any more.
  };
  struct Place {
    trace::AllocationNumber allocation = 0;
    std::uint64_t begin = 0;
    std::vector<Period> periods;
  };
  /// Once through all that is in memory: several looks, where that is much.
  struct Round {
    std::uint64_t next = 0;       ///< An address, where the next look goes on; 0: with a new round.
    std::uint64_t step = 0;       ///< One place in so many bytes is looked at.
    std::uint64_t met_bytes = 0;  ///< In memory, so far.
    std::uint64_t began_ns = 0;
    std::uint64_t before_ns = 0;   ///< When the round before began; 0: there was none.
    std::uint64_t peak_bytes = 0;  ///< The host's footprint, as it was at the begin.
  };
  struct Look {
    std::uint64_t at_ns = 0;
    PageRange range;            ///< What it went through.
    std::vector<Seen> seen;     ///< If that is still to be believed.
    std::uint64_t cost_ns = 0;  ///< In CPU time.
  };
  std::map<std::uint64_t, Place> places;  ///< By address.
  Round round;
  Look look;                   ///< The last one.
  std::uint64_t spent_ns = 0;  ///< On all looks, in CPU time.
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

/// Of a forked process: what it has for itself of its parent's memory (ForkBook).
struct WrittenOfFork {
  /// The program that it and all that share pages with it were forked from; of one that was not
  /// forked, or of whose parent nothing is known: itself.
  trace::ProcessId family{0};
  std::optional<LiveBlock> block;    ///< What of it is in the trace.
  std::uint64_t most_bytes = 0;      ///< What its parent had when it was forked.
  std::uint64_t own_bytes = 0;       ///< Anonymous memory of its own, by the last look.
  std::uint64_t seen_bytes = 0;      ///< What of it no lane had then: may count from now on.
  std::uint64_t seen_ns = 0;         ///< When that was seen.
  std::uint64_t looks = 0;           ///< How many there were.
  bool has_been_left = false;        ///< One that shared its memory has ended since.
  std::uint64_t faults = 0;          ///< ProcessStat::faults then.
  std::uint64_t parent_faults = 0;   ///< Those of its parent then, or when it was forked.
  std::uint64_t parent_counted = 0;  ///< Bytes of private memory in its parent's lanes then.
};

/// What a host has, each for the book of its kind to keep. They change apart from each other.
struct HostTables {
  AddressTable heap;
  /// Those of `heap` that are, and device memory where the host sees it or a driver keeps it in the
  /// host's memory.
  LargeBlocks large;
  std::unordered_map<std::uint64_t, DeviceBlock> device;  ///< By handle.
  MappingTable mappings;
  AreaStates areas;  ///< Where the kernel says otherwise than `mappings`.
  std::unordered_map<trace::AllocationNumber, ToldLook> looks;  ///< At those of `large`.
  BlockOrigins origins;  ///< Of those of `large` and of `mappings`, and of such that are gone.
  std::uint64_t next_origin_look_ns = 0;
  HostValues values;  ///< Of those of `large`.
  HostProbes probes;  ///< Of `mappings` and `large`.
  std::uint64_t next_look_ns = 0;
  std::uint64_t looked_up_to = 0;  ///< An address: the next look goes on there.
  PageStates pages;                ///< Of `mappings`.
  PageRanges bare;                 ///< Where `mappings` has such that are Mapping::is_bare.
  std::uint64_t next_bare_look_ns = 0;
  std::vector<UnseenMapping> unseen;
  /// Mapping::written of private mappings of files that were being written to by the last look, or
  /// have come since.
  std::map<trace::AllocationNumber, LookedAt> being_written;
  std::array<FaultCount, 2> fault_counts{};  ///< Of the last two looks, the later one first.
  std::uint64_t highest_beside_unseen = 0;   ///< The footprint without them, since the first came.
  std::vector<UnseenMapping>
      full;  ///< Those that count in full, though a part may never be touched.
  std::map<std::string, LiveBlock> file_data;  ///< By file: see FileDataBook.
  std::set<std::uint64_t> module_ends;         ///< Whole pages.
  std::uint64_t next_file_data_look_ns = 0;
  WrittenOfFork of_fork;
  StackMap stacks;
  std::unordered_map<std::uint32_t, trace::ThreadId> threads;  ///< By tid.
  std::unordered_map<std::uint32_t, PendingCall> pending;      ///< By thread index.
  std::unordered_map<std::uint64_t, trace::FileId> descriptors;
  std::unordered_map<std::uint64_t, SharedObjectId> shared_descriptors;  ///< Those of memory.
  std::vector<SharedObjectId> inherited;  ///< Shared memory of the process that forked this one.

  explicit HostTables(StackMap map) : stacks(std::move(map)) {}
};

/// What the sampler has seen of a host so far.
struct HostSampling {
  trace::Sample last;
  /// How much more its counts are than its part of pages that it shares, when that was looked at
  /// last: the look is dear. Empty before the first, and where it shares none.
  std::optional<MemorySample> shared_excess;
  /// Looks for rings of io_uring that nobody has told of.
  struct RingLooks {
    std::uint64_t expected_ns = 0;  ///< When one was last more likely than before.
    std::uint64_t last_ns = 0;      ///< Of the last look; 0: there was none.
    std::uint64_t cost_ns = 0;      ///< Of that look, in CPU time.
    std::size_t mapped = 0;         ///< Areas of rings, by the last look at all areas.
  } rings;
  /// For samples, and for looks at new mappings.
  RunMark run_at_sample;
  RunMark run_at_mappings;
  /// Looks at what its heap lies in (trace::HeapLook).
  struct HeapLooks {
    HeapLookMarks marks;
    std::uint64_t next_ns = 0;   ///< When the next one may be.
    std::uint64_t spent_ns = 0;  ///< On all of them.
  } heap_looks;
  /// What of tidemark's own private memory is there, by the last look. Empty before the first, and
  /// where its pages may not be looked at.
  std::optional<std::uint64_t> own_private_bytes;
  std::uint64_t next_own_look_ns = 0;
  /// Given back by MADV_FREE and still resident, by the last look.
  std::uint64_t lazily_freed_bytes = 0;
};

}  // namespace tidemark
