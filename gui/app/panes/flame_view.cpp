#include "gui/app/panes/flame_view.hpp"

#include "gui/app/panes/widgets.hpp"

#include <algorithm>

namespace tidemark::gui {

std::optional<std::uint32_t> FlameView::show(const Desk& desk,
                                             FlameInput input,
                                             std::optional<std::uint32_t> outlined) {
  const CallTree& tree = *input.tree;
  focus_ = focus_ < tree.nodes.size() ? focus_ : 0;
  input.focus = focus_;
  input.hovered = hovered_ ? hovered_ : outlined;
  input.scrolled = scrolled_;
  const picture::Box place = rest_of_window();
  picture::Scene scene;
  const auto boxes = draw_flame(scene, input, place, desk.look);
  show_pane_scene(desk, "graph", scene, place);
  hovered_.reset();
  if (!ImGui::IsItemHovered()) {
    return std::nullopt;
  }
  const double most = std::max(flame_height(tree, desk.look) - place.height, 0.0);
  scrolled_ = std::clamp(
      scrolled_ - static_cast<double>(ImGui::GetIO().MouseWheel) * desk.look.px(40), 0.0, most);
  hovered_ = node_at(boxes, pointer());
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    focus_ = 0;
  } else if (ImGui::IsItemClicked() && hovered_) {
    focus_ = *hovered_ == focus_ ? 0 : *hovered_;
  }
  return hovered_;
}

}  // namespace tidemark::gui
