#include "analyzer/picture/layout.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::picture {
namespace {

constexpr double kMinPlotPixels = 62;
constexpr double kDifferenceHeight = 34;
constexpr double kProgressHeight = 8;
constexpr double kMargin = 10;
constexpr double kLine = 1.45;  // Height of a line of text, in font sizes.

/// Places boxes below each other at whole pixels.
class Column {
 public:
  Column(double x, double y, double width) : x_(x), y_(y), width_(width) {}

  Box take(double height) {
    const double top = std::round(y_);
    y_ = top + std::round(height);
    return {x_, top, width_, y_ - top};
  }
  void skip(double height) { y_ += height; }
  [[nodiscard]] double bottom() const { return std::round(y_); }

 private:
  double x_;
  double y_;
  double width_;
};

class Arrangement {
 public:
  Arrangement(const Contents& contents, const Type& type)
      : contents_(contents),
        type_(type),
        margin_(kMargin * type.scale),
        left_(std::ceil(margin_ + contents.left_labels + 6 * type.scale)),
        plot_width_(
            std::floor(std::max(contents.width - left_ - contents.right_labels - margin_, 1.0))) {}

  Layout layout() {
    while (plot_height() < kMinPlotPixels * type_.scale && drop_one()) {
    }
    return place(std::max(std::floor(plot_height()), 1.0));
  }

 private:
  /// The height that is left for the plots once everything else has its place.
  [[nodiscard]] double plot_height() const {
    const Layout without = place(0);
    // Each rounding may take a pixel.
    const double free = contents_.height - margin_ / 2 - without.axis.bottom();
    return free / static_cast<double>(contents_.panels.size());
  }

  /// @return false when there is nothing left that could give way.
  bool drop_one() {
    auto& panels = contents_.panels;
    const auto most_rows = std::ranges::max_element(panels, {}, &Contents::Panel::phase_rows);
    if (most_rows->phase_rows > 1) {
      --most_rows->phase_rows;
      return true;
    }
    if (std::ranges::any_of(panels, &Contents::Panel::has_progress)) {
      std::ranges::for_each(panels, [](Contents::Panel& panel) { panel.has_progress = false; });
      return true;
    }
    if (contents_.has_difference) {
      contents_.has_difference = false;
      return true;
    }
    const bool had_phases = most_rows->phase_rows > 0;
    std::ranges::for_each(panels, [](Contents::Panel& panel) { panel.phase_rows = 0; });
    if (had_phases || contents_.legend.empty()) {
      return had_phases;
    }
    contents_.legend.pop_back();
    return true;
  }

  [[nodiscard]] Layout place(double plot_height) const {
    Layout layout;
    layout.columns = static_cast<std::size_t>(plot_width_);
    const double full_width = contents_.width - 2 * margin_;
    Column head(margin_, margin_, full_width);
    layout.title = head.take(kLine * type_.title);
    place_legend(layout, head);
    Column body(left_, head.bottom() + 2 * type_.scale, plot_width_);
    for (const Contents::Panel& panel : contents_.panels) {
      layout.panels.push_back(place_panel(panel, plot_height, body));
    }
    if (contents_.has_difference) {
      layout.difference_header = body.take(kLine * type_.small);
      layout.difference = body.take(kDifferenceHeight * type_.scale);
      body.skip(2 * type_.scale);
    }
    layout.axis = body.take(kLine * type_.small * static_cast<double>(contents_.axis_rows));
    return layout;
  }

  void place_legend(Layout& layout, Column& head) const {
    const double right = contents_.width - margin_;
    double x = right;
    Box row;
    for (const double width : contents_.legend) {
      if (layout.legend.empty() || x + width > right + 0.5) {
        row = head.take(kLine * type_.small);
        x = margin_;
      }
      layout.legend.push_back({x, row.y + row.height / 2});
      x += width;
    }
  }

  [[nodiscard]] PanelLayout place_panel(const Contents::Panel& panel,
                                        double plot_height,
                                        Column& body) const {
    const double gap = 2 * type_.scale;
    PanelLayout layout;
    layout.header = body.take(kLine * type_.text);
    if (panel.has_warning) {
      layout.warning = body.take(kLine * type_.small);
    }
    layout.plot = body.take(plot_height);
    body.skip(gap);
    for (std::size_t row = 0; row < panel.phase_rows; ++row) {
      layout.phases.push_back(body.take(kLine * type_.small));
      body.skip(1);
    }
    if (panel.has_progress) {
      body.skip(gap / 2);
      layout.progress = body.take(kProgressHeight * type_.scale);
      body.skip(gap);
    }
    body.skip(gap);
    return layout;
  }

  Contents contents_;
  const Type& type_;
  double margin_;
  double left_;
  double plot_width_;
};

}  // namespace

double legend_room(double width, const Type& type) {
  return width - 2 * kMargin * type.scale;
}

Layout lay_out(const Contents& contents, const Type& type) {
  return Arrangement(contents, type).layout();
}

}  // namespace tidemark::picture
