#include "gui/view/timeline/timeline_picture.hpp"

#include "analyzer/picture/ticks.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/timeline/axis_ticks.hpp"
#include "gui/view/timeline/timeline_below.hpp"
#include "gui/view/timeline/timeline_curves.hpp"
#include "gui/view/timeline/timeline_difference.hpp"
#include "gui/view/timeline/timeline_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::gui {
namespace {

using picture::Anchor;
using picture::Box;
using picture::Part;
using picture::TextLook;

constexpr std::size_t kMostPhaseRows = 2;
constexpr std::array kRoles{"before", "after"};

/// Up to which lanes are too low to be seen.
bool shows_file_mappings(const TimelineInput& input, std::uint64_t highest) {
  constexpr std::uint64_t kVisible = 300;
  return input.file_mappings &&
         std::ranges::any_of(input.traces, [highest](const TimelineTrace& trace) {
           return trace.subject->lane_peaks[trace::Lane::kFile] > highest / kVisible;
         });
}

/// Above the highest value there is room for the label of a peak.
picture::SizeAxis size_axis(std::uint64_t highest, const Box& box, const Look& look) {
  const double headroom = std::min(look.type.text + look.px(12), box.height / 2);
  const double rest = box.height - headroom;
  const auto most = static_cast<std::size_t>(rest / (2.4 * look.type.small));
  return {highest, static_cast<double>(highest) * box.height / rest,
          picture::size_ticks(highest, std::clamp<std::size_t>(most, 1, 6))};
}

/// The timeline's parts that no single trace has.
class TimelinePainter {
 public:
  TimelinePainter(picture::Pen& pen,
                  const TimelineInput& input,
                  const TimelineLayout& layout,
                  const Look& look)
      : pen_(pen),
        input_(input),
        layout_(layout),
        look_(look),
        theme_(look.theme),
        sizes_(size_axis(highest_value(input.traces), layout.panels.front().plot, look)),
        ticks_(ticks()) {}

  void draw() {
    const PanelContext context{input_, look_, sizes_, ticks_,
                               shows_file_mappings(input_, sizes_.highest)};
    input_.overlaid&& input_.traces.size() > 1 ? overlaid(context) : apart(context);
    draw_difference(pen_, input_.traces, layout_, look_);
    selection();
    cursor();
    time_axis();
  }

 private:
  /// In view: x from 0 to 1.
  [[nodiscard]] std::vector<picture::AxisTick> ticks() const {
    const auto most = static_cast<std::size_t>(std::max(layout_.axis.width / look_.px(110), 1.0));
    auto found = ticks_in_view(*input_.axis, input_.align, input_.range, input_.axis_ns, most);
    for (picture::AxisTick& tick : found) {
      tick.x = input_.range.share_of(tick.x);
    }
    return found;
  }

  void apart(const PanelContext& context) {
    for (std::size_t i = 0; i < input_.traces.size(); ++i) {
      const TimelineTrace& trace = input_.traces[i];
      const PanelBoxes& boxes = layout_.panels[i];
      const picture::Warp& warp = input_.axis->warps[i];
      draw_header(pen_, context, boxes, role(i), trace);
      draw_frame(pen_, context, boxes.plot);
      if (i == 1) {
        draw_curves(pen_, context, boxes.plot, PanelStyle::kShadow, input_.traces[0],
                    input_.axis->warps[0]);
      }
      draw_curves(pen_, context, boxes.plot, PanelStyle::kLanes, trace, warp);
      if (i == 1) {
        draw_other_edge(pen_, context, boxes.plot, input_.traces[0]);
      }
      draw_below(pen_, context, boxes, trace, warp);
      draw_peak(pen_, context, boxes.plot, trace, warp, {});
    }
  }

  /// The first trace is the shadow behind the second.
  void overlaid(const PanelContext& context) {
    const Box& plot = layout_.panels.front().plot;
    const auto& warps = input_.axis->warps;
    draw_frame(pen_, context, plot);
    draw_curves(pen_, context, plot, PanelStyle::kShadow, input_.traces[0], warps[0]);
    draw_curves(pen_, context, plot, PanelStyle::kLanes, input_.traces[1], warps[1]);
    draw_other_edge(pen_, context, plot, input_.traces[0]);
    Box taken;
    for (std::size_t i = 0; i < input_.traces.size(); ++i) {
      draw_header(pen_, context, layout_.panels[i], role(i), input_.traces[i]);
      draw_below(pen_, context, layout_.panels[i], input_.traces[i], warps[i]);
      taken = draw_peak(pen_, context, plot, input_.traces[i], warps[i], taken);
    }
  }

  [[nodiscard]] std::string role(std::size_t i) const {
    return input_.traces.size() > 1 ? kRoles.at(i) : "";
  }

