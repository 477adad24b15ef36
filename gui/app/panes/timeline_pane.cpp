#include "gui/app/panes/timeline_pane.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/timeline/axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tidemark::gui {
namespace {

/// As narrow as makes sense: the clock counts nanoseconds.
double narrowest(const Session& session) {
  constexpr double kNanoseconds = 64;
  return std::min(kNanoseconds / static_cast<double>(session.axis_ns()), 1.0);
}

}  // namespace

std::vector<TimelineTrace> TimelinePane::traces(const Desk& desk, std::size_t columns) const {
  std::vector<TimelineTrace> traces;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    OpenTrace& open = desk.session.trace(side);
    traces.push_back({&open.subject(),
                      open.columns(desk.session.axis().warps[side], desk.glide.now(),
                                   desk.glide.goal(), columns),
                      open.is_incomplete() ? "recording" : ""});
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
          .overlaid = desk.state.overlaid,
          .file_mappings = true,
          .cursor = desk.state.cursor,
          .selection = desk.state.selection};
}

void TimelinePane::show(const Desk& desk) {
  const picture::Box place = rest_of_window();
  // Without columns first: their number is the layout's.
  auto shown = traces(desk, 0);
  const TimelineLayout layout = lay_out_timeline(input(desk, shown), place, desk.look);
  shown = traces(desk, layout.columns);
  picture::Scene scene;
  draw_timeline(scene, input(desk, shown), layout, desk.look);
  show_scene("timeline", scene, place, desk.fonts);
  take_input(desk, layout);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
    tell(desk, shown, layout);
  }
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
  const Look look{desk.look.theme, type, measure, desk.look.dark};
  auto shown = traces(desk, 0);
  const TimelineLayout layout =
      lay_out_timeline(input(desk, shown), {8, 4, width - 16, height - 8}, look);
  shown = traces(desk, layout.columns);
  draw_timeline(scene, input(desk, shown), layout, look);
  return scene;
}

void TimelinePane::take_input(const Desk& desk, const TimelineLayout& layout) {
  const picture::Box& plot = layout.panels.front().plot;
  const ImGuiIO& io = ImGui::GetIO();
  const double share = (static_cast<double>(io.MousePos.x) - plot.x) / plot.width;
  const double x = desk.glide.now().x_at(std::clamp(share, 0.0, 1.0));
  if (ImGui::IsItemHovered()) {
    if (io.MouseWheel != 0) {
      constexpr double kEachNotch = 0.8;
      const double at = desk.glide.goal().x_at(std::clamp(share, 0.0, 1.0));
      desk.glide.go_to(zoomed(desk.glide.goal(), at,
                              std::pow(kEachNotch, static_cast<double>(io.MouseWheel)),
                              narrowest(desk.session)));
    }
    if (io.MouseWheelH != 0) {
      desk.glide.go_to(panned(desk.glide.goal(), 0.1 * desk.glide.goal().width() *
                                                     static_cast<double>(io.MouseWheelH)));
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      desk.glide.go_to({});
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
    take_drag(desk, x);
  } else if (ImGui::IsItemDeactivated() && anchor_) {
    if (!dragged_) {
      desk.state.selection.reset();
      desk.state.cursor = *anchor_;
    }
    anchor_.reset();
  }
}

/// Whole pixels at a time: columns that were found before fit again.
void TimelinePane::take_drag(const Desk& desk, double x) {
  dragged_ = dragged_ || ImGui::IsMouseDragging(ImGuiMouseButton_Left);
  if (!dragged_) {
    return;
  }
  if (selecting_) {
    if (x != *anchor_) {
      desk.state.selection = ViewRange{std::min(x, *anchor_), std::max(x, *anchor_)};
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
  ImGui::BeginTooltip();
  for (std::size_t side = 0; side < traces.size(); ++side) {
    if (column >= traces[side].columns.size()) {
      continue;
    }
    const picture::StackedColumn& shown = traces[side].columns[column];
    const std::uint64_t ns = desk.session.ns_at(side, x);
    const auto step = static_cast<std::uint64_t>(desk.glide.now().width() / plot.width *
                                                 static_cast<double>(desk.session.axis_ns()));
    std::string text = fmt::format("{}at {}: {}",
                                   traces.size() < 2 ? ""
                                   : side == 0       ? "before, "
                                                     : "after, ",
                                   precise_time(ns, std::max<std::uint64_t>(step, 1), ns),
                                   analyzer::format_size(shown.highest.footprint()));
    if (shown.lowest.footprint() != shown.highest.footprint()) {
      text += fmt::format(" (down to {})", analyzer::format_size(shown.lowest.footprint()));
    }
    ImGui::TextUnformatted(text.c_str());
    for (const trace::Lane lane : trace::kShownLanes) {
      const bool is_file = lane == trace::Lane::kFile;
      const std::uint64_t bytes = is_file ? shown.file.maximum : shown.highest[lane];
      if (bytes > 0) {
        ImGui::TextDisabled("  %s %s", is_file ? "file mappings" : trace::key_of(lane),
                            analyzer::format_size(bytes).c_str());
      }
    }
  }
  ImGui::EndTooltip();
}

}  // namespace tidemark::gui
