#include "gui/view/timeline/timeline_picture.hpp"

#include "analyzer/picture/panel.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/timeline/axis_ticks.hpp"
#include "gui/view/timeline/timeline_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace tidemark::gui {
namespace {

using picture::Box;
using picture::PanelStyle;
using picture::PanelTrace;
using picture::Part;

constexpr std::size_t kMaxShownPhaseRows = 2;
constexpr std::array kRoles{"before", "after"};

/// Draws file mappings only if some are high enough to be seen.
bool shows_file_mappings(const TimelineInput& input, std::uint64_t highest) {
  constexpr std::uint64_t kVisible = 300;
  return input.file_mappings &&
         std::ranges::any_of(input.traces, [highest](const TimelineTrace& trace) {
           return trace.subject->lane_peaks[trace::Lane::kFile] > highest / kVisible;
         });
}

/// The size axis does not depend on the time in view; only `height` zooms it.
picture::SizeAxis sizes_in_view(const TimelineInput& input, const Box& plot, const Look& look) {
  picture::HighestValue highest;
  for (const TimelineTrace& trace : input.traces) {
    highest.add(*trace.subject);
  }
  const auto all = static_cast<double>(highest.value());
  const auto in_view = std::max<std::uint64_t>(static_cast<std::uint64_t>(all * input.height), 1);
  return picture::size_axis(in_view, std::min(highest.peak(), in_view), plot, look.type);
}

/// Paints the whole timeline, including the parts that belong to no single trace.
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
        sizes_(sizes_in_view(input, layout.panels.front().plot, look)),
        ticks_(ticks()) {}

