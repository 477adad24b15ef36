#include "gui/app/panes/activity_pane.hpp"

#include "gui/app/panes/widgets.hpp"
#include "gui/view/activity/activity_picture.hpp"
#include "gui/view/timeline/axis_ticks.hpp"
#include "gui/view/timeline/timeline_layout.hpp"

#include <algorithm>

namespace tidemark::gui {

void ActivityPane::show(const Desk& desk) {
  OpenTrace& trace = desk.chosen();
  trace.ask_activity();
  const auto activity = trace.activity();
  if (!activity) {
    ImGui::TextDisabled("counting who did what ...");
    return;
  }
  const picture::Box place = rest_of_window();
  // The timeline's own axis: its edges, its ticks.
  const picture::Box plots = on_time_axis(place, desk.look);
  const picture::Box rows{place.x, place.y, plots.right() - place.x, place.height};
  const auto most = static_cast<std::size_t>(std::max(plots.width / desk.look.px(110), 1.0));
  auto ticks = ticks_in_view(desk.session.axis(), desk.session.alignment(), desk.glide.now(),
                             desk.session.axis_ns(), most);
  for (picture::AxisTick& tick : ticks) {
    tick.x = desk.glide.now().share_of(tick.x);
  }
  const ActivityInput input{.activity = activity.get(),
                            .subject = &trace.subject(),
                            .warp = &desk.session.axis().warps[desk.state.side],
                            .range = desk.glide.now(),
                            .left = plots.x - place.x,
                            .ticks = ticks,
                            .scrolled = scrolled_};
  picture::Scene scene;
  const double height = draw_activity(scene, input, rows, desk.look);
  show_pane_scene(desk, "rows", scene, place);
  if (ImGui::IsItemHovered()) {
    const double wheel = static_cast<double>(ImGui::GetIO().MouseWheel) * desk.look.px(40);
    scrolled_ = std::clamp(scrolled_ - wheel, 0.0, std::max(height - place.height, 0.0));
  }
}

}  // namespace tidemark::gui
