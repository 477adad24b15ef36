#include "gui/app/panes/timeline/timeline_pane.hpp"

#include "analyzer/text/percent_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/text_style.hpp"
#include "gui/app/panes/time_wheel.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/timeline/axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace tidemark::gui {
namespace {

picture::Theme layered_theme(const Desk& desk) {
  const bool has_lanes = desk.state.by == analyzer::LayerGrouping::kLane;
  return has_lanes ? desk.look.theme : picture::with_layers(desk.look.theme);
}

std::vector<TimelineNote> notes(const Desk& desk) {
  std::vector<TimelineNote> notes;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    for (const Note& note : desk.notes.at(side)) {
      notes.push_back({side, desk.session.x_of(side, note.at_ns), note.text});
    }
  }
  return notes;
}

/// `before, ` or `after, ` of two traces; empty for a single one.
const char* role_of(const Desk& desk, std::size_t side) {
  return desk.session.size() < 2 ? "" : side == 0 ? "before, " : "after, ";
}

/// `at 1.204 s`, with enough digits to tell pixels apart.
std::string time_text(const Desk& desk, std::uint64_t ns) {
  const double pixels = static_cast<double>(ImGui::GetMainViewport()->WorkSize.x);
  const auto step = static_cast<std::uint64_t>(desk.glide.goal().width() / pixels *
                                               static_cast<double>(desk.session.axis_ns()));
  return "at " + precise_time(ns, std::max<std::uint64_t>(step, 1), ns);
}

/// `at 1.204 s`, or `at 1.204 s → at 2.310 s` if the times of two traces differ there; leaves out a
/// trace that has ended before.
std::string times_text(const Desk& desk, const std::vector<LayerAnswer::Then>& thens) {
  std::string text;
  std::string last;
  for (const LayerAnswer::Then& then : thens) {
    std::string time = time_text(desk, then.at_ns);
    if (!then.bytes.empty() && time != last) {
      text += (text.empty() ? "" : " → ") + time;
      last = std::move(time);
    }
  }
  return text;
}

/// Layer by layer, for each trace; empty if nothing is known.
std::vector<std::vector<std::uint64_t>> by_layer(const std::vector<LayerAnswer::Then>& thens) {
  std::size_t layers = 0;
  for (const LayerAnswer::Then& then : thens) {
    layers = std::max(layers, then.bytes.size());
  }
  std::vector<std::vector<std::uint64_t>> held(layers);
  for (std::size_t i = 0; i < layers; ++i) {
    for (const LayerAnswer::Then& then : thens) {
      held[i].push_back(i < then.bytes.size() ? then.bytes[i] : 0);
    }
  }
  return held;
}

/// With a range chosen there is no chosen instant.
std::optional<double> chosen_instant(const Desk& desk) {
  return desk.state.selection ? std::optional<double>() : desk.state.cursor;
}

std::uint64_t footprint_of(const LayerAnswer::Then& then) {
  return std::accumulate(then.bytes.begin(), then.bytes.end(), std::uint64_t{0});
}

/// The tooltip for a range while it is dragged, with its times in each trace.
void tell_range(const Desk& desk, const ViewRange& range) {
  ImGui::BeginTooltip();
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const std::string text =
        range_text(desk.session.ns_at(side, range.begin), desk.session.ns_at(side, range.end));
    ImGui::TextUnformatted((role_of(desk, side) + text).c_str());
  }
  ImGui::EndTooltip();
}

/// A name on the left, what it holds on the right edge of the tooltip.
void row(const Desk& desk,
         const std::string& name,
         const std::string& value,
         const picture::Colour* colour = nullptr) {
  const double width = desk.look.px(330);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const auto size = static_cast<float>(desk.look.px(9));
  const float indent = static_cast<float>(desk.look.px(16));
  if (colour != nullptr) {
    const float top = at.y + (ImGui::GetTextLineHeight() - size) / 2;
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, top}, {at.x + size, top + size},
                                              packed(*colour));
  }
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + indent);
  ImGui::TextDisabled("%s", name.c_str());
  ImGui::SameLine(static_cast<float>(width) - ImGui::CalcTextSize(value.c_str()).x);
  ImGui::TextUnformatted(value.c_str());
}

