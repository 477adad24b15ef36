#include "gui/view/timeline/timeline_curves.hpp"

#include "analyzer/picture/ticks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tidemark::gui {
namespace {

using picture::Anchor;
using picture::Box;
using picture::Colour;
using picture::Part;
using picture::Point;
using picture::StackedColumn;
using picture::TextLook;
using trace::Lane;

/// The line of values that hold until the next one comes. Those within one pixel are one step,
/// through the highest of them: however many there are, a pixel has three points.
class HeldLine {
 public:
  explicit HeldLine(double left) : left_(left) {}

  /// In order of x. What lies left of the edge holds there.
  void add(double x, double y) {
    const double at = std::max(x, left_);
    if (points_.empty() || std::floor(at) != std::floor(points_.back().x)) {
      const double held = points_.empty() ? y : points_.back().y;
      points_.insert(points_.end(), {{at, held}, {at, std::min(held, y)}, {at, y}});
      return;
    }
    Point& highest = *(points_.end() - 2);
    highest.y = std::min(highest.y, y);
    points_.back().y = y;
  }

  /// @param right where the last value stops to hold.
  std::vector<Point> take(double right) {
    if (!points_.empty() && right > points_.back().x) {
      points_.push_back({right, points_.back().y});
    }
    return std::move(points_);
  }

 private:
  double left_;
  std::vector<Point> points_;
};

class CurvePainter {
 public:
  CurvePainter(picture::Pen& pen,
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
    pen_.fill(Part::kOther, picture::faded(theme_.other, picture::Theme::kShadow),
              picture::closed(footprint_edge(), plot_.bottom()));
  }
  void shadow_edge() {
    pen_.stroke(Part::kOther, theme_.other, context_.look.px(1.4), footprint_edge());
  }

  /// Behind the lanes, with an edge over them: address space, not memory asked for.
  void file_mappings() {
    pen_.fill(Part::kFileMapping, picture::faded(theme_.lane(Lane::kFile), 0.4),
              picture::closed(file(), plot_.bottom()), true);
  }
  void file_edge() {
    pen_.stroke(Part::kFileMapping, theme_.lane(Lane::kFile), context_.look.px(1.2), file());
  }

  /// Full colour up to where the footprint never was lower within the column, pale up to where it
  /// was highest. Upper lanes first: the lower ones are painted over their grounds.
  void lanes() {
    constexpr double kPale = 0.62;
    const auto lowest = [](const StackedColumn& column) { return column.lowest.footprint(); };
    for (std::size_t i = trace::kFootprintLanes.size(); i-- > 0;) {
      const Colour& colour = theme_.lane(trace::kFootprintLanes.at(i));
      stacked(Part::kRange, picture::mixed(colour, theme_.background, kPale), i,
              &StackedColumn::highest, lowest);
    }
    for (std::size_t i = trace::kFootprintLanes.size(); i-- > 0;) {
      stacked(Part::kLane, theme_.lane(trace::kFootprintLanes.at(i)), i, &StackedColumn::lowest,
              [i](const StackedColumn& column) { return up_to(column.lowest, i); });
    }
  }

  void footprint() {
    if (!columns_.empty()) {
      pen_.stroke(Part::kFootprint, theme_.footprint, context_.look.px(1), footprint_edge());
    }
  }

  /// RSS, on a lining of the background, to be seen over any lane. A sample holds until the next
  /// one: nobody looked in between.
  void resident(const picture::Warp& warp) {
    const auto& samples = trace_.subject->resident;
    const ViewRange& range = context_.input.range;
    const auto x_of = [&](std::uint64_t ns) {
      return plot_.x + range.share_of(warp.x_of(ns)) * plot_.width;
    };
    // One sample beyond the left edge holds there.
    auto sample = std::ranges::partition_point(
        samples, [&](const auto& one) { return warp.x_of(one.at_ns) < range.begin; });
    sample = sample == samples.begin() ? sample : std::prev(sample);
    HeldLine line(plot_.x);
    for (; sample != samples.end() && x_of(sample->at_ns) <= plot_.right(); ++sample) {
      line.add(x_of(sample->at_ns),
               y_of(context_.sizes, plot_, static_cast<double>(sample->total())));
    }
    draw_resident(line.take(std::min(x_of(trace_.subject->duration_ns), plot_.right())));
  }

