/// Small widgets that several panes share.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/platform/scene_painter.hpp"
#include "gui/view/basics/line_breaks.hpp"
#include "gui/view/basics/moved_scene.hpp"

#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <string>

#include <imgui.h>

namespace tidemark::gui {

/// Breaks lines for text that ImGui wraps, as ImGui would also break numbers.
inline std::string in_lines(const std::string& text, float width) {
  return broken_at_spaces(text, static_cast<double>(width), [](const std::string& line) {
    return static_cast<double>(ImGui::CalcTextSize(line.c_str()).x);
  });
}

/// True if the bars above the timeline would leave next to no room for it and the panes.
inline bool is_low(const Desk& desk) {
  return static_cast<double>(ImGui::GetMainViewport()->WorkSize.y) < desk.look.px(560);
}

/// As many words of a text as fit in one line, with an ellipsis if that is not all.
inline std::string in_one_line(const std::string& text, float width) {
  if (in_lines(text, width).find('\n') == std::string::npos) {
    return text;
  }
  const std::string lines = in_lines(text, width - ImGui::CalcTextSize(" …").x);
  return lines.substr(0, lines.find('\n')) + " …";
}

/// A selectable text, wrapped to the window's width. @return true if it was clicked.
inline bool wrapped_selectable(const std::string& whole) {
  const ImVec2 at = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string text = in_lines(whole, width);
  const bool is_clicked =
      ImGui::Selectable("##wrapped", false, ImGuiSelectableFlags_None,
                        {width, ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y});
  const ImVec2 next = ImGui::GetCursorPos();
  ImGui::SetCursorPos(at);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::SetCursorPos(next);
  return is_clicked;
}

/// Shown where an answer is missing: `waiting` while it may come, else why it will not.
inline void show_waiting(OpenTrace& trace, Question question, const char* waiting) {
  if (trace.may_answer(question)) {
    ImGui::TextDisabled("%s", waiting);
  } else if (trace.has_given_up(question)) {
    ImGui::TextUnformatted("out of memory: this cannot be shown");
    if (ImGui::Button("try again")) {
      trace.try_again(question);
    }
  } else {
    ImGui::TextDisabled("%s", trace.error().c_str());
  }
}

/// A check box; the next item is on the same line. @return true if it was pressed.
inline bool tick(bool is_ticked, const char* tooltip) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  const bool is_pressed = ImGui::Checkbox("##tick", &is_ticked);
  ImGui::PopStyleVar();
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s", tooltip);
  }
  ImGui::SameLine();
  return is_pressed;
}

/// A check box that takes `one` away, or puts it back.
inline void tick(const Desk& desk, const Unticked& one, const char* tooltip) {
  if (tick(!is_unticked(desk.state.unticked, one), tooltip)) {
    toggle(desk.state.unticked, one);
  }
}

/// A tooltip with `otherwise`, if any, and the source around a line, if its file can be read.
inline void tell_source(const Desk& desk,
                        const std::string& file,
                        std::uint32_t line,
                        const std::string& otherwise) {
  const auto& lines = desk.sources.of(file, line);
  if (lines.empty() && otherwise.empty()) {
    return;
  }
  ImGui::BeginTooltip();
  if (!otherwise.empty()) {
    ImGui::TextUnformatted(otherwise.c_str());
  }
  if (!lines.empty()) {
    ImGui::TextDisabled("%s:%u", file.c_str(), line);
  }
  for (const SourceLine& one : lines) {
    if (one.number == line) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::GetWindowDrawList()->AddRectFilled(
          at, {at.x + static_cast<float>(desk.look.px(620)), at.y + ImGui::GetTextLineHeight()},
          ImGui::GetColorU32(ImGuiCol_Header));
    }
    ImGui::TextDisabled("%5u", one.number);
    ImGui::SameLine();
    ImGui::TextUnformatted(one.text.c_str());
  }
  ImGui::EndTooltip();
}

/// Places the next tooltip at the top of a plot, on the side of `x` with more room, so that it does
/// not cover what is pointed at. It stays within the window: its right is cut if it is too wide.
inline void set_tooltip_beside(const Desk& desk, const picture::Box& plot, double x) {
  const bool is_right = x > plot.x + plot.width / 2;
  const double gap = desk.look.px(18);
  ImGui::SetNextWindowPos({static_cast<float>(x + (is_right ? -gap : gap)),
                           static_cast<float>(plot.y + desk.look.px(6))},
                          ImGuiCond_Always, {is_right ? 1.0F : 0.0F, 0.0F});
  const double room = (is_right ? x : static_cast<double>(ImGui::GetIO().DisplaySize.x) - x) - gap;
  ImGui::SetNextWindowSizeConstraints({0, 0}, {static_cast<float>(room), FLT_MAX});
}

/// The rest of the current window.
inline picture::Box rest_of_window() {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  return {static_cast<double>(at.x), static_cast<double>(at.y),
          std::max(static_cast<double>(room.x), 1.0), std::max(static_cast<double>(room.y), 1.0)};
}

/// Paints a scene, clipped to a box, under an invisible item that takes the pointer:
/// ImGui::IsItemHovered and its like refer to that item.
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
