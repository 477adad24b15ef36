/// Reads one trace: tables and summaries when it is opened, events only on request.
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

/// Layout: collector/trace/FORMAT.md. Safe for any bytes: damage becomes `loss()`, never a crash,
/// and memory is bounded by the file's intact parts. Not thread-safe.
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
  /// Sets the names of a frame that has none: names are written last, so a torn trace lacks them.
  /// Changes only this reader's tables. An unknown id is ignored.
  void set_locations(FrameId id, std::vector<Location> locations);
  /// Replaces the stack table by another with as many nodes. Changes only this reader's tables.
  void set_stacks(std::vector<StackNode> stacks);
  /// Passes every text of the tables through `change` (see visit_texts). Changes only this reader's
  /// tables.
  void change_texts(const std::function<void(std::string&)>& change);
  /// One entry per event block with an intact header, in order.
  [[nodiscard]] std::span<const BlockSummary> blocks() const;
  [[nodiscard]] std::span<const Sample> samples() const;
  [[nodiscard]] std::uint64_t event_count() const;
  /// What the recording lost, plus the damage found so far; grows as damaged blocks are met.
  [[nodiscard]] Loss loss() const;

  /// Decodes event block `block` into `events` (replaced). @return false for a damaged block, which
  /// is counted in loss() once.
  bool decode(std::size_t block, std::vector<Event>& events);

  /// What block `block` changed, without decoding its events: many times as fast. @return false if
  /// there is no intact digest; `decode` then tells whether the block is damaged.
  bool digest(std::size_t block, BlockDigest& digest);

  /// Frees the memory used for decoding until the next block is decoded.
  void rest();

  /// Another reader of the same blocks, for another thread. It must not outlive this one. Damage
  /// that it finds is in loss() only after a call of `count`.
  [[nodiscard]] std::unique_ptr<BlockReader> block_reader() const;
  /// Adds the outcome of decoding `block` to loss(), once for each block.
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
