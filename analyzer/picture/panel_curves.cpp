#include "analyzer/picture/panel.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tidemark::picture {
namespace {

using trace::Lane;

/// The line of values that hold until the next one. Values within one pixel become one step through
/// the highest, so a pixel has three points, however many values there are.
class HeldLine {
 public:
  explicit HeldLine(double left) : left_(left) {}

  /// Call in order of x. A point left of the edge is moved to it.
  void add(double x, double y) {
    const double at = std::max(x, left_);
    if (is_in_pixel_ && std::floor(at) == std::floor(x_)) {
      highest_ = std::min(highest_, y);
      last_ = y;
      return;
    }
    end_pixel();
    x_ = at;
    highest_ = last_ = y;
    is_in_pixel_ = true;
  }

  /// @param right where the last value stops to hold.
  std::vector<Point> take(double right) {
    end_pixel();
    if (is_in_pixel_ && right > x_) {
      append({right, last_});
    }
    return std::move(points_);
  }

 private:
  void end_pixel() {
    if (!is_in_pixel_) {
      return;
    }
    if (!points_.empty()) {
      append({x_, points_.back().y});
    }
    append({x_, highest_});
    append({x_, last_});
  }
  void append(Point point) {
    if (points_.empty() || points_.back().x != point.x || points_.back().y != point.y) {
      points_.push_back(point);
    }
  }

  double left_;
  std::vector<Point> points_;
  /// The pixel at hand: where its first value came, its highest one and its last.
  bool is_in_pixel_ = false;
  double x_ = 0;
  double highest_ = 0;
  double last_ = 0;
};

/// The upper edges of bands, one band after the other: what those up to it hold in each column.
class BandEdges {
 public:
  BandEdges(const std::vector<std::uint64_t>& bytes, std::size_t bands, std::size_t columns)
      : columns_(columns), edges_((bands + 1) * columns) {
    for (std::size_t i = 0; i < bands; ++i) {
      for (std::size_t c = 0; c < columns; ++c) {
        edges_[(i + 1) * columns + c] = edges_[i * columns + c] + bytes[c * bands + i];
      }
    }
  }

  /// The sum of the first `count` bands of a column.
  [[nodiscard]] std::uint64_t up_to(std::size_t column, std::size_t count) const {
    return edges_[count * columns_ + column];
  }

 private:
  std::size_t columns_;
  std::vector<std::uint64_t> edges_;
};

class CurvePainter {
 public:
  CurvePainter(Pen& pen,
               const PanelStyle& style,
               const Box& plot,
               const std::vector<StackedColumn>& columns)
      : pen_(pen), style_(style), theme_(style.theme), plot_(plot), columns_(columns) {}

  void shadow() {
    pen_.fill(Part::kOther, faded(theme_.other, Theme::kShadow),
              closed(footprint_edge(), plot_.bottom()));
  }
  void shadow_edge() {
    pen_.stroke(Part::kOther, theme_.other, style_.type.scale, footprint_edge());
  }

  /// Behind the lanes, with an edge over them: they are address space, not requested memory, so a
  /// tint is enough however large they are.
  void file_mappings() {
    pen_.fill(Part::kFileMapping, faded(theme_.lane(Lane::kFile), Theme::kMapped),
              closed(file(), plot_.bottom()), true);
  }
  void file_edge() {
    pen_.stroke(Part::kFileMapping, theme_.lane(Lane::kFile), 1.2 * style_.type.scale, file());
  }

  /// Full colour up to the lowest footprint within the column, pale up to the highest. Upper bands
  /// first: the lower ones are painted over their grounds.
  void bands(const Bands& bands) {
    constexpr double kPale = 0.62;
    const std::size_t count = bands.size();
    const BandEdges highest(bands.highest, count, columns_.size());
    const BandEdges lowest(bands.lowest, count, columns_.size());
    for (std::size_t i = count; i-- > 0;) {
      band(Part::kRange, mixed(bands.colours[i], theme_.background, kPale), highest, i,
           [&](std::size_t c) { return lowest.up_to(c, count); });
    }
    for (std::size_t i = count; i-- > 0;) {
      band(Part::kLane, bands.colours[i], lowest, i,
           [&](std::size_t c) { return lowest.up_to(c, i); });
    }
  }

  /// From the ground up and back to it if the trace begins and ends in view.
  void footprint(const Warp& warp) {
    if (columns_.empty()) {
      return;
    }
    auto line = footprint_edge();
    if (warp.knots().front().x >= style_.range.begin) {
      line.insert(line.begin(), {line.front().x, plot_.bottom()});
    }
    if (warp.knots().back().x <= style_.range.end) {
      line.push_back({line.back().x, plot_.bottom()});
    }
    pen_.stroke(Part::kFootprint, theme_.footprint, style_.type.scale, std::move(line));
  }

