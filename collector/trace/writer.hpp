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
/// After the first write error the blocks so far stay intact, only a note of what is missing is
/// still written, every call stays harmless, and `events_unwritten` counts.
class TraceWriter {
 public:
  /// Creates PATH.incomplete. The null device is written to, and nothing is kept.
  /// @return kUsage or kIo with one sentence: PATH is not a regular file, is a file that is no
  /// recording, or is being recorded to by another process; or no permission or space to write.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path);

  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;
  TraceWriter(TraceWriter&&) = delete;
  TraceWriter& operator=(TraceWriter&&) = delete;
  virtual ~TraceWriter() = default;

  /// Appends an event. Its `at_ns` is raised to the previous event's if it is earlier. For
  /// allocations `event.allocation` is ignored: the number it got is returned (else the return
  /// value means nothing). For kRelease, kReleasePart and kReallocate `allocation`/`released` must
  /// name an earlier allocation and `size`/`released_size` must be its bytes.
  virtual AllocationNumber append(const Event& event) = 0;
  /// Appends all `events` of `thread`, at a fraction of the cost of `append`: most events of most
  /// programs are of these kinds. Allocations and reallocations are numbered from `next_allocation`
  /// on.
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
  /// Sets what is known so far; `finish` replaces it. Before the first event it is written at once,
  /// with space for what `finish` will add, so that even a full disk cannot prevent that; later
  /// with the next `flush`.
  virtual void set_session(const Session& session) = 0;

  /// Writes out what is buffered, as a complete block, so that a reader of the incomplete file sees
  /// it. If nothing is buffered, sets the file's modification time, so that readers know that
  /// nothing is missing. Called by the collector at least once a second.
  virtual void flush() = 0;

  /// Writes the last blocks, the session and the index, and renames. The writer's own
  /// `events_unwritten` is added to the session's loss. If a write fails or has failed: returns the
  /// error, and the `.incomplete` file stays, with the session at its beginning.
  virtual Status finish(const Session& session) = 0;
  /// Removes the `.incomplete` file: nothing was recorded.
  virtual void discard() = 0;
  /// Leaves the `.incomplete` file as it is on disk. For a caller that ran out of memory in an
  /// unknown state; afterwards only the destructor may be called.
  virtual void abandon() noexcept = 0;

  /// Totals after the last appended event: for the collector's own status line.
  [[nodiscard]] virtual const LaneTotals& totals() const = 0;
  [[nodiscard]] virtual std::uint64_t event_count() const = 0;
  /// Number of the next allocation.
  [[nodiscard]] virtual AllocationNumber next_allocation() const = 0;
  [[nodiscard]] virtual std::uint64_t events_unwritten() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_written() const = 0;
  /// The system's message for the first write error; empty if there was none.
  [[nodiscard]] virtual const std::string& write_error() const = 0;
  /// Path of the file until `finish`.
  [[nodiscard]] virtual const std::string& begun_path() const = 0;
  /// False for the null device.
  [[nodiscard]] virtual bool is_kept() const = 0;

 protected:
  TraceWriter() = default;
};

}  // namespace tidemark::trace
