/// A ModelFlow arranged for questions about one block.
#pragma once

#include "analyzer/flow/model_flow.hpp"
#include "analyzer/query/live/what_if.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// The life's allocation, as used by Savings.
SavedAllocation saved_of(const BlockLife& life);

class FlowIndex {
 public:
  /// `flow` stays borrowed, its departures and resizes get sorted by block.
  explicit FlowIndex(ModelFlow& flow);

  [[nodiscard]] const std::vector<BlockLife>& lives() const { return flow_.lives; }
  /// In order of time.
  [[nodiscard]] std::span<const Departure> departures(std::uint32_t life) const;
  [[nodiscard]] std::span<const Resize> resizes(std::uint32_t life) const;

  /// Bytes of a block after the event `ordinal`, at which it must be alive.
  [[nodiscard]] std::uint64_t size_after(std::uint32_t life, trace::EventOrdinal ordinal) const;
  /// Bytes of the model that came into a block, by reads, copies and growth.
  [[nodiscard]] std::uint64_t arrived(std::uint32_t life) const;
  /// True for a copy whose destination keeps the bytes: not for one into a scratch block, where
  /// each piece overwrites the one before it.
  [[nodiscard]] bool is_delivery(const Departure& departure) const;
  /// Bytes that left a block by deliveries.
  [[nodiscard]] std::uint64_t delivered(std::uint32_t life) const;
  /// True if deliveries copied out as much as came in, or as the block can hold: after the last one
  /// its content is no longer needed.
  [[nodiscard]] bool is_passed_on(std::uint32_t life) const;

  /// Saves all bytes of a block from event `from` on.
  void save(std::uint32_t life, std::uint64_t from, Savings& savings) const;
  /// Saves a part of it, 0 to 1, for its whole life.
  void save_part(std::uint32_t life, double part, Savings& savings) const;
  /// Saves each byte of a block from the delivery that copied it out: counts only the last bytes
  /// delivered, as many as fit into the block.
  void save_delivered(std::uint32_t life, Savings& savings) const;

 private:
  ModelFlow& flow_;
  std::vector<std::uint32_t> first_departure_;  // By life; one more at the end.
  std::vector<std::uint32_t> first_resize_;
};

}  // namespace tidemark::analyzer
