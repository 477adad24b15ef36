/// Writes one trace, front to back, so that what is on disk is readable after every block.
#pragma once

#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"
#include "collector/trace/types/heap_event.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::trace {

/// Layout: collector/trace/FORMAT.md. Single-threaded.
///
/// The file is written as PATH.incomplete and renamed to PATH by `finish` (see OutputFile); a
/// writer destroyed without `finish` or `discard` leaves the readable `.incomplete` file behind.
/// After the first write error nothing more is written (the blocks so far stay intact) but what is
/// missing, every call stays harmless, and `events_unwritten` counts.
class TraceWriter {
 public:
  /// Creates PATH.incomplete. The null device is written to, and nothing is kept.
  /// @return kUsage or kIo with one sentence: what is no regular file, a file that is no recording,
  /// another recording that is being made under that name, no right or no room to write.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path);

  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  TraceWriter(TraceWriter&&) = delete;
  TraceWriter& operator=(TraceWriter&&) = delete;
  virtual ~TraceWriter() = default;

  /// Appends an event. Its `at_ns` is raised to the previous event's when it lies before it. For
  /// allocations `event.allocation` is ignored: the number it got is returned (else the return
  /// value means nothing). For kRelease, kReleasePart and kReallocate `allocation`/`released` must
  /// name an earlier allocation and `size`/`released_size` must be its bytes.
  virtual AllocationNumber append(const Event& event) = 0;
  /// The same as `append` of each of them, at a fraction of its cost: most events of most programs
  /// are such. `events` are all of `thread`; allocations and reallocations among them count from
  /// `next_allocation`.
  /// @param change of `events`.
  virtual void append_heap(ThreadId thread,
                           std::span<const HeapEvent> events,
                           const HeapChange& change);
  virtual void append(const Sample& sample) = 0;

  // Definitions. Ids are given in order of the calls, from 0 (1 where 0 is reserved: names,
  // modules, stacks). A definition reaches the disk no later than the first block that uses it.
  virtual NameId add_name(std::string_view name) = 0;  ///< The same text gets the same id.
  virtual ProcessId add_process(const Process& process) = 0;
  virtual void update_process(ProcessId id, const Process& process) = 0;
  virtual ThreadId add_thread(const Thread& thread) = 0;
  virtual void update_thread(ThreadId id, const Thread& thread) = 0;
  virtual ModuleId add_module(const Module& module) = 0;
  virtual FrameId add_frame(const Frame& frame) = 0;
  virtual StackId add_stack(const StackNode& node) = 0;
  virtual FileId add_file(const File& file) = 0;
  virtual void update_file(FileId id, const File& file) = 0;
  virtual TensorId add_tensor(const Tensor& tensor) = 0;
  virtual LookId add_look(const Look& look) = 0;
  virtual OriginId add_origin(const Origin& origin) = 0;
  virtual MatchId add_match(const ValueMatch& match) = 0;
  virtual MismatchId add_mismatch(const ValueMismatch& mismatch) = 0;
  virtual PackedId add_packed(const PackedMatch& packed) = 0;
  virtual HeapLookId add_heap_look(const HeapLook& look) = 0;
  virtual AlikeId add_alike(const Alike& alike) = 0;
  virtual JoinedId add_joined(const Joined& joined) = 0;
  virtual void set_locations(FrameId id, const std::vector<Location>& locations) = 0;
  /// What is known so far; `finish` replaces it. Before any event it is written at once, with room
  /// for what `finish` will know, so that a full disk cannot keep it from being said; later with
  /// the next `flush`.
  virtual void set_session(const Session& session) = 0;

  /// Writes out what is buffered, as a complete block, so that a reader of the incomplete file sees
  /// it. Where nothing is, the file is touched: that was all. Called by the collector at least once
  /// a second.
  virtual void flush() = 0;

  /// Writes the last blocks, the session and the index, and renames. The writer's own
  /// `events_unwritten` is added to the session's loss. On an earlier or present write error: says
  /// so, and the `.incomplete` file stays, with the session at its beginning.
  virtual Status finish(const Session& session) = 0;
  /// Removes the `.incomplete` file: nothing was recorded.
  virtual void discard() = 0;
  /// Leaves the `.incomplete` file as it is on disk. For a caller that cannot tell what it was at
  /// when memory ran out; nothing but the destructor may be called after it.
  virtual void abandon() noexcept = 0;

  /// Totals after the last appended event: for the collector's own status line.
  [[nodiscard]] virtual const LaneTotals& totals() const = 0;
  [[nodiscard]] virtual std::uint64_t event_count() const = 0;
  /// What the next allocation is called.
  [[nodiscard]] virtual AllocationNumber next_allocation() const = 0;
  [[nodiscard]] virtual std::uint64_t events_unwritten() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_written() const = 0;
  /// The system's words for the first write error; empty while all is well.
  [[nodiscard]] virtual const std::string& write_error() const = 0;
  /// Where the file is until `finish`.
  [[nodiscard]] virtual const std::string& begun_path() const = 0;
  /// False for the null device.
  [[nodiscard]] virtual bool is_kept() const = 0;

 protected:
  TraceWriter() = default;
};

}  // namespace tidemark::trace
