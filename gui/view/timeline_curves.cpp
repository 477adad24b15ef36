#include "gui/view/timeline_curves.hpp"

#include "analyzer/plot/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tidemark::gui {
namespace {

using plot::Anchor;
using plot::Box;
using plot::Colour;
using plot::Part;
using plot::Point;
using plot::StackedColumn;
using plot::TextLook;
using trace::Lane;

/// From the ground up.
constexpr std::array kStacked{Lane::kHeap, Lane::kAnon, Lane::kDevice};

class CurvePainter {
 public:
  CurvePainter(plot::Pen& pen,
               const PanelContext& context,
               const Box& plot,
               const TimelineTrace& trace)
      : pen_(pen),
        context_(context),
        theme_(context.look.theme),
        plot_(plot),
        columns_(trace.columns),
        trace_(trace) {}

  void shadow() {
    pen_.fill(Part::kOther, plot::faded(theme_.other, plot::Theme::kShadow),
              plot::closed(footprint_edge(), plot_.bottom()));
  }
  void shadow_edge() {
    pen_.stroke(Part::kOther, theme_.other, context_.look.px(1.4), footprint_edge());
  }

  /// Behind the lanes, with an edge over them: address space, not memory asked for.
  void file_mappings() {
    pen_.fill(Part::kFileMapping, plot::faded(theme_.lane(Lane::kFile), 0.4),
              plot::closed(file(), plot_.bottom()), true);
  }
  void file_edge() {
    pen_.stroke(Part::kFileMapping, theme_.lane(Lane::kFile), context_.look.px(1.2), file());
  }

  /// Full colour up to where the footprint never was lower within the column, pale up to where it
  /// was highest.
  void lanes() {
    constexpr double kPale = 0.62;
    for (std::size_t i = kStacked.size(); i-- > 0;) {
      const Colour& colour = theme_.lane(kStacked.at(i));
      stacked(Part::kRange, plot::mixed(colour, theme_.background, kPale), i,
              &StackedColumn::highest);
    }
    for (std::size_t i = kStacked.size(); i-- > 0;) {
      stacked(Part::kLane, theme_.lane(kStacked.at(i)), i, &StackedColumn::lowest);
    }
  }

  void footprint() {
    if (!columns_.empty()) {
      pen_.stroke(Part::kFootprint, theme_.footprint, context_.look.px(1), footprint_edge());
    }
  }

  /// RSS, on a lining of the background, to be seen over any lane. At most one point a pixel: its
  /// highest sample.
  void resident(const plot::Warp& warp) {
    std::vector<Point> line;
    const auto& samples = trace_.subject->resident;
    const ViewRange& range = context_.input.range;
    // One sample beyond either edge, so that the line leaves the picture.
    auto first = std::ranges::partition_point(
        samples, [&](const auto& sample) { return warp.x_of(sample.at_ns) < range.begin; });
    first = first == samples.begin() ? first : std::prev(first);
    for (auto sample = first; sample != samples.end(); ++sample) {
      const double share = range.share_of(warp.x_of(sample->at_ns));
      const Point point{plot_.x + share * plot_.width,
                        y_of(context_.sizes, plot_, static_cast<double>(sample->total()))};
      if (line.empty() || std::floor(point.x) != std::floor(line.back().x)) {
        line.push_back(point);
      } else {
        line.back().y = std::min(line.back().y, point.y);
      }
      if (share > 1) {
        break;
      }
    }
    draw_resident(clipped(std::move(line)));
  }

