#include "gui/app/panes/activity_pane.hpp"

#include "gui/app/panes/widgets.hpp"
#include "gui/view/activity/activity_picture.hpp"
#include "gui/view/activity/activity_words.hpp"
#include "gui/view/timeline/axis_ticks.hpp"
#include "gui/view/timeline/timeline_layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {
namespace {

std::vector<picture::AxisTick> ticks_of(const Desk& desk, double width) {
  const auto most = static_cast<std::size_t>(std::max(width / desk.look.px(110), 1.0));
  auto ticks = ticks_in_view(desk.session.axis(), desk.session.alignment(), desk.glide.now(),
                             desk.session.axis_ns(), most);
  for (picture::AxisTick& tick : ticks) {
    tick.x = desk.glide.now().share_of(tick.x);
  }
  return ticks;
}

void tell(const Desk& desk, const std::vector<std::string>& lines) {
  if (lines.empty()) {
    return;
  }
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(static_cast<float>(desk.look.px(520)));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 0) {
      ImGui::TextUnformatted(lines[i].c_str());
    } else {
      ImGui::TextDisabled("%s", lines[i].c_str());
    }
  }
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

void ActivityPane::show(const Desk& desk) {
  OpenTrace& trace = desk.chosen();
  trace.ask_activity();
  const auto activity = trace.activity();
  if (std::exchange(activity_, activity) != activity) {
    layout_.forget();
  }
  if (!activity) {
    show_waiting(trace, Question::kActivity, "counting who did what ...");
    return;
  }
  const picture::Box place = rest_of_window();
  // On the timeline's own axis, with its edges and ticks.
  const picture::Box plots = on_time_axis(place, desk.look);
  const picture::Box rows{place.x, place.y, plots.right() - place.x, place.height};
  const ActivityInput input{.activity = activity.get(),
                            .subject = &trace.subject(),
                            .warp = &desk.session.axis().warps[desk.state.side],
                            .range = desk.glide.now(),
                            .left = plots.x - place.x,
                            .scrolled = scrolled_,
                            .all_files = all_files_,
                            .all_threads = all_threads_};
  const ActivityLayout& layout = layout_.of(input, rows, desk.look);
  const ActivityPlace under =
      ImGui::IsWindowHovered() ? activity_at(layout, pointer()) : ActivityPlace{};
  picture::Scene scene;
  draw_activity(scene, input, layout, ticks_of(desk, plots.width), under, rows, desk.look);
  show_pane_scene(desk, "rows", scene, place);
  if (ImGui::IsItemHovered()) {
    const double wheel = static_cast<double>(ImGui::GetIO().MouseWheel) * desk.look.px(40);
    scrolled_ = std::clamp(scrolled_ - wheel, 0.0, std::max(layout.height - place.height, 0.0));
    take_pointer(desk, input, under, plots);
  }
}

/// A row has a tooltip beside its lanes, too.
void ActivityPane::take_pointer(const Desk& desk,
                                const ActivityInput& input,
                                const ActivityPlace& under,
                                const picture::Box& plots) {
  const double at = std::clamp(std::floor(pointer().x - plots.x), 0.0, plots.width - 1);
  const auto ns_at = [&](double pixel) {
    return input.warp->ns_at(desk.glide.now().x_at(pixel / plots.width));
  };
  tell(desk, activity_words(input, under, {ns_at(at), ns_at(at + 1)}));
  if (ImGui::IsItemClicked() && under.row != nullptr) {
    click(desk, under, desk.glide.now().x_at((at + 0.5) / plots.width));
  }
}

/// Clicking a stretch of reads or a phase brings it into view as the chosen range. Elsewhere in a
/// lane, and on a mapping, a click chooses the instant, as in the timeline. A folded row opens.
void ActivityPane::click(const Desk& desk, const ActivityPlace& under, double x) {
  if (under.bar != nullptr) {
    const auto x_of = [&](std::uint64_t ns) { return desk.session.x_of(desk.state.side, ns); };
    const ViewRange stretch{x_of(under.bar->reads.begin_ns), x_of(under.bar->reads.end_ns)};
    const double margin = std::max(stretch.width() * 0.1, desk.session.narrowest() * 16);
    desk.glide.go_to(kept_on_axis({stretch.begin - margin, stretch.end + margin}));
    if (stretch.begin < stretch.end) {
      desk.state.selection = stretch;
    } else {
      desk.state.selection.reset();
      desk.state.cursor = stretch.begin;
    }
  } else if (under.row->kind == ActivityRow::Kind::kMoreFiles) {
    all_files_ = !all_files_;
  } else if (under.row->kind == ActivityRow::Kind::kIdle) {
    all_threads_ = !all_threads_;
  } else if (under.lane != nullptr) {
    desk.state.selection.reset();
    desk.state.cursor = x;
  }
}

}  // namespace tidemark::gui