  void model_lines() {
    constexpr std::size_t kMost = 5;
    const picture::Type& type = context_.look.type;
    const TextLook look{type.small, theme_.ink};
    const auto most = std::clamp<std::size_t>(
        static_cast<std::size_t>(plot_.height / (1.5 * look.size)), 1, kMost);
    const std::uint64_t model = trace_.subject->model_bytes;
    for (const std::uint64_t times :
         picture::model_multiples(model, context_.sizes.highest, most)) {
      const double y = crisp(
          y_of(context_.sizes, plot_, static_cast<double>(times) * static_cast<double>(model)));
      // On a lining, to be seen over a dark lane too.
      pen_.stroke(Part::kBackdrop, picture::faded(theme_.background, 0.4), context_.look.px(3),
                  {{plot_.x, y}, {plot_.right(), y}});
      pen_.stroke(Part::kModelLine, picture::faded(theme_.model, 0.65), 1,
                  {{plot_.x, y}, {plot_.right(), y}}, true);
      pen_.text(look, Anchor::kLeft,
                {plot_.right() + context_.look.px(4), picture::middle_baseline(y, y, look.size)},
                picture::model_text(times));
    }
  }

 private:
  template <typename Bytes>
  [[nodiscard]] std::vector<Point> stepped(Bytes bytes) const {
    return picture::steps(plot_, columns_.size(), [&](std::size_t c) {
      return y_of(context_.sizes, plot_, static_cast<double>(bytes(columns_[c])));
    });
  }
  [[nodiscard]] std::vector<Point> footprint_edge() const {
    return stepped([](const StackedColumn& column) { return column.highest.footprint(); });
  }
  [[nodiscard]] std::vector<Point> file() const {
    return stepped([](const StackedColumn& column) { return column.file.maximum; });
  }

  /// What the first `count` lanes of the stack hold together.
  static std::uint64_t up_to(const trace::LaneTotals& totals, std::size_t count) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      bytes += totals[trace::kFootprintLanes.at(i)];
    }
    return bytes;
  }

  /// Lane number `last` of the stack, down to what will be painted over it: `hidden` bytes of a
  /// column.
  template <typename Hidden>
  void stacked(Part part,
               const Colour& colour,
               std::size_t last,
               trace::LaneTotals StackedColumn::*which,
               Hidden hidden) {
    const Lane lane = trace::kFootprintLanes.at(last);
    if (std::ranges::none_of(columns_,
                             [&](const auto& column) { return (column.*which)[lane] > 0; })) {
      return;
    }
    auto outline = stepped([&](const auto& column) { return up_to(column.*which, last + 1); });
    const auto low = ground(hidden);
    outline.insert(outline.end(), low.rbegin(), low.rend());
    pen_.fill(part, colour, std::move(outline));
  }

  /// Below the lowest of some neighbours, so that areas on it are few pieces, and a little lower:
  /// areas that merely touched would let the background shine through.
  template <typename Hidden>
  [[nodiscard]] std::vector<Point> ground(Hidden hidden) const {
    constexpr std::size_t kNeighbours = 64;
    std::vector<double> grounds;
    for (std::size_t c = 0; c < columns_.size(); c += kNeighbours) {
      std::uint64_t lowest = hidden(columns_[c]);
      for (std::size_t i = c; i < std::min(c + kNeighbours, columns_.size()); ++i) {
        lowest = std::min(lowest, hidden(columns_[i]));
      }
      const double y = y_of(context_.sizes, plot_, static_cast<double>(lowest));
      grounds.push_back(std::min(std::ceil(y) + 1, plot_.bottom()));
    }
    return picture::steps(plot_, columns_.size(),
                          [&](std::size_t c) { return grounds[c / kNeighbours]; });
  }

  void draw_resident(std::vector<Point> line) {
    if (line.size() < 2) {
      return;
    }
    pen_.stroke(Part::kBackdrop, picture::faded(theme_.background, 0.6), context_.look.px(3), line);
    pen_.stroke(Part::kResident, theme_.resident, context_.look.px(1.3), std::move(line));
  }

  picture::Pen& pen_;
  const PanelContext& context_;
  const picture::Theme& theme_;
  const Box& plot_;
  const std::vector<StackedColumn>& columns_;
  const TimelineTrace& trace_;
};

}  // namespace

void draw_curves(picture::Pen& pen,
                 const PanelContext& context,
                 const Box& plot,
                 PanelStyle style,
                 const TimelineTrace& trace,
                 const picture::Warp& warp) {
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

void draw_other_edge(picture::Pen& pen,
                     const PanelContext& context,
                     const Box& plot,
                     const TimelineTrace& other) {
  CurvePainter(pen, context, plot, other).shadow_edge();
}

}  // namespace tidemark::gui
