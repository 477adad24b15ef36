/// The footprint over time, drawn with characters.
#pragma once

#include "analyzer/text/text_style.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tidemark::analyzer {

/// A named stretch of time, drawn below the time axis.
struct PlotSpan {
  std::string name;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

struct PlotAxes {
  std::uint64_t top_bytes = 0;    ///< Value of the highest point: the peak.
  std::uint64_t model_bytes = 0;  ///< W, drawn as a line; 0: unknown.
  std::uint64_t peak_at_ns = 0;
  std::uint64_t duration_ns = 0;
  std::span<const PlotSpan> spans;  ///< In order of time, not overlapping. Borrowed.
};

/// Columns left for values in a text of this width.
std::size_t plot_columns(const TextStyle& style);

/// Several lines, each ended by a newline. `values` are the maxima, one a column; none is rounded
/// to nothing, so a spike of one event is visible.
std::string plot_text(const TextStyle& style,
                      std::span<const std::uint64_t> values,
                      const PlotAxes& axes);

}  // namespace tidemark::analyzer
