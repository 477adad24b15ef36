/// Copies between large blocks that are not known to hold model bytes.
#pragma once

#include "analyzer/flow/model_flow.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// Keeps which bytes were copied between which blocks while both are alive. Copies through a block
/// released before the peak are attributed from its sources to its destinations, each source in
/// proportion to its bytes.
class PlainCopies {
 public:
  /// One more copy between two blocks that are alive.
  void add(const PlainCopy& copy);
  /// A block is gone.
  void end(std::uint32_t life);
  /// Copies between the remaining blocks, grouped by source.
  [[nodiscard]] std::vector<PlainCopy> take() const;

 private:
  /// 10 MB or so; more are left out.
  static constexpr std::size_t kMaxPairs = std::size_t{1} << 16U;
  /// Limit for a released block: one with more pairs is a buffer that everything passes through.
  static constexpr std::size_t kMaxThroughOne = 64;

  [[nodiscard]] std::vector<PlainCopy> into(std::uint32_t life) const;
  [[nodiscard]] std::vector<PlainCopy> out_of(std::uint32_t life) const;

  std::map<std::pair<std::uint32_t, std::uint32_t>, PlainCopy> by_source_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> by_target_;
};

}  // namespace tidemark::analyzer
