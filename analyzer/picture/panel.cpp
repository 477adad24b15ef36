#include "analyzer/picture/panel.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tidemark::picture {
namespace {

using trace::Lane;

class PanelPainter {
 public:
  PanelPainter(Pen& pen,
               const PanelStyle& style,
               const PanelLayout& layout,
               const Subject& subject,
               const Warp& warp,
               const Curves& curves)
      : pen_(pen),
        style_(style),
        theme_(style.theme),
        layout_(layout),
        plot_(layout.plot),
        subject_(subject),
        warp_(warp),
        curves_(curves) {}

  void header(const std::string& role) {
    const Box& box = layout_.header;
    const double size = style_.type.text;
    const double baseline = middle_baseline(box.y, box.bottom(), size);
    const Box facts =
        pen_.text({size, theme_.soft}, Anchor::kRight, {box.right(), baseline}, facts_text());
    double x = box.x;
    if (!role.empty()) {
      const Box name = pen_.text({size, theme_.ink, true}, Anchor::kLeft, {x, baseline}, role);
      x = name.right() + 8 * style_.type.scale;
    }
    pen_.text({size, theme_.soft}, Anchor::kLeft, {x, baseline}, subject_.command,
              facts.x - x - 12 * style_.type.scale);
    if (!layout_.warning.is_empty()) {
      const Box& line = layout_.warning;
      const double small = style_.type.small;
      pen_.text({small, theme_.warning, true}, Anchor::kLeft,
                {line.x, middle_baseline(line.y, line.bottom(), small)}, subject_.warning,
                line.width);
    }
  }

  void grid() {
    const TextLook look{style_.type.small, theme_.soft};
    const double gap = 6 * style_.type.scale;
    for (const Tick& tick : style_.sizes.ticks) {
      const double y = crisp(y_of(static_cast<double>(tick.value)));
      pen_.stroke(Part::kGrid, theme_.grid, 1, {{plot_.x, y}, {plot_.right(), y}});
      pen_.text(look, Anchor::kRight, {plot_.x - gap, middle_baseline(y, y, look.size)}, tick.text);
    }
    for (const AxisTick& tick : style_.ticks) {
      const double x = crisp(plot_.x + tick.x * plot_.width);
      pen_.stroke(Part::kGrid, theme_.grid, 1, {{x, plot_.y}, {x, plot_.bottom()}});
    }
  }

  /// Behind the lanes, with an edge over them: address space, not memory asked for.
  void file_mappings() {
    const auto edge = stepped([](const StackedColumn& column) { return column.file.maximum; });
    pen_.fill(Part::kFileMapping, faded(theme_.lane(Lane::kFile), 0.55),
              closed(edge, plot_.bottom()), true);
  }
  void file_edge() {
    const auto edge = stepped([](const StackedColumn& column) { return column.file.maximum; });
    pen_.stroke(Part::kFileMapping, theme_.lane(Lane::kFile), 1.2 * style_.type.scale, edge);
  }

  /// Full colour up to where the footprint never was lower within the column, pale up to where it
  /// was highest. Each lane is painted from the ground up and the lower ones over it: areas that
  /// merely touched would let the background shine through.
  void lanes() {
    constexpr double kPale = 0.62;
    for (std::size_t i = trace::kFootprintLanes.size(); i-- > 0;) {
      const Colour& colour = theme_.lane(trace::kFootprintLanes.at(i));
      stacked(Part::kRange, mixed(colour, theme_.background, kPale), i, &StackedColumn::highest);
    }
    for (std::size_t i = trace::kFootprintLanes.size(); i-- > 0;) {
      stacked(Part::kLane, theme_.lane(trace::kFootprintLanes.at(i)), i, &StackedColumn::lowest);
    }
  }

