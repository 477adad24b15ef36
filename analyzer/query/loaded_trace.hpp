/// A trace that has been opened for questions: its reader, and positions and totals inside it.
#pragma once

#include "analyzer/query/frame_choice.hpp"
#include "collector/trace/reader.hpp"
#include "collector/trace/types/event.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// A position between two events: after the first `events` events of block `block`.
struct Instant {
  std::size_t block = 0;
  std::uint32_t events = 0;  ///< 0: before the block's first event.
  std::uint64_t at_ns = 0;
};

/// Orders instants; equal for two with the same events before them.
constexpr std::pair<std::size_t, std::uint32_t> position(const Instant& instant) {
  return {instant.block, instant.events};
}

/// A trace and the event block decoded last. Memory: the reader's tables plus one decoded block.
/// Its texts are as `shown_text` makes them. Not thread-safe.
class LoadedTrace {
 public:
  explicit LoadedTrace(trace::TraceReader reader);

  /// @return the reader's sentence for a file that is missing, no trace, or of a newer format.
  static Result<LoadedTrace> open(const std::string& path);

  [[nodiscard]] const trace::Definitions& definitions() const { return reader_.definitions(); }
  /// See trace::TraceReader.
  void set_locations(trace::FrameId id, std::vector<trace::Location> locations);
  /// Which frames its stacks have from now on; kBoth at first.
  void show_frames(FrameChoice choice);
  /// Its stacks with all frames, regardless of show_frames.
  [[nodiscard]] std::span<const trace::StackNode> recorded_stacks() const {
    return recorded_stacks_.empty() ? definitions().stacks : recorded_stacks_;
  }
  /// The modules with their paths as they were recorded: to be opened, not to be shown.
  [[nodiscard]] const std::vector<trace::Module>& recorded_modules() const { return modules_; }
  [[nodiscard]] std::span<const trace::BlockSummary> blocks() const { return reader_.blocks(); }
  [[nodiscard]] std::span<const trace::Sample> samples() const { return reader_.samples(); }
  [[nodiscard]] std::uint64_t event_count() const { return reader_.event_count(); }
  /// Grows while damaged blocks are met: read it after the questions, not before.
  [[nodiscard]] trace::Loss loss() const { return reader_.loss(); }
  /// The session's duration; of a torn trace the time of its last event.
  [[nodiscard]] std::uint64_t duration_ns() const;
  /// The process a thread belongs to; none for an id outside the table.
  [[nodiscard]] std::optional<trace::ProcessId> process_of(trace::ThreadId thread) const;

  /// While `stop` is true no block is read: passes end early, and their results must be discarded.
  /// It stays borrowed, and may be changed by any thread.
  void obey(const std::atomic<bool>& stop) { stop_ = &stop; }
  [[nodiscard]] bool is_stopped() const { return stop_ != nullptr && stop_->load(); }

  /// The events of a block, borrowed until the next call; null when the block is damaged.
  const std::vector<trace::Event>* events(std::size_t block);

  /// What a block changed, without its events; borrowed until the next call. Null if unknown, and
  /// for the block decoded last, whose events are available.
  const trace::BlockDigest* digest(std::size_t block);

  /// See trace::TraceReader: for reading events on other threads.
  [[nodiscard]] std::unique_ptr<trace::BlockReader> block_reader() const {
    return reader_.block_reader();
  }
  void count(std::size_t block, const trace::DecodeOutcome& outcome) {
    reader_.count(block, outcome);
  }

  /// Frees the memory of the last block and of the decoder. Call it when no queries follow for a
  /// while.
  void rest();

  /// After the last event at or before `ns`.
  Instant instant_at(std::uint64_t ns);
  /// Lane totals at an instant; none when its block is damaged and must be decoded to know.
  std::optional<trace::LaneTotals> totals_at(const Instant& instant);
  /// The event that led to an instant; none at the start of a block and in a damaged one.
  std::optional<trace::Event> event_before(const Instant& instant);
  /// How many events of the trace lie before an instant.
  [[nodiscard]] trace::EventOrdinal ordinal(const Instant& instant) const;

 private:
  trace::TraceReader reader_;
  std::vector<trace::Module> modules_;
  std::vector<trace::StackNode> recorded_stacks_;  ///< Only for a trace with Python frames.
  std::vector<trace::Event> decoded_;
  std::optional<std::size_t> decoded_block_;
  trace::BlockDigest digest_;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace tidemark::analyzer
