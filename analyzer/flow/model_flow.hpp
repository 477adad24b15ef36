/// What happened to the large blocks of a trace, and how the bytes of the model went through them.
#pragma once

#include "analyzer/query/pass/excerpt.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// Nine tenths or more, which findings treat as all.
constexpr bool is_most_of(std::uint64_t part, std::uint64_t whole) {
  return part >= whole - whole / 10;
}

/// One large block or mapping from its allocation to its end. A block that is reallocated gets
/// another number, but stays one life. Events are given by their ordinal in the trace.
struct BlockLife {
  static constexpr std::uint64_t kNever = UINT64_MAX;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint64_t first_size = 0;
  std::uint64_t size = 0;          ///< The last size while it was alive.
  std::uint64_t touched_size = 0;  ///< The largest at which bytes came or went: see `room`.
  trace::EventOrdinal born = 0;
  trace::EventOrdinal died = kNever;
  std::uint64_t born_ns = 0;
  std::uint64_t died_ns = kNever;
  trace::AllocationNumber allocation = 0;  ///< The last number that it went under.
  trace::StackId stack = trace::kNoStack;  ///< The last allocation's.
  trace::ProcessId process{0};
  trace::Lane lane = trace::Lane::kHeap;
  bool swept = false;             ///< Went with its process, or not at all.
  bool is_fresh = false;          ///< Its pages are certainly new from the kernel.
  bool is_mapping = false;        ///< A mapping of a model file.
  bool is_written_model = false;  ///< Written pages of a private mapping of one.

  // Bytes of the model. Depth: steps from the file, 0 while it has none.
  std::uint32_t depth = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t read_count = 0;
  std::uint64_t first_read_ns = 0;
  std::uint64_t last_read_ns = 0;
  trace::StackId read_stack = trace::kNoStack;  ///< The first read's.
  std::uint64_t copied_in_bytes = 0;   ///< Bytes of the model, from other blocks than it grew from.
  std::uint64_t copied_out_bytes = 0;  ///< Unknown destinations too.

  // Before and while the file was read into it.
  std::uint64_t filled_bytes = 0;  ///< By the largest single fill before the first read.
  std::uint64_t filled_ns = 0;
  std::uint64_t looked_bytes = 0;    ///< Read to where resident pages were looked for.
  double resident_bytes = 0;         ///< The resident part of these.
  double first_resident_share = -1;  ///< At the first such read; negative: none.

  // Growth: by realloc, or by moving to a larger block of the same place.
  std::uint32_t growth_steps = 0;
  bool has_moved = false;                   ///< Its bytes went to a larger block.
  std::uint32_t grown_from = kNone;         ///< The life whose bytes moved here,
  trace::EventOrdinal grown_from_born = 0;  ///< if it still is the one born then.
  std::uint64_t moved_in_bytes = 0;         ///< With that move.
  std::uint64_t footprint_after = 0;        ///< When it ended.

  [[nodiscard]] bool holds_model() const { return depth != 0; }
  /// Capacity for the bytes that came in. `size` is smaller if it gave pages back before it ended,
  /// as the heap of a garbage collector does.
  [[nodiscard]] std::uint64_t room() const { return touched_size > size ? touched_size : size; }
  void note_touch() { touched_size = room(); }
  /// `events`: how many there were before the instant.
  [[nodiscard]] bool is_alive_after(std::uint64_t events) const {
    return born < events && died >= events;
  }
};

/// Bytes copied out of a block; successive copies to one destination are merged.
struct Departure {
  std::uint32_t source = 0;                 ///< Index into ModelFlow::lives.
  std::uint32_t target = BlockLife::kNone;  ///< The same; kNone: no large block.
  trace::EventOrdinal at = 0;               ///< Ordinal of the last copy.
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
  trace::StackId stack = trace::kNoStack;  ///< The first copy's.
  bool is_growth = false;
};

/// Bytes copied between two large blocks that are not known to hold model bytes.
struct PlainCopy {
  std::uint32_t source = 0;  ///< Index into ModelFlow::lives.
  std::uint32_t target = 0;
  std::uint64_t bytes = 0;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;
  bool is_growth = false;  ///< The source moved there as it grew.
};

/// A change of a life's size: a reallocation, or a partial unmapping.
struct Resize {
  std::uint32_t life = 0;
  trace::EventOrdinal at = 0;
  std::int64_t change = 0;
  trace::AllocationNumber before = trace::kNoAllocation;  ///< Its number until then, if it changed.
};

/// Bytes of all large blocks of one stack, by how long they lived.
struct Lifetimes {
  std::uint64_t short_bytes = 0;
  std::uint64_t long_bytes = 0;
};

struct ModelFlow {
  /// Blocks that held bytes of the model or grew, and all others that were alive at the peak.
  std::vector<BlockLife> lives;
  std::vector<Departure> departures;    ///< Copies of model bytes, in order of time.
  std::vector<PlainCopy> plain_copies;  ///< Copies of blocks at the peak, by source.
  std::vector<Resize> resizes;          ///< In order of time.
  std::unordered_map<std::uint32_t, Lifetimes> lifetimes;  ///< By StackId.
  std::uint64_t short_life_ns = 0;        ///< The longest life that counts as a short one.
  std::uint64_t plateau_ns = UINT64_MAX;  ///< Since then the footprint was within 1 % of the peak.
  std::uint64_t read_bytes = 0;           ///< Read from the model's files.
  std::uint64_t unseen_read_bytes = 0;    ///< The part that went into no large block.
  std::uint64_t left_out_blocks = 0;      ///< Too many to follow.
  std::uint64_t left_out_copies = 0;      ///< The same of copies between blocks that are followed.

  [[nodiscard]] bool is_complete() const { return left_out_blocks + left_out_copies == 0; }
};

}  // namespace tidemark::analyzer