  void model_lines() {
    constexpr std::size_t kMost = 5;
    const plot::Type& type = context_.look.type;
    const TextLook look{type.small, theme_.ink};
    const auto most = std::clamp<std::size_t>(
        static_cast<std::size_t>(plot_.height / (1.5 * look.size)), 1, kMost);
    const std::uint64_t model = trace_.subject->model_bytes;
    for (const std::uint64_t times : plot::model_multiples(model, context_.sizes.highest, most)) {
      const double y = crisp(
          y_of(context_.sizes, plot_, static_cast<double>(times) * static_cast<double>(model)));
      pen_.stroke(Part::kModelLine, plot::faded(theme_.model, 0.65), 1,
                  {{plot_.x, y}, {plot_.right(), y}}, true);
      pen_.text(look, Anchor::kLeft,
                {plot_.right() + context_.look.px(4), plot::middle_baseline(y, y, look.size)},
                plot::model_text(times));
    }
  }

 private:
  template <typename Bytes>
  [[nodiscard]] std::vector<Point> stepped(Bytes bytes) const {
    return plot::steps(plot_, columns_.size(), [&](std::size_t c) {
      return y_of(context_.sizes, plot_, static_cast<double>(bytes(columns_[c])));
    });
  }
  [[nodiscard]] std::vector<Point> footprint_edge() const {
    return stepped([](const StackedColumn& column) { return column.highest.footprint(); });
  }
  [[nodiscard]] std::vector<Point> file() const {
    return stepped([](const StackedColumn& column) { return column.file.maximum; });
  }

  /// The lanes up to number `last` of the stack, as one area.
  void stacked(Part part,
               const Colour& colour,
               std::size_t last,
               trace::LaneTotals StackedColumn::*which) {
    const Lane lane = kStacked.at(last);
    if (std::ranges::none_of(columns_,
                             [&](const auto& column) { return (column.*which)[lane] > 0; })) {
      return;
    }
    const auto edge = stepped([&](const StackedColumn& column) {
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i <= last; ++i) {
        bytes += (column.*which)[kStacked.at(i)];
      }
      return bytes;
    });
    pen_.fill(part, colour, plot::closed(edge, plot_.bottom()));
  }

  /// Points outside the plot move to its edges, along the line to their neighbour.
  [[nodiscard]] std::vector<Point> clipped(std::vector<Point> line) const {
    const auto at_edge = [](const Point& outside, const Point& inside, double x) {
      const double share = (x - inside.x) / (outside.x - inside.x);
      return Point{x, inside.y + (outside.y - inside.y) * share};
    };
    if (line.size() >= 2 && line.front().x < plot_.x) {
      line.front() = at_edge(line[0], line[1], plot_.x);
    }
    if (line.size() >= 2 && line.back().x > plot_.right()) {
      line.back() = at_edge(line.back(), line[line.size() - 2], plot_.right());
    }
    return line;
  }

  void draw_resident(std::vector<Point> line) {
    if (line.size() < 2 || line.front().x > plot_.right() || line.back().x < plot_.x) {
      return;
    }
    pen_.stroke(Part::kBackdrop, plot::faded(theme_.background, 0.6), context_.look.px(3), line);
    pen_.stroke(Part::kResident, theme_.resident, context_.look.px(1.3), std::move(line));
  }

  plot::Pen& pen_;
  const PanelContext& context_;
  const plot::Theme& theme_;
  const Box& plot_;
  const std::vector<StackedColumn>& columns_;
  const TimelineTrace& trace_;
};

}  // namespace

void draw_curves(plot::Pen& pen,
                 const PanelContext& context,
                 const Box& plot,
                 PanelStyle style,
                 const TimelineTrace& trace,
                 const plot::Warp& warp) {
  CurvePainter painter(pen, context, plot, trace);
  if (style == PanelStyle::kShadow) {
    painter.shadow();
    return;
  }
  if (context.shows_file_mappings) {
    painter.file_mappings();
  }
  painter.lanes();
  if (context.shows_file_mappings) {
    painter.file_edge();
  }
  painter.model_lines();
  painter.footprint();
  painter.resident(warp);
}

void draw_other_edge(plot::Pen& pen,
                     const PanelContext& context,
                     const Box& plot,
                     const TimelineTrace& other) {
  CurvePainter(pen, context, plot, other).shadow_edge();
}

}  // namespace tidemark::gui
