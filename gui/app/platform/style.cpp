#include "gui/app/platform/style.hpp"

#include <imgui.h>

namespace tidemark::gui {
namespace {

ImVec4 vec(const picture::Colour& colour) {
  return {static_cast<float>(colour.red), static_cast<float>(colour.green),
          static_cast<float>(colour.blue), static_cast<float>(colour.alpha)};
}

}  // namespace

void apply_style(const Look& look) {
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.WindowPadding = {8, 6};
  style.FramePadding = {7, 3};
  style.ItemSpacing = {7, 4};
  style.CellPadding = {5, 2};
  style.FrameRounding = 3;
  style.GrabRounding = 3;
  style.TabRounding = 3;
  style.PopupRounding = 4;
  style.ScrollbarSize = 12;
  style.WindowBorderSize = 0;
  style.ScaleAllSizes(static_cast<float>(look.type.scale));

  const picture::Theme& theme = look.theme;
  const auto shade = [&](double share) {
    return vec(picture::mixed(theme.soft, theme.background, share));
  };
  const auto accent = [&](double share) {
    return vec(picture::mixed(theme.lane(trace::Lane::kHeap), theme.background, share));
  };
  ImVec4* const colours = style.Colors;
  // The window is already cleared to the background. With software OpenGL, painting it again would
  // cost more than everything else.
  for (const ImGuiCol each : {ImGuiCol_WindowBg, ImGuiCol_ChildBg, ImGuiCol_TableRowBg}) {
    colours[each] = vec(picture::faded(theme.background, 0));
  }
  colours[ImGuiCol_PopupBg] = vec(picture::mixed(theme.phases[0], theme.background, 0.6));
  colours[ImGuiCol_Text] = vec(theme.ink);
  colours[ImGuiCol_TextDisabled] = vec(theme.soft);
  colours[ImGuiCol_Border] = shade(0.35);
  colours[ImGuiCol_Separator] = shade(0.25);
  colours[ImGuiCol_TableBorderLight] = colours[ImGuiCol_TableBorderStrong] = shade(0.2);
  colours[ImGuiCol_TableRowBgAlt] = shade(0.05);
  colours[ImGuiCol_TableHeaderBg] = shade(0.12);
  for (const ImGuiCol each : {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_Tab}) {
    colours[each] = shade(0.14);
  }
  for (const ImGuiCol each : {ImGuiCol_FrameBgHovered, ImGuiCol_ButtonHovered, ImGuiCol_TabHovered,
                              ImGuiCol_HeaderHovered}) {
    colours[each] = accent(0.35);
  }
  for (const ImGuiCol each : {ImGuiCol_FrameBgActive, ImGuiCol_ButtonActive, ImGuiCol_TabActive,
                              ImGuiCol_Header, ImGuiCol_HeaderActive}) {
    colours[each] = accent(0.5);
  }
  colours[ImGuiCol_TabUnfocused] = colours[ImGuiCol_Tab];
  colours[ImGuiCol_TabUnfocusedActive] = colours[ImGuiCol_TabActive];
  colours[ImGuiCol_CheckMark] = vec(theme.ink);
  colours[ImGuiCol_ScrollbarBg] = shade(0.05);
  colours[ImGuiCol_ScrollbarGrab] = shade(0.35);
  colours[ImGuiCol_ScrollbarGrabHovered] = shade(0.5);
  colours[ImGuiCol_ScrollbarGrabActive] = shade(0.6);
  colours[ImGuiCol_TextSelectedBg] = accent(0.5);
}

}  // namespace tidemark::gui
