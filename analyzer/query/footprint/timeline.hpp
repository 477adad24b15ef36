/// The timeline: what every lane did, column by column, at any zoom.
#pragma once

#include "analyzer/query/loaded_trace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// Lowest and highest value. Starts empty: minimum > maximum.
struct Extent {
  std::uint64_t minimum = UINT64_MAX;
  std::uint64_t maximum = 0;

  void include(const Extent& other);
  bool operator==(const Extent&) const = default;
};

/// The extents of every lane and of the footprint over some stretch of the trace.
struct Extents {
  std::array<Extent, trace::kLaneCount> lanes;
  Extent footprint;

  void include(const Extents& other);
  void include(const trace::LaneTotals& totals);
  void include(const trace::BlockSummary& block);
  bool operator==(const Extents&) const = default;
};

/// Extents over runs of blocks in logarithmic time: level 0 is the block summaries, each further
/// level holds one entry for `kFanOut` entries below.
class SummaryPyramid {
 public:
  explicit SummaryPyramid(std::span<const trace::BlockSummary> blocks);

  /// Extents of blocks [first, last).
  [[nodiscard]] Extents over(std::size_t first, std::size_t last) const;

 private:
  static constexpr std::size_t kFanOut = 16;
  std::vector<std::vector<Extents>> levels_;
};

/// How a block that crosses column borders is shown.
enum class Detail {
  kExact,      ///< It is decoded.
  kSummaries,  ///< Its extents go to each column it touches: never too low a maximum, never slow.
};

/// Borders of `count` columns of equal width over [begin_ns, end_ns): one more than columns. None
/// for a count of 0 or an empty range.
std::vector<std::uint64_t> even_borders(std::uint64_t begin_ns,
                                        std::uint64_t end_ns,
                                        std::size_t count);

/// Answers in columns. A column covers [from, to) in time and includes every value within it: the
/// one at its begin and each set by an event. So a block that lives for one event is visible at any
/// zoom. Damaged blocks are shown as Detail::kSummaries shows them.
class Timeline {
 public:
  /// `trace` stays borrowed.
  explicit Timeline(LoadedTrace& trace);

  /// `count` columns of equal width over [begin_ns, end_ns); empty for a count of 0 or a range that
  /// is none. Column c covers [begin_ns + width * c / count, begin_ns + width * (c + 1) / count).
  [[nodiscard]] std::vector<Extents> columns(std::uint64_t begin_ns,
                                             std::uint64_t end_ns,
                                             std::size_t count,
                                             Detail detail = Detail::kExact);

  /// The same with columns of any width: column c covers [borders[c], borders[c + 1]). Borders must
  /// not decrease; a column of no width shows the value at its border. Empty for fewer than two.
  [[nodiscard]] std::vector<Extents> columns(std::span<const std::uint64_t> borders,
                                             Detail detail = Detail::kExact);

 private:
  LoadedTrace& trace_;
  SummaryPyramid pyramid_;
};

}  // namespace tidemark::analyzer
