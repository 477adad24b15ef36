/// Small parts that several panes are made of.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/platform/scene_painter.hpp"
#include "gui/view/basics/moved_scene.hpp"

#include <algorithm>

#include <imgui.h>

namespace tidemark::gui {

/// One of several switches: the chosen one is filled. The next one stands beside it.
template <typename Value>
void choice(const char* name, Value value, Value& chosen) {
  const bool is_chosen = value == chosen;
  if (is_chosen) {
    ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
  }
  if (ImGui::Button(name)) {
    chosen = value;
  }
  if (is_chosen) {
    ImGui::PopStyleColor();
  }
  ImGui::SameLine(0, 2);
}

/// What is left of the current window.
inline picture::Box rest_of_window() {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  return {static_cast<double>(at.x), static_cast<double>(at.y),
          std::max(static_cast<double>(room.x), 1.0), std::max(static_cast<double>(room.y), 1.0)};
}

/// Paints a scene into a box, nothing beside it, and puts an invisible item over it that takes the
/// pointer: ImGui::IsItemHovered and its like ask about that.
inline void show_scene(const char* id,
                       const picture::Scene& scene,
                       const picture::Box& place,
                       const Fonts& fonts) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({static_cast<float>(place.x), static_cast<float>(place.y)},
                    {static_cast<float>(place.right()), static_cast<float>(place.bottom())}, true);
  paint(list, scene, fonts);
  list.PopClipRect();
  ImGui::SetCursorScreenPos({static_cast<float>(place.x), static_cast<float>(place.y)});
  ImGui::InvisibleButton(id, {static_cast<float>(place.width), static_cast<float>(place.height)});
}

/// The same for a pane, whose picture may be wanted in a file.
inline void show_pane_scene(const Desk& desk,
                            const char* id,
                            const picture::Scene& scene,
                            const picture::Box& place) {
  show_scene(id, scene, place, desk.fonts);
  if (desk.wish.is_wanted && !desk.wish.taken) {
    desk.wish.taken = moved_scene(scene, place, desk.look.theme.background);
  }
}

inline picture::Point pointer() {
  const ImVec2 at = ImGui::GetIO().MousePos;
  return {static_cast<double>(at.x), static_cast<double>(at.y)};
}

}  // namespace tidemark::gui
