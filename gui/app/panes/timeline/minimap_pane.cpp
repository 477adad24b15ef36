#include "gui/app/panes/timeline/minimap_pane.hpp"

#include "gui/app/panes/widgets.hpp"
#include "gui/view/timeline/timeline_layout.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tidemark::gui {

void MinimapPane::show(const Desk& desk) {
  if (desk.glide.now() == ViewRange{} && desk.glide.goal() == ViewRange{} &&
      grip_ == Grip::kBeside) {
    return;
  }
  picture::Box row = rest_of_window();
  row.height = std::round(desk.look.px(26));
  const picture::Box place = on_time_axis(row, desk.look);
  const auto count = static_cast<std::size_t>(place.width);
  std::vector<std::vector<picture::StackedColumn>> traces;
  MinimapInput input{.traces = {}, .highest = 1, .range = desk.glide.now(), .notes = {}};
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    OpenTrace& trace = desk.session.trace(side);
    traces.push_back(trace.whole_columns(desk.session.axis().warps[side], count));
    input.highest = std::max(input.highest, trace.subject().peak_bytes);
    for (const Note& note : desk.notes.at(side)) {
      input.notes.push_back(desk.session.x_of(side, note.at_ns));
    }
  }
  input.traces = traces;
  picture::Scene scene;
  draw_minimap(scene, input, place, desk.look);
  show_scene("minimap", scene, place, desk.fonts);
  take_pointer(desk, place);
  ImGui::SetCursorScreenPos({static_cast<float>(row.x), static_cast<float>(row.bottom())});
}

void MinimapPane::take_pointer(const Desk& desk, const picture::Box& place) {
  const double at = std::clamp((pointer().x - place.x) / place.width, 0.0, 1.0);
  const double reach = desk.look.px(6) / place.width;
  const Grip under = grip_at(desk.glide.goal(), at, reach);
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    grip_ = Grip::kBeside;
    return desk.glide.go_to({});
  }
  if (ImGui::IsItemActivated()) {
    taken_at_ = at;
    grip_ = under == Grip::kBeside ? Grip::kMiddle : under;
    taken_ = desk.glide.goal();
    if (under == Grip::kBeside) {
      // Centres on the place clicked, from where dragging can go on.
      taken_ = panned(taken_, at - taken_.x_at(0.5));
      desk.glide.go_to(taken_);
    }
  } else if (ImGui::IsItemActive() && grip_ != Grip::kBeside &&
             ImGui::IsMouseDragging(ImGuiMouseButton_Left)) {
    desk.glide.jump_to(pulled(taken_, grip_, at - taken_at_, desk.session.narrowest()));
  } else if (!ImGui::IsItemActive()) {
    grip_ = Grip::kBeside;
  }
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    const Grip shown = grip_ == Grip::kBeside ? under : grip_;
    const bool is_edge = shown == Grip::kBegin || shown == Grip::kEnd;
    ImGui::SetMouseCursor(is_edge ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_Hand);
  }
}

}  // namespace tidemark::gui
