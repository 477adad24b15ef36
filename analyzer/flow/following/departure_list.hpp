/// The copies out of blocks, in bounded memory for any number of them.
#pragma once

#include "analyzer/flow/model_flow.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::analyzer {

/// Successive copies from one block to another are merged into one departure, up to a fraction of
/// the block's size. When there are many departures, that fraction is doubled repeatedly, for all
/// of them: bytes stay exact, times get coarser.
class DepartureList {
 public:
  /// Adds a copy out of a block of `source_size` bytes, no earlier than the one added before.
  void add(const Departure& copy, std::uint64_t source_size);
  /// Copies dropped for lack of space, as they could not be merged with their neighbours.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// In order of time.
  [[nodiscard]] std::vector<Departure> take() { return std::move(list_); }

 private:
  /// 20 MB or so.
  static constexpr std::size_t kMaxDepartures = std::size_t{1} << 18U;
  struct Source {
    std::uint32_t last = BlockLife::kNone;  // Index into `list_`.
    std::uint64_t grain = 0;                // Bytes of one departure.
  };

  bool join(const Departure& copy);
  void coarsen();

  std::vector<Departure> list_;
  std::vector<Source> sources_;  // By life.
  unsigned doublings_ = 0;
  bool is_full_ = false;
  std::uint64_t left_out_ = 0;
};

}  // namespace tidemark::analyzer
