#include "gui/app/panes/toolbar.hpp"

#include "gui/app/panes/widgets.hpp"

#include <cstddef>
#include <utility>

#include <imgui_stdlib.h>

namespace tidemark::gui {
namespace {

/// A tooltip for the previous item, above it if there is room: beside the pointer it would cover
/// the other switches.
void tell_above(const char* text) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const ImVec2 begin = ImGui::GetItemRectMin();
  const float height = ImGui::CalcTextSize(text).y + 2 * style.WindowPadding.y;
  const float gap = style.ItemSpacing.y;
  if (begin.y - gap - height > 0) {
    ImGui::SetNextWindowPos({begin.x, begin.y - gap}, ImGuiCond_Always, {0, 1});
  }
  ImGui::SetTooltip("%s", text);
}

}  // namespace

void Toolbar::button(const std::string& name,
                     bool is_filled,
                     const std::function<void()>& pressed,
                     const char* tooltip) {
  const double width = static_cast<double>(ImGui::CalcTextSize(name.c_str(), nullptr, true).x +
                                           2 * ImGui::GetStyle().FramePadding.x);
  const double gap = is_behind_text_ ? static_cast<double>(ImGui::GetStyle().ItemSpacing.x) : 2;
  add(width, gap, [=] {
    if (is_filled) {
      ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
    }
    const bool is_pressed = ImGui::Button(name.c_str());
    if (is_filled) {
      ImGui::PopStyleColor();
    }
    if (tooltip != nullptr && ImGui::IsItemHovered()) {
      tell_above(tooltip);
    }
    if (is_pressed) {
      pressed();
    }
  });
}

void Toolbar::field(const char* id, const char* hint, double width, std::string& text) {
  add(width, 2, [=, &text] {
    ImGui::SetNextItemWidth(static_cast<float>(width));
    ImGui::InputTextWithHint(id, hint, &text);
  });
}

void Toolbar::add_text(const std::string& text, ImU32 colour) {
  add(static_cast<double>(ImGui::CalcTextSize(text.c_str()).x), desk_.look.px(10), [text, colour] {
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    // Alone in a row it may need several lines; beside other items it fits.
    ImGui::TextWrapped("%s", in_lines(text, ImGui::GetContentRegionAvail().x).c_str());
    ImGui::PopStyleColor();
  });
  is_behind_text_ = true;
}

void Toolbar::add(double width, double gap, std::function<void()> draw) {
  const bool begins_group = std::exchange(begins_group_, false);
  items_.push_back({width, begins_group ? desk_.look.px(18) : gap, begins_group});
  draw_.push_back(std::move(draw));
  is_behind_text_ = false;
}

void Toolbar::show() const {
  const auto begins_row =
      toolbar_rows(items_, static_cast<double>(ImGui::GetContentRegionAvail().x));
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!begins_row[i]) {
      ImGui::SameLine(0, static_cast<float>(items_[i].gap));
    }
    draw_[i]();
  }
}

}  // namespace tidemark::gui