  void draw() {
    const PanelStyle style{theme_, look_.type,   sizes_,
                           ticks_, input_.range, shows_file_mappings(input_, sizes_.highest)};
    input_.overlaid&& input_.traces.size() > 1 ? overlaid(style) : apart(style);
    if (input_.traces.size() > 1) {
      draw_difference(pen_, style, layout_.difference_header, layout_.difference,
                      input_.traces[0].columns, input_.traces[1].columns);
    }
    notes();
    selection();
    cursor();
    draw_time_axis(pen_, style, layout_.axis, layout_.axis.right(), input_.axis->caption);
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

  [[nodiscard]] PanelTrace panel_trace(std::size_t i) const {
    const TimelineTrace& trace = input_.traces[i];
    return {*trace.subject, input_.axis->warps[i], trace.columns,
            trace.bands.size() > 0 ? &trace.bands : nullptr};
  }

  void apart(const PanelStyle& style) {
    for (std::size_t i = 0; i < input_.traces.size(); ++i) {
      const PanelBoxes& boxes = layout_.panels[i];
      draw_header(pen_, look_, boxes.header, role(i), input_.traces[i], input_.tells_loss);
      draw_grid(pen_, style, boxes.plot);
      const auto resident = draw_curves(pen_, style, boxes.plot, panel_trace(i), shadow_of(i));
      below(style, i);
      peaks(style, boxes.plot, i, {}, resident);
    }
  }

  /// The first trace is the shadow behind the second.
  void overlaid(const PanelStyle& style) {
    const Box& plot = layout_.panels.front().plot;
    draw_grid(pen_, style, plot);
    const auto resident = draw_curves(pen_, style, plot, panel_trace(1), &input_.traces[0].columns);
    Box taken;
    for (std::size_t i = 0; i < input_.traces.size(); ++i) {
      draw_header(pen_, look_, layout_.panels[i].header, role(i), input_.traces[i],
                  input_.tells_loss);
      below(style, i);
      taken = peaks(style, plot, i, taken, resident);
    }
  }

  /// The columns as recorded if something is taken away; else those of the trace before.
  [[nodiscard]] const std::vector<picture::StackedColumn>* shadow_of(std::size_t i) const {
    if (!input_.traces[i].recorded.empty()) {
      return &input_.traces[i].recorded;
    }
    return i == 1 ? &input_.traces[0].columns : nullptr;
  }

  /// @return what the last label covers.
  Box peaks(const PanelStyle& style,
            const Box& plot,
            std::size_t i,
            const Box& taken,
            std::span<const picture::Point> resident) {
    const Box recorded = draw_peak(pen_, style, plot, panel_trace(i), taken, resident);
    const auto& left = input_.traces[i].remaining_peak;
    if (!left) {
      return recorded;
    }
    const picture::Subject& subject = *input_.traces[i].subject;
    const std::uint64_t bytes = left->lanes.footprint();
    std::string text = "without: " + analyzer::format_size(bytes);
    if (subject.model_bytes > 0) {
      text += fmt::format(" = {:.2f} × W",
                          static_cast<double>(bytes) / static_cast<double>(subject.model_bytes));
    }
    return draw_mark(pen_, style, plot, input_.axis->warps[i],
                     {left->at.at_ns, bytes, std::move(text)}, recorded, resident);
  }

  void below(const PanelStyle& style, std::size_t i) {
    draw_phases(pen_, style, layout_.panels[i].phases, panel_trace(i));
    draw_progress(pen_, style, layout_.panels[i].progress, panel_trace(i));
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

  /// A line through the plot, and the text at its foot: the peak's label is at the top.
  void notes() {
    constexpr double kMaxPixels = 180;
    const picture::TextLook look{look_.type.small, theme_.ink};
    const double gap = look_.px(4);
    std::vector<Box> taken(input_.traces.size());  // By the last note of each trace.
    for (const TimelineNote& note : input_.notes) {
      const double share = input_.range.share_of(note.x);
      if (share < 0 || share > 1 || note.trace >= input_.traces.size()) {
        continue;
      }
      const Box& plot = layout_.panels[note.trace].plot;
      const double x = std::min(std::floor(plot.x + share * plot.width) + 0.5, plot.right() - 0.5);
      pen_.stroke(Part::kLegend, picture::faded(theme_.ink, 0.6), look_.px(1),
                  {{x, plot.y}, {x, plot.bottom()}});
      const double width = std::min(pen_.width_of(look, note.text), look_.px(kMaxPixels)) + 2 * gap;
      const double left = x + width < plot.right() ? x : std::max(x - width, plot.x);
      const Box flag{left, plot.bottom() - 1.7 * look.size, width, 1.7 * look.size};
      if (left < taken[note.trace].right()) {
        continue;
      }
      taken[note.trace] = flag;
      pen_.fill(Part::kBackdrop, picture::mixed(theme_.ink, theme_.background, 0.12), flag);
      pen_.text(look, picture::Anchor::kLeft,
                {left + gap, picture::middle_baseline(flag.y, flag.bottom(), look.size)}, note.text,
                width - 2 * gap + 1);
    }
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

  picture::Pen& pen_;
  const TimelineInput& input_;
  const TimelineLayout& layout_;
  const Look& look_;
  const picture::Theme& theme_;
  picture::SizeAxis sizes_;
  std::vector<picture::AxisTick> ticks_;
};

}  // namespace

TimelineLayout lay_out_timeline(const TimelineInput& input, const Box& place, const Look& look) {
  TimelineContents contents;
  contents.overlaid = input.overlaid && input.traces.size() > 1;
  contents.has_difference = input.traces.size() > 1;
  // By phase, an axis has no ticks.
  const bool has_ticks = input.align != picture::Align::kPhase || input.traces.size() < 2;
  contents.axis_rows = (has_ticks ? 1U : 0U) + (input.axis->caption.empty() ? 0U : 1U);
  contents.left_labels = look.measure("1023 MiB", look.type.small, false);
  contents.right_labels = look.measure("10W", look.type.small, false);
  for (const TimelineTrace& trace : input.traces) {
    contents.panels.push_back(
        {.phase_rows = picture::phase_rows(trace.subject->phases, kMaxShownPhaseRows).size(),
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
