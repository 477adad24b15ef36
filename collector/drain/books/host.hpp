/// What the collector knows of one process image while it lives.
#pragma once

#include "collector/drain/tables/address_table.hpp"
#include "collector/drain/tables/large_blocks.hpp"
#include "collector/drain/tables/mapping_table.hpp"
#include "collector/drain/tables/page_ranges.hpp"
#include "collector/drain/tables/stack_map.hpp"
#include "collector/process/process.hpp"
#include "collector/process/process_memory.hpp"
#include "collector/trace/types/event.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// A realloc, munmap or mremap between its two records: what left the tables, in case it comes
/// back.
struct PendingCall {
  std::uint64_t address = 0;
  std::optional<LiveBlock> block;
  std::vector<Mapping> moving;       ///< mremap: held aside, still counted.
  PageStates moving_pages;           ///< Of these.
  std::optional<Mapping> doubled{};  ///< mremap of no bytes: shared memory to be mapped again.
  std::vector<Mapping> unmapped;     ///< munmap: released already.
};

/// A large mapping that nobody has looked at so far. It is in no lane and has no number until a
/// look says what of it was touched, or a record names it: then it counts in full.
struct UnseenMapping {
  PageRange pages;
  trace::Event event;  ///< As it would be in full.
  std::uint64_t since_ns = 0;
  std::uint64_t allocation = 0;  ///< Once it is settled.
  std::uint64_t present = 0;     ///< By the look before.
  std::uint64_t next_look_ns = 0;
};

/// Device memory of one handle.
struct DeviceBlock {
  LiveBlock block;
  std::uint64_t mapped_at = 0;  ///< Where the host sees it; 0: nowhere.
};

struct Host {
  /// One that may speak for the process: the first.
  [[nodiscard]] trace::ThreadId first_thread() const {
    std::uint32_t lowest = ~std::uint32_t{0};
    for (const auto& [tid, thread] : threads)
      lowest = std::min(lowest, trace::index(thread));
    return trace::ThreadId{lowest};
  }

  Host(const wire::SessionMap& session, std::uint32_t slot_index, StackStore& store)
      : slot(slot_index), stacks(session, slot_index, store) {}

  /// Adds an allocation to the lanes and their peaks.
  void note(trace::Lane lane, std::uint64_t size, std::uint64_t at_ns) {
    totals[lane] += size;
    facts.lane_peaks[lane] = std::max(facts.lane_peaks[lane], totals[lane]);
    if (totals.footprint() > facts.peak.footprint()) {
      facts.peak = totals;
      facts.peak_at_ns = at_ns;
    }
  }

  static constexpr std::uint64_t kUnknownNamespace = ~std::uint64_t{0};

  std::uint32_t slot;  ///< Its ProcessSlot.
  /// Which process it is on this machine; null while that is not known, and when it had ended
  /// before anybody looked.
  std::shared_ptr<const Process> process;
  /// As its own pid namespace calls it, and its parent: what it wrote into its slot.
  std::uint32_t own_pid = 0;
  std::uint32_t own_parent = 0;
  std::uint64_t pid_namespace = 0;  ///< 0: ours, as far as is known.
  bool is_forked = false;           ///< Its image is its parent's.
  bool is_sought = false;           ///< `process` may still be found.
  std::uint32_t generation = 0;
  trace::ProcessId id{0};
  trace::Process facts;
  trace::LaneTotals totals;
  AddressTable heap;
  LargeBlocks large;  ///< Those of `heap` that are, and device memory where the host sees it.
  std::unordered_map<std::uint64_t, DeviceBlock> device;  ///< By handle.
  MappingTable mappings;
  PageStates pages;  ///< Of `mappings`.
  std::vector<UnseenMapping> unseen;
  std::vector<UnseenMapping>
      full;  ///< Those that count in full, though a part may never be touched.
  std::map<std::string, LiveBlock> file_data;  ///< By file: see FileDataBook.
  std::set<std::uint64_t> module_ends;         ///< Whole pages.
  std::uint64_t next_file_data_look_ns = 0;
  StackMap stacks;
  std::unordered_map<std::uint32_t, trace::ThreadId> threads;  ///< By tid.
  std::unordered_map<std::uint32_t, PendingCall> pending;      ///< By thread index.
  std::unordered_map<std::uint64_t, trace::FileId> descriptors;
  std::unordered_map<std::uint64_t, SharedObjectId> shared_descriptors;  ///< Those of memory.
  std::vector<SharedObjectId> inherited;  ///< Shared memory of the process that forked this one.
  std::optional<ProcessMemory> memory;
  trace::Sample last_sample;
  /// How much more its counts are than its part of pages that it shares, when that was looked at
  /// last: the look is dear.
  MemorySample shared_excess;
  std::uint64_t next_share_look_ns = 0;
  std::optional<LiveBlock> of_fork;  ///< What it has for itself beyond what it asked for.
  bool has_ring = false;             ///< An io_uring was seen among its descriptors.
  std::uint64_t next_ring_look_ns = 0;
  bool is_image_gone = false;  ///< Ended, or replaced by an exec.
  bool is_dead = false;        ///< Its last record was made.
  bool has_ended = false;      ///< Its end is in the trace.
  bool execs = false;          ///< Asked for an exec that has not failed so far.
  std::uint64_t exec_at_ns = 0;
};

/// Those that are alive, and those whose last records are not all read.
using HostList = std::vector<std::unique_ptr<Host>>;

}  // namespace tidemark
