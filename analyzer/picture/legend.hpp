/// The one line that says what the colours are.
#pragma once

#include "analyzer/layers/footprint_layers.hpp"
#include "analyzer/picture/drawing/pen.hpp"
#include "analyzer/picture/drawing/theme.hpp"
#include "analyzer/picture/subject.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::picture {

enum class Swatch {
  kArea,
  kMapped,  ///< As file mappings are drawn: a tint below an edge.
  kLine,
  kNone
};

struct LegendEntry {
  std::string text;
  Colour colour;
  Swatch swatch = Swatch::kArea;
  std::string value{};  ///< Behind the text: `512.0 MiB → 0 B`.
  double width = 0;     ///< Its width including the gap; 0: as needed.
};

/// Whether any trace has more of a lane than a pixel of an axis that ends at `highest`.
bool is_visible(std::span<const Subject> subjects, trace::Lane lane, std::uint64_t highest);

/// `512.0 MiB → 0 B`: of one load, or of two.
std::string bytes_text(std::span<const std::uint64_t> bytes);

/// How many layers a picture's legend has room for: a sixth of its height, beside the rest.
std::size_t most_layers(double height, double width, const Type& type);

/// One for each layer, with what it holds at the peaks, as cells of a grid that is `width` pixels
/// wide; names are shortened to fit.
std::vector<LegendEntry> layer_entries(const std::vector<analyzer::FootprintLayer>& layers,
                                       const std::vector<Colour>& colours,
                                       const Pen& pen,
                                       const Type& type,
                                       double width);

/// Lanes of the footprint that reach a visible share of `highest`, the top of the axis, with what
/// they hold at the peaks.
std::vector<LegendEntry> lane_entries(std::span<const Subject> subjects,
                                      const Theme& theme,
                                      std::uint64_t highest);
/// Only what can be seen, of lanes and lines; without bytes, for one row.
std::vector<LegendEntry> legend_entries(std::span<const Subject> subjects,
                                        const Theme& theme,
                                        std::uint64_t highest);
/// The same without the lanes of the footprint.
std::vector<LegendEntry> line_entries(std::span<const Subject> subjects,
                                      const Theme& theme,
                                      std::uint64_t highest);

/// With the gap that follows it.
double legend_width(const Pen& pen, const LegendEntry& entry, const Type& type);

/// `places`: where each entry starts (see Layout).
void draw_legend(Pen& pen,
                 const std::vector<LegendEntry>& entries,
                 const std::vector<Point>& places,
                 const Type& type,
                 const Theme& theme);

}  // namespace tidemark::picture
