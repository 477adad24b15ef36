#include "analyzer/picture/panel.hpp"

#include "analyzer/picture/headline.hpp"
#include "analyzer/picture/mark_label.hpp"
#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tidemark::picture {
namespace {

std::vector<Point> diamond(Point at, double radius) {
  return {
      {at.x, at.y - radius}, {at.x + radius, at.y}, {at.x, at.y + radius}, {at.x - radius, at.y}};
}

void draw_phase(Pen& pen,
                const PanelStyle& style,
                const Box& row,
                const Warp& warp,
                const analyzer::Phase& phase,
                const Colour& colour) {
  const double from = style.range.share_of(warp.x_of(phase.begin_ns));
  const double to = style.range.share_of(warp.x_of(phase.end_ns));
  if (to < 0 || from > 1) {
    return;
  }
  const double left = std::clamp(row.x + from * row.width, row.x, row.right() - 1);
  const double right = std::clamp(row.x + to * row.width, left + 1, row.right());
  pen.fill(Part::kPhase, colour, Box{left, row.y, right - left, row.height});
  const TextLook look{style.type.small, style.theme.ink};
  const double room = right - left - 6 * style.type.scale;
  const std::string full = phase.name + "  " + analyzer::format_time(phase.end_ns - phase.begin_ns);
  pen.text(look, Anchor::kMiddle,
           {(left + right) / 2, middle_baseline(row.y, row.bottom(), look.size)},
           pen.width_of(look, full) <= room ? full : phase.name, room);
}

/// How much more the second trace holds than the first, for the columns that both reach.
std::vector<double> differences(const std::vector<StackedColumn>& before,
                                const std::vector<StackedColumn>& after) {
  std::vector<double> found;
  for (std::size_t c = 0; c < std::min(before.size(), after.size()); ++c) {
    found.push_back(static_cast<double>(after[c].highest.footprint()) -
                    static_cast<double>(before[c].highest.footprint()));
  }
  return found;
}

void draw_ticks(Pen& pen, const PanelStyle& style, const Box& box) {
  for (const AxisTick& tick : style.ticks) {
    const double x = crisp(box.x + tick.x * box.width);
    pen.stroke(Part::kGrid, style.theme.grid, 1, {{x, box.y}, {x, box.bottom()}});
  }
}

}  // namespace

double SizeAxis::y_of(const Box& plot, double bytes) const {
  return plot.bottom() - std::min(bytes / top, 1.0) * plot.height;
}

SizeAxis size_axis(std::uint64_t highest,
                   std::uint64_t highest_peak,
                   const Box& plot,
                   const Type& type) {
  constexpr std::size_t kMaxTicks = 6;
  const double label = std::min(type.text + 10 * type.scale, plot.height / 2);
  const double line = std::min(2 * type.scale, plot.height / 2);
  const double top =
      std::max(static_cast<double>(highest) * plot.height / (plot.height - line),
               static_cast<double>(highest_peak) * plot.height / (plot.height - label));
  const double rest = plot.height * static_cast<double>(highest) / top;
  const auto most = static_cast<std::size_t>(rest / (2.3 * type.small));
  // A zero alone is no axis: with two steps there is one tick above it at any height.
  const std::size_t least = rest >= 2.6 * type.small ? 2 : 1;
  return {highest, top, size_ticks(highest, std::clamp(most, least, kMaxTicks))};
}

void HighestValue::add(const Subject& subject) {
  highest_ = std::max({highest_, subject.peak_bytes, subject.model_bytes, subject.resident_peak()});
  peak_ = std::max(peak_, subject.peak_bytes);
  mapped_ = std::max(mapped_, subject.lane_peaks[trace::Lane::kFile]);
}

std::uint64_t HighestValue::value() const {
  constexpr std::uint64_t kMaxTimesHighest = 4;
  const bool is_too_high = mapped_ / kMaxTimesHighest > highest_;
  return is_too_high ? highest_ * kMaxTimesHighest : std::max(highest_, mapped_);
}

