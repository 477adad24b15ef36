#include "gui/view/timeline/timeline_panel.hpp"

#include "analyzer/picture/ticks.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

using picture::Anchor;
using picture::Box;
using picture::Part;
using picture::Point;
using picture::TextLook;

std::string facts_of(const picture::Subject& subject) {
  std::string text = analyzer::format_time(subject.duration_ns);
  if (subject.model_bytes > 0) {
    text = fmt::format("W = {},  {}", analyzer::format_size(subject.model_bytes), text);
  }
  return text;
}

std::vector<Point> diamond(Point at, double radius) {
  return {
      {at.x - radius, at.y}, {at.x, at.y - radius}, {at.x + radius, at.y}, {at.x, at.y + radius}};
}

}  // namespace

double crisp(double at) {
  return std::floor(at) + 0.5;
}

double y_of(const picture::SizeAxis& sizes, const Box& plot, double bytes) {
  return plot.bottom() - std::min(bytes / sizes.top, 1.0) * plot.height;
}

void draw_frame(picture::Pen& pen, const PanelContext& context, const Box& plot) {
  const picture::Theme& theme = context.look.theme;
  const TextLook look{context.look.type.small, theme.soft};
  for (const picture::Tick& tick : context.sizes.ticks) {
    const double y = crisp(y_of(context.sizes, plot, static_cast<double>(tick.value)));
    pen.stroke(Part::kGrid, theme.grid, 1, {{plot.x, y}, {plot.right(), y}});
    pen.text(look, Anchor::kRight,
             {plot.x - context.look.px(6), picture::middle_baseline(y, y, look.size)}, tick.text);
  }
  for (const picture::AxisTick& tick : context.ticks) {
    const double x = crisp(plot.x + tick.x * plot.width);
    pen.stroke(Part::kGrid, theme.grid, 1, {{x, plot.y}, {x, plot.bottom()}});
  }
}

void draw_header(picture::Pen& pen,
                 const PanelContext& context,
                 const PanelBoxes& boxes,
                 const std::string& role,
                 const TimelineTrace& trace) {
  const picture::Theme& theme = context.look.theme;
  const Box& box = boxes.header;
  const double size = context.look.type.text;
  const double baseline = picture::middle_baseline(box.y, box.bottom(), size);
  const double gap = context.look.px(10);
  const picture::Subject& subject = *trace.subject;
  std::string facts = facts_of(subject);
  // Said in full only where it takes little from the command.
  const std::string meaning = subject.model_bytes > 0 ? "size of the weights " : "";
  if (pen.width_of({size, theme.soft}, meaning + facts) < 0.4 * box.width) {
    facts = meaning + facts;
  }
  double right =
      pen.text({size, theme.soft}, Anchor::kRight, {box.right(), baseline}, facts, box.width).x;
  right = right > 0 ? right : box.right();
  double x = box.x;
  if (!role.empty()) {
    x = pen.text({size, theme.ink, true}, Anchor::kLeft, {x, baseline}, role).right() + gap;
  }
  const std::string& warning = subject.warning.empty() ? trace.note : subject.warning;
  if (!warning.empty()) {
    x = pen.text({size, theme.warning, true}, Anchor::kLeft, {x, baseline}, warning,
                 (right - x) * 0.6)
            .right() +
        gap;
  }
  pen.text({size, theme.soft}, Anchor::kLeft, {x, baseline}, subject.command, right - x - gap);
}

Box draw_peak(picture::Pen& pen,
              const PanelContext& context,
              const Box& plot,
              const TimelineTrace& trace,
              const picture::Warp& warp,
              const Box& taken) {
  const picture::Subject& subject = *trace.subject;
  const double share = context.input.range.share_of(warp.x_of(subject.peak_at_ns));
  if (share < 0 || share > 1) {
    return {};
  }
  const picture::Theme& theme = context.look.theme;
  const TextLook look{context.look.type.text, theme.ink, true};
  const Point at{std::min(plot.x + share * plot.width, plot.right() - 1),
                 y_of(context.sizes, plot, static_cast<double>(subject.peak_bytes))};
  const std::string text = "peak " + subject.peak_text();
  const double width = pen.width_of(look, text);
  const double pad = context.look.px(4);
  const double left = std::clamp(at.x - width / 2, plot.x + pad,
                                 std::max(plot.right() - width - pad, plot.x + pad));
  Point baseline{left, at.y - 0.24 * look.size - context.look.px(7)};
  Box label = picture::text_box(baseline, width, look.size);
  const bool touches = !taken.is_empty() && label.x < taken.right() + pad &&
                       taken.x < label.right() + pad && label.y < taken.bottom() &&
                       taken.y < label.bottom();
  if (touches) {
    baseline.y = std::max(taken.bottom(), at.y) + look.size + context.look.px(4);
    label = picture::text_box(baseline, width, look.size);
  }
  const Box backdrop{label.x - pad, label.y, label.width + 2 * pad, label.height};
  pen.fill(Part::kBackdrop, picture::faded(theme.background, 0.85), backdrop);
  pen.text(look, Anchor::kLeft, baseline, text, plot.width - 2 * pad);
  pen.fill(Part::kPeak, theme.ink, diamond(at, context.look.px(4)));
  return backdrop;
}

}  // namespace tidemark::gui
