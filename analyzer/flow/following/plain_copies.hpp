/// Copies between large blocks of which nothing is known but that: none of them was read into.
#pragma once

#include "analyzer/flow/model_flow.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {

/// Keeps what was copied from which block into which, as long as both are there. What went through
/// a block that is gone by the peak is told as copied from where it came to where it went, each of
/// its sources with its part of all that came.
class PlainCopies {
 public:
  /// One more copy between two blocks that are alive.
  void add(const PlainCopy& copy);
  /// A block is gone.
  void end(std::uint32_t life);
  /// Between the blocks that are left, those of one source side by side.
  [[nodiscard]] std::vector<PlainCopy> take() const;

 private:
  /// 10 MB or so; more are left out.
  static constexpr std::size_t kMaxPairs = std::size_t{1} << 16U;
  /// Of a block that is gone: more are one buffer that everything goes through.
  static constexpr std::size_t kMaxThroughOne = 64;

  [[nodiscard]] std::vector<PlainCopy> into(std::uint32_t life) const;
  [[nodiscard]] std::vector<PlainCopy> out_of(std::uint32_t life) const;

  std::map<std::pair<std::uint32_t, std::uint32_t>, PlainCopy> by_source_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> by_target_;
};

}  // namespace tidemark::analyzer