void draw_grid(Pen& pen, const PanelStyle& style, const Box& plot) {
  const TextLook look{style.type.small, style.theme.soft};
  const double gap = 6 * style.type.scale;
  for (const Tick& tick : style.sizes.ticks) {
    const double y = crisp(style.sizes.y_of(plot, static_cast<double>(tick.value)));
    pen.stroke(Part::kGrid, style.theme.grid, 1, {{plot.x, y}, {plot.right(), y}});
    pen.text(look, Anchor::kRight, {plot.x - gap, middle_baseline(y, y, look.size)}, tick.text);
  }
  draw_ticks(pen, style, plot);
}

Box draw_peak(Pen& pen,
              const PanelStyle& style,
              const Box& plot,
              const PanelTrace& trace,
              const Box& taken,
              std::span<const Point> resident) {
  const Subject& subject = trace.subject;
  return draw_mark(pen, style, plot, trace.warp,
                   {subject.peak_at.at_ns, subject.peak_bytes, "peak " + subject.peak_text()},
                   taken, resident);
}

Box draw_mark(Pen& pen,
              const PanelStyle& style,
              const Box& plot,
              const Warp& warp,
              const Mark& mark,
              const Box& taken,
              std::span<const Point> resident) {
  const double share = style.range.share_of(warp.x_of(mark.at_ns));
  if (share < 0 || share > 1) {
    return {};
  }
  const TextLook look{style.type.text, style.theme.ink, true};
  const double scale = style.type.scale;
  // In the middle of the column that shows it.
  const double column = std::min(std::floor(share * plot.width), plot.width - 1);
  const Point at{plot.x + column + 0.5, style.sizes.y_of(plot, static_cast<double>(mark.bytes))};
  const double width = pen.width_of(look, mark.text);
  const Point baseline = place_label({at, width, look.size, scale}, plot, taken, resident);
  const Box label = text_box(baseline, width, look.size);
  const double pad = 4 * scale;
  const Box backdrop{label.x - pad / 2, label.y, label.width + pad, label.height};
  pen.fill(Part::kBackdrop, faded(style.theme.background, 0.9), backdrop);
  pen.text(look, Anchor::kLeft, baseline, mark.text, plot.width - 2 * pad);
  pen.fill(Part::kPeak, style.theme.ink, diamond(at, 3.5 * scale));
  return backdrop;
}

void draw_phases(Pen& pen,
                 const PanelStyle& style,
                 std::span<const Box> rows,
                 const PanelTrace& trace) {
  const auto phases = phase_rows(trace.subject.phases, rows.size());
  for (std::size_t row = 0; row < phases.size(); ++row) {
    for (std::size_t i = 0; i < phases[row].size(); ++i) {
      // Two neighbouring phases of one row differ, at any zoom.
      draw_phase(pen, style, rows[row], trace.warp, phases[row][i], style.theme.phases.at(i % 2));
    }
  }
}

void draw_progress(Pen& pen, const PanelStyle& style, const Box& box, const PanelTrace& trace) {
  const auto& points = trace.subject.progress;
  if (box.is_empty() || points.empty()) {
    return;
  }
  pen.fill(Part::kGrid, style.theme.phases[0], box);
  const std::size_t count = trace.columns.size();
  const auto edge = steps(box, count, [&](std::size_t c) {
    const double share = (static_cast<double>(c) + 1) / std::max(box.width, double(count));
    const std::uint64_t ns = trace.warp.ns_at(style.range.x_at(share));
    return box.bottom() - trace.subject.share_read(ns) * box.height;
  });
  pen.fill(Part::kProgress, style.theme.progress, closed(edge, box.bottom()));
  const TextLook look{style.type.small, style.theme.soft};
  pen.text(look, Anchor::kRight,
           {box.x - 6 * style.type.scale, middle_baseline(box.y, box.bottom(), look.size)}, "read");
}

