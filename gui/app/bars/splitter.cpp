#include "gui/app/bars/splitter.hpp"

#include "gui/app/panes/widgets.hpp"

#include <algorithm>

namespace tidemark::gui {

void show_splitter(const Desk& desk, const Split& split) {
  const auto thickness = static_cast<float>(desk.look.px(5));
  ImGui::InvisibleButton("splitter", {ImGui::GetContentRegionAvail().x, thickness});
  const bool is_taken = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (is_taken) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  }
  // A short bar shows that this can be dragged.
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  const auto half = static_cast<float>(desk.look.px(22));
  const auto thin = static_cast<float>(desk.look.px(1));
  const float middle = (from.x + to.x) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {middle - half, (from.y + to.y) / 2 - thin}, {middle + half, (from.y + to.y) / 2 + thin},
      packed(picture::mixed(desk.look.theme.soft, desk.look.theme.background, is_taken ? 1 : 0.5)));
  const auto by = static_cast<double>(ImGui::GetIO().MouseDelta.y);
  if (ImGui::IsItemActive() && by != 0 && split.all > 1) {
    desk.state.timeline = std::clamp((split.timeline + by) / split.all, 0.15, 0.85);
  }
}

}  // namespace tidemark::gui
