/// The one line that says what the colours are.
#pragma once

#include "analyzer/picture/drawing/pen.hpp"
#include "analyzer/picture/drawing/theme.hpp"
#include "analyzer/picture/subject.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::picture {

enum class Swatch { kArea, kHatched, kLine };

struct LegendEntry {
  std::string text;
  Colour colour;
  Swatch swatch = Swatch::kArea;
};

/// Whether any trace has more of a lane than a pixel of an axis that ends at `highest`.
bool is_visible(std::span<const Subject> subjects, trace::Lane lane, std::uint64_t highest);

/// Only what can be seen: lanes that reach a visible share of `highest`, the top of the axis.
std::vector<LegendEntry> legend_entries(std::span<const Subject> subjects,
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