void draw_difference(Pen& pen,
                     const PanelStyle& style,
                     const Box& header,
                     const Box& box,
                     const std::vector<StackedColumn>& before,
                     const std::vector<StackedColumn>& after) {
  if (box.is_empty()) {
    return;
  }
  const auto all = differences(before, after);
  const double most = all.empty() ? 0 : std::max(*std::ranges::max_element(all), 0.0);
  const double least = all.empty() ? 0 : std::min(*std::ranges::min_element(all), 0.0);
  pen.text({style.type.small, style.theme.soft}, Anchor::kLeft,
           {header.x, middle_baseline(header.y, header.bottom(), style.type.small)},
           least == most ? "after − before: none" : "after − before", header.width);
  draw_ticks(pen, style, box);
  const double unit = box.height / std::max(most - least, 1.0);
  const double zero = std::round(box.y + most * unit);
  const auto area = [&](const Colour& colour, double low, double high) {
    const auto edge = steps(box, all.size(), [&](std::size_t c) {
      return std::clamp(zero - std::clamp(all[c], low, high) * unit, box.y, box.bottom());
    });
    pen.fill(Part::kDifference, colour, closed(edge, zero));
  };
  area(style.theme.more, 0, most);
  area(style.theme.less, least, 0);
  const double line = std::min(zero, box.bottom() - 1) + 0.5;
  pen.stroke(Part::kGrid, style.theme.soft, 1, {{box.x, line}, {box.right(), line}});
  const TextLook look{style.type.small, style.theme.soft};
  const auto label = [&](double y, const std::string& text) {
    const double inside = std::clamp(y, box.y + look.size / 2, box.bottom() - look.size / 2);
    pen.text(look, Anchor::kRight,
             {box.x - 6 * style.type.scale, middle_baseline(inside, inside, look.size)}, text);
  };
  label(line, "0");
  for (const double sign : {1.0, -1.0}) {
    const double side = sign > 0 ? most : -least;
    const auto ticks = size_ticks(static_cast<std::uint64_t>(side), 2);
    // If there is space beside the zero for a label.
    if (side * unit >= 2.2 * look.size && ticks.size() > 1) {
      const double y = zero - sign * static_cast<double>(ticks.back().value) * unit;
      pen.stroke(Part::kGrid, faded(style.theme.soft, 0.45), 1,
                 {{box.x, crisp(y)}, {box.right(), crisp(y)}});
      label(std::abs(y - line) < 1.1 * look.size ? line - sign * 1.1 * look.size : y,
            (sign > 0 ? "+" : "−") + ticks.back().text);
    }
  }
}

void draw_time_axis(
    Pen& pen, const PanelStyle& style, const Box& box, double right, const std::string& caption) {
  const TextLook look{style.type.small, style.theme.soft};
  const int rows = (style.ticks.empty() ? 0 : 1) + (caption.empty() ? 0 : 1);
  const double row = box.height / std::max(rows, 1);
  double taken = 0;
  for (const AxisTick& tick : style.ticks) {
    const double width = pen.width_of(look, tick.text);
    const double x = std::min(box.x + tick.x * box.width - width / 2, right - width);
    if (x >= taken) {
      pen.text(look, Anchor::kLeft, {x, middle_baseline(box.y, box.y + row, look.size)}, tick.text);
      taken = x + width + 7 * style.type.scale;
    }
  }
  pen.text(look, Anchor::kMiddle,
           {box.x + box.width / 2, middle_baseline(box.bottom() - row, box.bottom(), look.size)},
           caption, box.width);
}

std::vector<Point> closed(std::vector<Point> steps, double ground) {
  if (!steps.empty()) {
    steps.insert(steps.begin(), {steps.front().x, ground});
    steps.push_back({steps.back().x, ground});
  }
  return steps;
}

}  // namespace tidemark::picture
