/// Cuts a picture into its boxes: title, legend, one panel a trace, difference, axis.
#pragma once

#include "analyzer/picture/drawing/pen.hpp"

#include <cstddef>
#include <vector>

namespace tidemark::picture {

/// The contents that need space.
struct Contents {
  struct Panel {
    bool has_warning = false;
    std::size_t phase_rows = 0;
    bool has_progress = false;
  };
  double width = 0;
  double height = 0;
  std::vector<Panel> panels;
  std::vector<double> legend;  ///< Widths of its entries, gaps included.
  double left_labels = 0;      ///< Widest label beside the panels.
  double right_labels = 0;
  std::size_t axis_rows = 1;
  bool has_difference = false;
};

struct PanelLayout {
  Box header;
  Box warning;  ///< Empty: none, as for all boxes below.
  Box plot;
  std::vector<Box> phases;  ///< One a row, perhaps fewer than asked for.
  Box progress;
};

/// Boxes do not overlap and are within the picture. The plots are whole pixels wide and high, all
/// the same; their columns are one pixel wide.
struct Layout {
  Box title;
  /// Where each entry starts: left, middle of its row; perhaps fewer than asked for.
  std::vector<Point> legend;
  std::vector<PanelLayout> panels;
  Box difference_header;
  Box difference;
  Box axis;
  std::size_t columns = 0;
};

/// The width that a row of the legend has in a picture of this width.
double legend_room(double width, const Type& type);

/// If the plots would become too low to read, drops, in this order, second rows of phases, the
/// reading progress, the difference, the phases, and the last entries of the legend.
Layout lay_out(const Contents& contents, const Type& type);

}  // namespace tidemark::picture