  void model_lines() {
    constexpr std::size_t kMost = 5;
    const TextLook look{style_.type.small, theme_.ink};
    const double gap = 4 * style_.type.scale;
    const double room = plot_.height / (1.3 * look.size);
    const auto most = std::clamp<std::size_t>(static_cast<std::size_t>(room), 1, kMost);
    for (const std::uint64_t times :
         model_multiples(subject_.model_bytes, style_.sizes.highest, most)) {
      const double y =
          crisp(y_of(static_cast<double>(times) * static_cast<double>(subject_.model_bytes)));
      // On a lining, to be seen over a dark lane too.
      pen_.stroke(Part::kBackdrop, faded(theme_.background, 0.4), 3 * style_.type.scale,
                  {{plot_.x, y}, {plot_.right(), y}});
      pen_.stroke(Part::kModelLine, faded(theme_.model, 0.65), 1,
                  {{plot_.x, y}, {plot_.right(), y}}, true);
      pen_.text(look, Anchor::kLeft, {plot_.right() + gap, middle_baseline(y, y, look.size)},
                model_text(times));
    }
  }

  void footprint() {
    auto line = stepped([](const StackedColumn& column) { return column.highest.footprint(); });
    // From the ground up and back to it: also where it begins and ends.
    line.insert(line.begin(), {line.front().x, plot_.bottom()});
    line.push_back({line.back().x, plot_.bottom()});
    pen_.stroke(Part::kFootprint, theme_.footprint, style_.type.scale, std::move(line));
  }

  /// A shadow behind the lanes, and its edge over them.
  void other_shadow(const Curves& other) {
    pen_.fill(Part::kOther, faded(theme_.other, Theme::kShadow),
              closed(edge_of(other), plot_.bottom()));
  }
  void other_edge(const Curves& other) {
    pen_.stroke(Part::kOther, theme_.other, style_.type.scale, edge_of(other));
  }

  /// Between two samples nobody looked: each one's height is held until the next, the last one's to
  /// the end. On a lining of the background, to be seen over any lane.
  void resident() {
    if (curves_.resident.empty()) {
      return;
    }
    std::vector<Point> line;
    for (const ResidentPoint& point : curves_.resident) {
      const double x = plot_.x + point.column;
      if (!line.empty()) {
        line.push_back({x, line.back().y});
      }
      line.push_back({x, y_of(static_cast<double>(point.bytes))});
    }
    line.push_back({plot_.x + warp_.x_of(subject_.duration_ns) * plot_.width, line.back().y});
    pen_.stroke(Part::kBackdrop, faded(theme_.background, 0.6), 3 * style_.type.scale, line);
    pen_.stroke(Part::kResident, theme_.resident, 1.2 * style_.type.scale, std::move(line));
  }

  /// A dot at the peak and its label above it, kept within the panel.
  void peak() {
    const TextLook look{style_.type.text, theme_.ink, true};
    const double scale = style_.type.scale;
    const Point at{plot_.x + static_cast<double>(curves_.peak_column) + 0.5,
                   y_of(static_cast<double>(subject_.peak_bytes))};
    const std::string text = "peak " + subject_.peak_text();
    const double width = pen_.width_of(look, text);
    const double pad = 4 * scale;
    const double left = std::clamp(at.x - width / 2, plot_.x + pad,
                                   std::max(plot_.right() - width - pad, plot_.x + pad));
    const Point baseline{left, at.y - 0.24 * look.size - 6 * scale};
    Box backdrop = text_box(baseline, width, look.size);
    backdrop = {backdrop.x - pad / 2, backdrop.y, backdrop.width + pad, backdrop.height};
    pen_.fill(Part::kBackdrop, faded(theme_.background, 0.82), backdrop);
    pen_.text(look, Anchor::kLeft, baseline, text, plot_.width - 2 * pad);
    pen_.fill(Part::kPeak, theme_.ink, diamond(at, 3.5 * scale));
  }

  void phases() {
    const auto rows = phase_rows(subject_.phases, layout_.phases.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t i = 0; i < rows[row].size(); ++i) {
        phase(rows[row][i], layout_.phases[row], theme_.phases.at(i % 2));
      }
    }
  }

  void progress() {
    const Box& box = layout_.progress;
    if (box.is_empty() || curves_.progress.empty()) {
      return;
    }
    pen_.fill(Part::kGrid, theme_.phases[0], box);
    const auto edge = steps(box, curves_.progress.size(), [&](std::size_t c) {
      return box.bottom() - curves_.progress[c] * box.height;
    });
    pen_.fill(Part::kProgress, theme_.progress, closed(edge, box.bottom()));
    const TextLook look{style_.type.small, theme_.soft};
    pen_.text(look, Anchor::kRight,
              {box.x - 6 * style_.type.scale, middle_baseline(box.y, box.bottom(), look.size)},
              "read");
  }