  /// RSS, on a lining of the background, so that it is visible over any lane. A sample holds until
  /// the next one.
  /// @return the line; empty: there is none.
  std::vector<Point> resident(const Subject& subject, const Warp& warp) {
    const auto x_of = [&](std::uint64_t ns) {
      return plot_.x + style_.range.share_of(warp.x_of(ns)) * plot_.width;
    };
    // One sample beyond the left edge holds there.
    const auto& samples = subject.resident;
    auto sample = std::ranges::partition_point(
        samples, [&](const auto& one) { return x_of(one.at_ns) < plot_.x; });
    sample = sample == samples.begin() ? sample : std::prev(sample);
    HeldLine held(plot_.x);
    for (; sample != samples.end() && x_of(sample->at_ns) <= plot_.right(); ++sample) {
      held.add(x_of(sample->at_ns), style_.sizes.y_of(plot_, static_cast<double>(sample->total())));
    }
    auto line = held.take(std::min(x_of(subject.duration_ns), plot_.right()));
    if (line.size() < 2) {
      return {};
    }
    pen_.stroke(Part::kBackdrop, faded(theme_.background, 0.6), 3 * style_.type.scale, line);
    pen_.stroke(Part::kResident, theme_.resident, 1.2 * style_.type.scale, line);
    return line;
  }

  void model_lines(std::uint64_t model) {
    constexpr std::size_t kMaxNotedLines = 5;
    const TextLook look{style_.type.small, theme_.ink};
    const double gap = 4 * style_.type.scale;
    const auto most = std::clamp<std::size_t>(
        static_cast<std::size_t>(plot_.height / (1.5 * look.size)), 1, kMaxNotedLines);
    for (const std::uint64_t times : model_multiples(model, style_.sizes.highest, most)) {
      const double y =
          crisp(style_.sizes.y_of(plot_, static_cast<double>(times) * static_cast<double>(model)));
      // Thin and pale: a measure behind the load, not a part of it.
      pen_.stroke(Part::kModelLine, faded(theme_.model, times == 1 ? 0.5 : 0.3), 1,
                  {{plot_.x, y}, {plot_.right(), y}}, true);
      pen_.text(look, Anchor::kLeft, {plot_.right() + gap, middle_baseline(y, y, look.size)},
                model_text(times));
    }
  }

 private:
  template <typename Bytes>
  [[nodiscard]] std::vector<Point> stepped(Bytes bytes) const {
    return steps(plot_, columns_.size(), [&](std::size_t c) {
      return style_.sizes.y_of(plot_, static_cast<double>(bytes(columns_[c])));
    });
  }
  [[nodiscard]] std::vector<Point> footprint_edge() const {
    return stepped([](const StackedColumn& column) { return column.highest.footprint(); });
  }
  [[nodiscard]] std::vector<Point> file() const {
    return stepped([](const StackedColumn& column) { return column.file.maximum; });
  }

  /// Band number `i`, down to what will be painted over it: `hidden` bytes of a column.
  template <typename Hidden>
  void band(Part part, const Colour& colour, const BandEdges& edges, std::size_t i, Hidden hidden) {
    bool is_empty = true;
    for (std::size_t c = 0; c < columns_.size() && is_empty; ++c) {
      is_empty = edges.up_to(c, i + 1) == edges.up_to(c, i);
    }
    if (is_empty) {
      return;
    }
    auto outline = steps(plot_, columns_.size(), [&](std::size_t c) {
      return style_.sizes.y_of(plot_, static_cast<double>(edges.up_to(c, i + 1)));
    });
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
      std::uint64_t lowest = hidden(c);
      for (std::size_t i = c; i < std::min(c + kNeighbours, columns_.size()); ++i) {
        lowest = std::min(lowest, hidden(i));
      }
      const double y = style_.sizes.y_of(plot_, static_cast<double>(lowest));
      grounds.push_back(std::min(std::ceil(y) + 1, plot_.bottom()));
    }
    return steps(plot_, columns_.size(), [&](std::size_t c) { return grounds[c / kNeighbours]; });
  }

  Pen& pen_;
  const PanelStyle& style_;
  const Theme& theme_;
  const Box& plot_;
  const std::vector<StackedColumn>& columns_;
};

}  // namespace

std::vector<Point> draw_curves(Pen& pen,
                               const PanelStyle& style,
                               const Box& plot,
                               const PanelTrace& trace,
                               const std::vector<StackedColumn>* other) {
  CurvePainter painter(pen, style, plot, trace.columns);
  if (other != nullptr) {
    CurvePainter(pen, style, plot, *other).shadow();
  }
  if (style.shows_file_mappings) {
    painter.file_mappings();
  }
  if (trace.bands != nullptr) {
    painter.bands(*trace.bands);
  } else {
    painter.bands(lane_bands(trace.columns, style.theme));
  }
  if (style.shows_file_mappings) {
    painter.file_edge();
  }
  painter.model_lines(trace.subject.model_bytes);
  painter.footprint(trace.warp);
  if (other != nullptr) {
    CurvePainter(pen, style, plot, *other).shadow_edge();
  }
  return painter.resident(trace.subject, trace.warp);
}

}  // namespace tidemark::picture