  [[nodiscard]] double x_in_view(double x) const {
    const Box& plot = layout_.panels.front().plot;
    return plot.x + std::clamp(input_.range.share_of(x), 0.0, 1.0) * plot.width;
  }
  [[nodiscard]] Box all_plots() const {
    const Box& first = layout_.panels.front().plot;
    return {first.x, first.y, first.width, layout_.axis.y - first.y};
  }

  void selection() {
    if (!input_.selection) {
      return;
    }
    const Box all = all_plots();
    const double left = x_in_view(input_.selection->begin);
    const double right = x_in_view(input_.selection->end);
    const picture::Colour veil = picture::faded(theme_.background, 0.55);
    pen_.fill(Part::kBackdrop, veil, Box{all.x, all.y, left - all.x, all.height});
    pen_.fill(Part::kBackdrop, veil, Box{right, all.y, all.right() - right, all.height});
    for (const double x : {left, right}) {
      pen_.stroke(Part::kLegend, theme_.ink, look_.px(1), {{x, all.y}, {x, all.bottom()}});
    }
  }

  void cursor() {
    if (!input_.cursor || input_.range.share_of(*input_.cursor) < 0 ||
        input_.range.share_of(*input_.cursor) > 1) {
      return;
    }
    const Box all = all_plots();
    const double x = std::min(std::floor(x_in_view(*input_.cursor)) + 0.5, all.right() - 0.5);
    pen_.stroke(Part::kLegend, theme_.ink, look_.px(1), {{x, all.y}, {x, all.bottom()}});
    const double size = look_.px(5);
    pen_.fill(Part::kLegend, theme_.ink,
              {{x - size, all.bottom()}, {x, all.bottom() - size}, {x + size, all.bottom()}});
  }

  /// A label that would touch the one before it, or leave the picture, gives way.
  void time_axis() {
    const Box& box = layout_.axis;
    const TextLook look{look_.type.small, theme_.soft};
    const double row = input_.axis->caption.empty() ? box.height : box.height / 2;
    double taken = -1e9;
    for (const picture::AxisTick& tick : ticks_) {
      const double width = pen_.width_of(look, tick.text);
      const double x = std::min(box.x + tick.x * box.width - width / 2, box.right() - width);
      if (x >= taken) {
        pen_.text(look, Anchor::kLeft, {x, picture::middle_baseline(box.y, box.y + row, look.size)},
                  tick.text);
        taken = x + width + look_.px(8);
      }
    }
    pen_.text(look, Anchor::kMiddle,
              {box.x + box.width / 2,
               picture::middle_baseline(box.bottom() - row, box.bottom(), look.size)},
              input_.axis->caption, box.width);
  }

  picture::Pen& pen_;
  const TimelineInput& input_;
  const TimelineLayout& layout_;
  const Look& look_;
  const picture::Theme& theme_;
  picture::SizeAxis sizes_;
  std::vector<picture::AxisTick> ticks_;
};

}  // namespace

std::uint64_t highest_value(std::span<const TimelineTrace> traces) {
  // File mappings count only as far as they leave the footprint room: a program may map far more
  // than it ever touches.
  constexpr std::uint64_t kMostTimes = 4;
  std::uint64_t highest = 1;
  std::uint64_t mapped = 0;
  for (const TimelineTrace& trace : traces) {
    const picture::Subject& subject = *trace.subject;
    highest = std::max({highest, subject.peak_bytes, subject.model_bytes, subject.resident_peak()});
    mapped = std::max(mapped, subject.lane_peaks[trace::Lane::kFile]);
  }
  const bool is_too_high = mapped / kMostTimes > highest;
  return is_too_high ? highest * kMostTimes : std::max(highest, mapped);
}

TimelineLayout lay_out_timeline(const TimelineInput& input, const Box& place, const Look& look) {
  TimelineContents contents;
  contents.overlaid = input.overlaid && input.traces.size() > 1;
  contents.has_difference = input.traces.size() > 1;
  contents.has_caption = !input.axis->caption.empty();
  contents.left_labels = look.measure("1023 MiB", look.type.small, false);
  contents.right_labels = look.measure("10W", look.type.small, false);
  for (const TimelineTrace& trace : input.traces) {
    contents.panels.push_back(
        {.phase_rows = picture::phase_rows(trace.subject->phases, kMostPhaseRows).size(),
         .has_progress = !trace.subject->progress.empty()});
  }
  return lay_out(contents, place, look);
}

void draw_timeline(picture::Scene& scene,
                   const TimelineInput& input,
                   const TimelineLayout& layout,
                   const Look& look) {
  if (input.traces.empty() || layout.columns == 0) {
    return;
  }
  picture::Pen pen(scene, look.measure);
  TimelinePainter(pen, input, layout, look).draw();
}

}  // namespace tidemark::gui