 private:
  static double crisp(double at) { return std::floor(at) + 0.5; }

  static std::vector<Point> diamond(Point at, double radius) {
    return {
        {at.x, at.y - radius}, {at.x + radius, at.y}, {at.x, at.y + radius}, {at.x - radius, at.y}};
  }

  /// Values beyond the axis stay at its edge.
  [[nodiscard]] double y_of(double bytes) const {
    return plot_.bottom() - std::min(bytes / style_.sizes.top, 1.0) * plot_.height;
  }

  [[nodiscard]] std::string facts_text() const {
    std::string text = analyzer::format_time(subject_.duration_ns);
    if (subject_.model_bytes > 0) {
      text = fmt::format("W = {},  {}", analyzer::format_size(subject_.model_bytes), text);
    }
    return text;
  }

  template <typename Bytes>
  [[nodiscard]] std::vector<Point> stepped(Bytes bytes) const {
    return steps(plot_, curves_.columns.size(), [&](std::size_t c) {
      return y_of(static_cast<double>(bytes(curves_.columns[c])));
    });
  }

  [[nodiscard]] std::vector<Point> edge_of(const Curves& other) const {
    return steps(plot_, other.columns.size(), [&](std::size_t c) {
      return y_of(static_cast<double>(other.columns[c].highest.footprint()));
    });
  }

  /// The lanes up to number `last` of the stack, as one area.
  void stacked(Part part,
               const Colour& colour,
               std::size_t last,
               trace::LaneTotals StackedColumn::*which) {
    const auto& columns = curves_.columns;
    const Lane lane = trace::kFootprintLanes.at(last);
    if (std::ranges::none_of(columns,
                             [&](const auto& column) { return (column.*which)[lane] > 0; }))
      return;
    const auto edge = stepped([&](const StackedColumn& column) {
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i <= last; ++i) {
        bytes += (column.*which)[trace::kFootprintLanes.at(i)];
      }
      return bytes;
    });
    pen_.fill(part, colour, closed(edge, plot_.bottom()));
  }

  void phase(const analyzer::Phase& phase, const Box& row, const Colour& colour) {
    const double from = row.x + warp_.x_of(phase.begin_ns) * row.width;
    const double to = row.x + warp_.x_of(phase.end_ns) * row.width;
    const double left = std::min(from, row.right() - 1);
    const Box box{left, row.y, std::max(to - left, 1.0), row.height};
    pen_.fill(Part::kPhase, colour, box);
    const TextLook look{style_.type.small, theme_.ink};
    const double room = box.width - 6 * style_.type.scale;
    const std::string full =
        phase.name + "  " + analyzer::format_time(phase.end_ns - phase.begin_ns);
    pen_.text(look, Anchor::kMiddle,
              {box.x + box.width / 2, middle_baseline(box.y, box.bottom(), look.size)},
              pen_.width_of(look, full) <= room ? full : phase.name, room);
  }

  Pen& pen_;
  const PanelStyle& style_;
  const Theme& theme_;
  const PanelLayout& layout_;
  const Box& plot_;
  const Subject& subject_;
  const Warp& warp_;
  const Curves& curves_;
};

}  // namespace

void draw_panel(Pen& pen,
                const PanelStyle& style,
                const PanelLayout& layout,
                const std::string& role,
                const Subject& subject,
                const Warp& warp,
                const Curves& curves,
                OtherTrace other) {
  PanelPainter painter(pen, style, layout, subject, warp, curves);
  painter.header(role);
  painter.grid();
  if (other.curves != nullptr) {
    painter.other_shadow(*other.curves);
  }
  if (style.shows_file_mappings) {
    painter.file_mappings();
  }
  painter.lanes();
  if (style.shows_file_mappings) {
    painter.file_edge();
  }
  painter.model_lines();
  painter.footprint();
  if (other.curves != nullptr) {
    painter.other_edge(*other.curves);
  }
  painter.resident();
  painter.phases();
  painter.progress();
  painter.peak();
}

std::vector<Point> closed(std::vector<Point> steps, double ground) {
  if (!steps.empty()) {
    steps.insert(steps.begin(), {steps.front().x, ground});
    steps.push_back({steps.back().x, ground});
  }
  return steps;
}

}  // namespace tidemark::picture
