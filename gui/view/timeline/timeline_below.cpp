#include "gui/view/timeline/timeline_below.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>

namespace tidemark::gui {
namespace {

using picture::Anchor;
using picture::Box;
using picture::Colour;
using picture::Part;
using picture::TextLook;

/// Two neighbouring phases of one row differ, at any zoom.
void draw_phase(picture::Pen& pen,
                const PanelContext& context,
                const Box& row,
                const picture::Warp& warp,
                const analyzer::Phase& phase,
                const Colour& colour) {
  const ViewRange& range = context.input.range;
  const double from = range.share_of(warp.x_of(phase.begin_ns));
  const double to = range.share_of(warp.x_of(phase.end_ns));
  if (to < 0 || from > 1) {
    return;
  }
  const double left = std::clamp(row.x + from * row.width, row.x, row.right() - 1);
  const double right = std::clamp(row.x + to * row.width, left + 1, row.right());
  pen.fill(Part::kPhase, colour, Box{left, row.y, right - left, row.height});
  const TextLook look{context.look.type.small, context.look.theme.ink};
  const double room = right - left - context.look.px(6);
  const std::string full = phase.name + "  " + analyzer::format_time(phase.end_ns - phase.begin_ns);
  pen.text(look, Anchor::kMiddle,
           {(left + right) / 2, picture::middle_baseline(row.y, row.bottom(), look.size)},
           pen.width_of(look, full) <= room ? full : phase.name, room);
}

/// Between two reads the bytes came evenly, as far as anybody knows.
double share_read(const std::vector<picture::ProgressPoint>& points, std::uint64_t ns) {
  const auto after = std::ranges::upper_bound(points, ns, {}, &picture::ProgressPoint::ns);
  if (after == points.begin()) {
    return 0;
  }
  auto bytes = static_cast<double>(std::prev(after)->bytes);
  if (after != points.end()) {
    const picture::ProgressPoint& from = *std::prev(after);
    bytes += static_cast<double>(after->bytes - from.bytes) *
             (static_cast<double>(ns - from.ns) / static_cast<double>(after->ns - from.ns));
  }
  return bytes / static_cast<double>(points.back().bytes);
}

void draw_progress(picture::Pen& pen,
                   const PanelContext& context,
                   const Box& box,
                   const TimelineTrace& trace,
                   const picture::Warp& warp) {
  const auto& points = trace.subject->progress;
  if (box.is_empty() || points.empty()) {
    return;
  }
  const picture::Theme& theme = context.look.theme;
  pen.fill(Part::kGrid, theme.phases[0], box);
  const double last = static_cast<double>(trace.columns.size());
  const auto edge = picture::steps(box, trace.columns.size(), [&](std::size_t c) {
    const double share = (static_cast<double>(c) + 1) / std::max(box.width, last);
    const std::uint64_t ns = warp.ns_at(context.input.range.x_at(share));
    return box.bottom() - share_read(points, ns) * box.height;
  });
  pen.fill(Part::kProgress, theme.progress, picture::closed(edge, box.bottom()));
  const TextLook look{context.look.type.small, theme.soft};
  pen.text(look, Anchor::kRight,
           {box.x - context.look.px(6), picture::middle_baseline(box.y, box.bottom(), look.size)},
           "read");
}

}  // namespace

void draw_below(picture::Pen& pen,
                const PanelContext& context,
                const PanelBoxes& boxes,
                const TimelineTrace& trace,
                const picture::Warp& warp) {
  const auto rows = picture::phase_rows(trace.subject->phases, boxes.phases.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      draw_phase(pen, context, boxes.phases[row], warp, rows[row][i],
                 context.look.theme.phases.at(i % 2));
    }
  }
  draw_progress(pen, context, boxes.progress, trace, warp);
}

}  // namespace tidemark::gui