/// The traces as needed for the layout. Columns are added after it, since it decides their number.
std::vector<TimelineTrace> without_columns(const Desk& desk) {
  std::vector<TimelineTrace> traces;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    traces.push_back(
        {.subject = &desk.session.trace(side).subject(), .columns = {}, .bands = {}, .note = {}});
  }
  return traces;
}

}  // namespace

std::vector<TimelineTrace> TimelinePane::traces(const Desk& desk, std::size_t columns) const {
  const ViewRange& now = desk.glide.now();
  const ViewRange& goal = desk.glide.goal();
  desk.session.choose(chosen_instant(desk));
  std::vector<std::vector<picture::StackedColumn>> shown;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    shown.push_back(
        desk.session.trace(side).columns(desk.session.axis().warps[side], now, goal, columns));
  }
  // Draws what is left, with the recorded columns as the shadow behind it.
  std::vector<std::vector<picture::StackedColumn>> recorded(shown.size());
  for (std::size_t side = 0; side < shown.size(); ++side) {
    if (auto left = desk.session.remaining(side, desk.state.by, now, columns)) {
      recorded[side] = std::exchange(shown[side], std::move(*left));
    }
  }
  auto bands = desk.session.bands(desk.state.by, shown, now, goal, columns, desk.look.theme);
  std::vector<TimelineTrace> traces;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const OpenTrace& open = desk.session.trace(side);
    traces.push_back({&open.subject(), std::move(shown[side]), std::move(bands[side]),
                      open.recording_text(), std::move(recorded[side]),
                      desk.session.remaining_peak(side)});
  }
  return traces;
}

TimelineInput TimelinePane::input(const Desk& desk,
                                  const std::vector<TimelineTrace>& traces) const {
  return {.traces = traces,
          .axis = &desk.session.axis(),
          .align = desk.session.alignment(),
          .axis_ns = desk.session.axis_ns(),
          .range = desk.glide.now(),
          .height = desk.state.height,
          .overlaid = desk.state.overlaid,
          .file_mappings = true,
          .cursor = desk.state.cursor,
          .selection = desk.state.selection,
          .notes = notes(desk)};
}

void TimelinePane::show(const Desk& desk) {
  pointed_at_.reset();
  const picture::Box place = rest_of_window();
  const TimelineLayout layout =
      lay_out_timeline(input(desk, without_columns(desk)), place, desk.look);
  const auto shown = traces(desk, layout.columns);
  picture::Scene scene;
  const picture::Theme theme = layered_theme(desk);
  const Look look{theme, desk.look.type, desk.look.measure, desk.look.dark};
  TimelineInput drawn = input(desk, shown);
  drawn.tells_loss = false;
  draw_timeline(scene, drawn, layout, look);
  show_scene("timeline", scene, place, desk.fonts);
  take_input(desk, layout);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
    tell(desk, shown, layout);
  }
}

LegendInput legend_of(const Desk& desk, std::optional<double> pointed_at) {
  // Borrowed from the session: until the next update.
  LegendInput legend{.subjects = desk.session.subjects(),
                     .by = desk.state.by,
                     .layers = desk.session.layers(desk.state.by).get(),
                     .no_layers = desk.session.no_layers_text(desk.state.by),
                     .most_in_view = desk.session.most_in_view(desk.state.by, desk.glide.goal())};
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    legend.is_as_recorded = legend.is_as_recorded || desk.session.has_removal(side);
  }
  const std::optional<double> chosen = chosen_instant(desk);
  if (const std::optional<double> x = pointed_at ? pointed_at : chosen) {
    const auto thens = desk.session.layers_at(desk.state.by, desk.glide.goal(), *x);
    legend.held = by_layer(thens);
    legend.when = times_text(desk, thens);
  }
  return legend;
}

picture::Scene TimelinePane::picture(const Desk& desk,
                                     const picture::MeasureText& measure,
                                     double width,
                                     double height) {
  picture::Scene scene;
  scene.width = width;
  scene.height = height;
  scene.background = desk.look.theme.background;
  const picture::Type type = screen_type(1);
  const picture::Theme theme = layered_theme(desk);
  const Look look{theme, type, measure, desk.look.dark};
  constexpr int kMaxLegendRows = 4;
  constexpr double kMargin = 8;
  const double legend = draw_timeline_legend(scene, legend_of(desk, std::nullopt),
                                             {kMargin, kMargin / 2, width - 2 * kMargin, height},
                                             kMaxLegendRows, look);
  const picture::Box place{kMargin, kMargin / 2 + legend, width - 2 * kMargin,
                           height - kMargin - legend};
  const TimelineLayout layout = lay_out_timeline(input(desk, without_columns(desk)), place, look);
  const auto shown = traces(desk, layout.columns);
  draw_timeline(scene, input(desk, shown), layout, look);
  return scene;
}

