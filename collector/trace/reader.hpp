/// Reads one trace: tables and summaries at once, events only where they are asked for.
#pragma once

#include "collector/trace/coding/block_digest.hpp"
#include "collector/trace/file/block_reader.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"
#include "collector/trace/types/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidemark::trace {

/// Layout: collector/trace/FORMAT.md. Survives any bytes: damage becomes `loss()`, never a crash,
/// and memory is bounded by what the file's intact parts justify. Not thread-safe.
class TraceReader {
 public:
  /// Maps the file and reads its tables and block summaries; no event block is decoded. Works on a
  /// complete trace and on an `.incomplete` one (its index is rebuilt from the blocks).
  /// @return kIo, kNotATrace, or kUnsupported for a newer major version.
  static Result<TraceReader> open(const std::string& path);
  /// The same over bytes in memory, borrowed until the reader is destroyed.
  static Result<TraceReader> open(std::span<const std::byte> bytes);

  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;
  ~TraceReader();

  [[nodiscard]] const Definitions& definitions() const;
  /// Names a frame that the trace does not name: the names come last, so a torn trace has none.
  /// Only this reader's tables change. An unknown id is ignored.
  void set_locations(FrameId id, std::vector<Location> locations);
  /// Another reading of the stack table, with as many nodes. Only this reader's tables change.
  void set_stacks(std::vector<StackNode> stacks);
  /// Passes every text of the tables through `change` (see visit_texts). Only this reader's tables
  /// change.
  void change_texts(const std::function<void(std::string&)>& change);
  /// One entry per event block with an intact header, in order.
  [[nodiscard]] std::span<const BlockSummary> blocks() const;
  [[nodiscard]] std::span<const Sample> samples() const;
  [[nodiscard]] std::uint64_t event_count() const;
  /// What the recording lost, plus the damage found so far; grows as damaged blocks are met.
  [[nodiscard]] Loss loss() const;

  /// Decodes event block `block` into `events` (replaced). @return false for a damaged block, which
  /// is then counted in loss() once.
  bool decode(std::size_t block, std::vector<Event>& events);

  /// What block `block` changed, without decoding its events: many times as fast. @return false
  /// where there is no intact digest; `decode` then says whether the block is damaged.
  bool digest(std::size_t block, BlockDigest& digest);

  /// Gives back what decoding takes, until the next block is decoded.
  void rest();

  /// Another reader of the same blocks, for another thread. It must not outlive this one, and what
  /// it meets is in loss() when `count` was told.
  [[nodiscard]] std::unique_ptr<BlockReader> block_reader() const;
  /// Counts what decoding `block` told, once for each block.
  void count(std::size_t block, const DecodeOutcome& outcome);

  /// Calls `visit` with each intact event in order, from block `first_block` on. Stops when `visit`
  /// returns false.
  void for_each(const std::function<bool(const Event&)>& visit, std::size_t first_block = 0);

 private:
  struct Body;
  explicit TraceReader(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace tidemark::trace
