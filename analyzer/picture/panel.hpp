/// The parts of one trace's panel: grid, curves, peak, phases, reading progress; and what lies
/// below the panels. A picture in a file and the window put them together, each in boxes of its
/// own.
#pragma once

#include "analyzer/picture/alignment.hpp"
#include "analyzer/picture/bands.hpp"
#include "analyzer/picture/drawing/pen.hpp"
#include "analyzer/picture/drawing/theme.hpp"
#include "analyzer/picture/stacked_columns.hpp"
#include "analyzer/picture/subject.hpp"
#include "analyzer/picture/ticks.hpp"
#include "analyzer/picture/warp.hpp"

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::picture {

/// The vertical axis that all panels share.
struct SizeAxis {
  std::uint64_t highest = 1;  ///< Highest value of any panel.
  double top = 1;  ///< Bytes at the upper edge; above the highest value, to leave its label room.
  std::vector<Tick> ticks;

  /// Values beyond the axis stay at its edge.
  [[nodiscard]] double y_of(const Box& plot, double bytes) const;
};

/// Leaves space for a label above the highest peak.
/// @param highest of all that is drawn, in bytes: RSS may be higher than any peak.
SizeAxis size_axis(std::uint64_t highest,
                   std::uint64_t highest_peak,
                   const Box& plot,
                   const Type& type);

/// The highest value that a panel shows. File mappings count only as far as they leave the
/// footprint room: a program may map far more than it ever touches.
class HighestValue {
 public:
  void add(const Subject& subject);
  [[nodiscard]] std::uint64_t value() const;
  /// The highest footprint alone.
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

 private:
  std::uint64_t highest_ = 1;
  std::uint64_t peak_ = 0;
  std::uint64_t mapped_ = 0;
};

/// What the panels of a picture have in common. All stays borrowed.
struct PanelStyle {
  const Theme& theme;
  const Type& type;
  const SizeAxis& sizes;
  std::span<const AxisTick> ticks;   ///< x in view: 0 to 1.
  AxisRange range;                   ///< What is in view.
  bool shows_file_mappings = false;  ///< If false, they are too small to be seen in any panel.
};

/// One trace, cut to the pixels in view. All stays borrowed.
struct PanelTrace {
  const Subject& subject;
  const Warp& warp;
  /// One a pixel; fewer if the trace ends earlier.
  const std::vector<StackedColumn>& columns;
  const Bands* bands = nullptr;  ///< Null: the lanes.
};

void draw_grid(Pen& pen, const PanelStyle& style, const Box& plot);

/// The bands or lanes, file mappings, RSS and the multiples of the model.
/// @param other another trace's columns: a grey area behind the lanes, its edge over them. Null:
/// none.
/// @return the line of RSS.
std::vector<Point> draw_curves(Pen& pen,
                               const PanelStyle& style,
                               const Box& plot,
                               const PanelTrace& trace,
                               const std::vector<StackedColumn>* other);

/// Writes the names of the trace's bands where they fit, clear of the lines of RSS and W.
/// @param names alternatives for each band; the first one that fits is used.
/// @param taken a box that they must not touch.
void draw_band_names(Pen& pen,
                     const PanelStyle& style,
                     const Box& plot,
                     const PanelTrace& trace,
                     std::span<const std::vector<std::string>> names,
                     const Box& taken);

/// Draws the peak's mark and label if it is in view, kept within the plot.
/// @param taken a box that the label must not touch.
/// @param resident what draw_curves drew: the label keeps off it.
/// @return what the label covers; empty: not shown.
Box draw_peak(Pen& pen,
              const PanelStyle& style,
              const Box& plot,
              const PanelTrace& trace,
              const Box& taken,
              std::span<const Point> resident);

struct Mark {
  std::uint64_t at_ns = 0;
  std::uint64_t bytes = 0;
  std::string text;
};

/// The same for the peak of what is left after a removal.
Box draw_mark(Pen& pen,
              const PanelStyle& style,
              const Box& plot,
              const Warp& warp,
              const Mark& mark,
              const Box& taken,
              std::span<const Point> resident);

/// @param rows one box for each row of phases, perhaps fewer than there are.
void draw_phases(Pen& pen,
                 const PanelStyle& style,
                 std::span<const Box> rows,
                 const PanelTrace& trace);

/// How much of the model was read. Draws nothing if the box is empty.
void draw_progress(Pen& pen, const PanelStyle& style, const Box& box, const PanelTrace& trace);

/// Draws by how much the second trace exceeds the first, column by column. Its scale has only round
/// numbers, since the height of the highest column depends on the columns' width.
void draw_difference(Pen& pen,
                     const PanelStyle& style,
                     const Box& header,
                     const Box& box,
                     const std::vector<StackedColumn>& before,
                     const std::vector<StackedColumn>& after);

/// Drops a label that would touch the one before it, or leave the picture.
/// @param right where the picture ends.
void draw_time_axis(
    Pen& pen, const PanelStyle& style, const Box& box, double right, const std::string& caption);

/// The middle of the pixel, so that a line of one pixel is one.
inline double crisp(double at) {
  return std::floor(at) + 0.5;
}

/// The upper edge of values as steps: a flat piece for each column, x from `box.x` in pixels. Equal
/// neighbours are one piece.
template <typename Height>
std::vector<Point> steps(const Box& box, std::size_t count, Height height) {
  std::vector<Point> points;
  for (std::size_t c = 0; c < count; ++c) {
    const double y = height(c);
    const double x = box.x + static_cast<double>(c);
    if (points.empty() || points.back().y != y) {
      points.push_back({x, y});
      points.push_back({x + 1, y});
    } else {
      points.back().x = x + 1;
    }
  }
  return points;
}

/// The steps with the ground under them, as a closed area.
std::vector<Point> closed(std::vector<Point> steps, double ground);

}  // namespace tidemark::picture