void TimelinePane::take_input(const Desk& desk, const TimelineLayout& layout) {
  const picture::Box& plot = layout.panels.front().plot;
  const ImGuiIO& io = ImGui::GetIO();
  const double share = (static_cast<double>(io.MousePos.x) - plot.x) / plot.width;
  const double x = desk.glide.now().x_at(std::clamp(share, 0.0, 1.0));
  if (ImGui::IsItemHovered()) {
    take_wheel(desk, plot);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      desk.glide.go_to({});
      desk.state.height = 1;
      anchor_.reset();
      return;
    }
  }
  if (ImGui::IsItemActivated()) {
    anchor_ = x;
    selecting_ = io.KeyCtrl;
    dragged_ = false;
  }
  if (ImGui::IsItemActive() && anchor_) {
    take_drag(desk, x, plot);
  } else if (ImGui::IsItemDeactivated() && anchor_) {
    if (!dragged_) {
      desk.state.selection.reset();
      desk.state.cursor = *anchor_;
    }
    anchor_.reset();
  }
}

/// Moves by whole pixels, so that known columns still fit.
void TimelinePane::take_drag(const Desk& desk, double x, const picture::Box& plot) {
  dragged_ = dragged_ || ImGui::IsMouseDragging(ImGuiMouseButton_Left);
  if (!dragged_) {
    return;
  }
  if (selecting_) {
    if (x != *anchor_) {
      // Snaps within a distance too small to be meant.
      constexpr double kPixels = 8;
      const double reach = desk.look.px(kPixels) / plot.width * desk.glide.now().width();
      desk.state.selection =
          desk.session.snapped({std::min(x, *anchor_), std::max(x, *anchor_)}, reach);
      tell_range(desk, *desk.state.selection);
    }
    return;
  }
  desk.glide.jump_to(panned(desk.glide.now(), *anchor_ - x));
}

void TimelinePane::tell(const Desk& desk,
                        const std::vector<TimelineTrace>& traces,
                        const TimelineLayout& layout) {
  const picture::Box& plot = layout.panels.front().plot;
  const double at = std::floor(static_cast<double>(ImGui::GetIO().MousePos.x) - plot.x);
  if (at < 0 || at >= plot.width) {
    return;
  }
  const auto column = static_cast<std::size_t>(at);
  const double x = desk.glide.now().x_at((at + 0.5) / plot.width);
  pointed_at_ = x;
  crosshair(desk, layout, plot.x + at + 0.5);
  set_tooltip_beside(desk, plot, plot.x + at);
  ImGui::BeginTooltip();
  const auto thens = desk.session.layers_at(desk.state.by, desk.glide.goal(), x);
  for (std::size_t side = 0; side < traces.size(); ++side) {
    if (column >= traces[side].columns.size()) {
      continue;
    }
    // While the columns of a new range are being found, the known ones are wider.
    const auto ns_at = [&](double pixel) {
      return desk.session.ns_at(side, desk.glide.now().x_at(pixel / plot.width));
    };
    const LayerAnswer::Then* const then = side < thens.size() ? &thens[side] : nullptr;
    const bool is_here = then != nullptr && !then->bytes.empty() && ns_at(at) <= then->at_ns &&
                         then->at_ns <= ns_at(at + 1);
    tell_side(desk, side, traces[side], column, desk.session.ns_at(side, x),
              is_here ? then : nullptr);
  }
  tell_notes(desk, x, layout);
  ImGui::EndTooltip();
}

/// The full notes: in the plot, not all are readable where they are close together.
void TimelinePane::tell_notes(const Desk& desk, double x, const TimelineLayout& layout) {
  const double reach =
      desk.look.px(5) / layout.panels.front().plot.width * desk.glide.now().width();
  for (const TimelineNote& note : notes(desk)) {
    if (std::abs(note.x - x) <= reach) {
      ImGui::Separator();
      ImGui::PushTextWrapPos(static_cast<float>(desk.look.px(330)));
      ImGui::TextUnformatted(note.text.c_str());
      ImGui::PopTextWrapPos();
    }
  }
}

void TimelinePane::crosshair(const Desk& desk, const TimelineLayout& layout, double x) {
  // A filled rectangle one pixel wide: ImGui's line would cover two pixels.
  const auto at = static_cast<float>(std::floor(x));
  ImGui::GetWindowDrawList()->AddRectFilled({at, static_cast<float>(layout.panels.front().plot.y)},
                                            {at + 1, static_cast<float>(layout.axis.y)},
                                            packed(picture::faded(desk.look.theme.ink, 0.45)));
}

/// For the instant of the legend, if known.
void TimelinePane::tell_side(const Desk& desk,
                             std::size_t side,
                             const TimelineTrace& trace,
                             std::size_t column,
                             std::uint64_t ns,
                             const LayerAnswer::Then* then) {
  const picture::StackedColumn& shown = trace.columns[column];
  const picture::Subject& subject = *trace.subject;
  const std::uint64_t footprint = then == nullptr ? shown.highest.footprint() : footprint_of(*then);
  ns = then == nullptr ? ns : then->at_ns;
  std::string size = analyzer::format_size(footprint);
  if (subject.model_bytes > 0) {
    size += fmt::format(" = {:.2f} x W",
                        static_cast<double>(footprint) / static_cast<double>(subject.model_bytes));
  }
  ImGui::TextUnformatted((role_of(desk, side) + time_text(desk, ns) + ": " + size).c_str());
  if (column < trace.recorded.size()) {
    row(desk, "as recorded", analyzer::format_size(trace.recorded[column].highest.footprint()));
  }
  tell_extremes(desk, shown, footprint);
  tell_layers(desk, trace, column, then);
  if (shown.file.maximum > 0) {
    row(desk, "file mappings", analyzer::format_size(shown.file.maximum));
  }
  if (const auto* resident = subject.resident_at(ns)) {
    row(desk, "RSS", analyzer::format_size(resident->total()));
  }
  if (!subject.progress.empty()) {
    row(desk, "of the model read", analyzer::format_percent(100 * subject.share_read(ns)));
  }
  if (const std::string phases = subject.phases_at(ns); !phases.empty()) {
    constexpr std::size_t kPhaseCharacters = 34;
    row(desk, "phase", analyzer::fit({.utf8 = true}, phases, kPhaseCharacters));
  }
}

/// The extremes within the pixel.
void TimelinePane::tell_extremes(const Desk& desk,
                                 const picture::StackedColumn& column,
                                 std::uint64_t footprint) {
  if (column.highest.footprint() > footprint) {
    row(desk, "in this pixel up to", analyzer::format_size(column.highest.footprint()));
  }
  if (column.lowest.footprint() < footprint) {
    row(desk, "in this pixel down to", analyzer::format_size(column.lowest.footprint()));
  }
}

/// The uppermost first, as they are stacked.
void TimelinePane::tell_layers(const Desk& desk,
                               const TimelineTrace& trace,
                               std::size_t column,
                               const LayerAnswer::Then* then) {
  constexpr std::size_t kNameCharacters = 34;
  const auto layers = desk.session.layers(desk.state.by);
  const auto names = layers == nullptr ? std::vector<std::string>{}
                                       : analyzer::fitted_texts(*layers, kNameCharacters);
  const std::size_t count = trace.bands.size();
  for (std::size_t i = count; layers != nullptr && layers->size() == count && i-- > 0;) {
    const std::uint64_t bytes =
        then != nullptr ? then->bytes.at(i) : trace.bands.highest[column * count + i];
    if (bytes > 0) {
      row(desk, names[i], analyzer::format_size(bytes), &trace.bands.colours[i]);
    }
  }
  for (const trace::Lane lane : trace::kFootprintLanes) {
    const std::uint64_t bytes = trace.columns[column].highest[lane];
    if (count == 0 && bytes > 0) {
      const picture::Colour colour = desk.look.theme.lane(lane);
      row(desk, trace::info_of(lane).title, analyzer::format_size(bytes), &colour);
    }
  }
}

}  // namespace tidemark::gui
