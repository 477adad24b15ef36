#include "gui/app/bars/top_bar.hpp"

#include "analyzer/picture/headline.hpp"

#include <array>
#include <string>

#include <imgui.h>

namespace tidemark::gui {
namespace {

struct TopButton {
  const char* name;
  Command command;
};

constexpr std::array kTopButtons{
    TopButton{"Open", Command::kOpen}, TopButton{"Export", Command::kExport},
    TopButton{"Save view", Command::kSaveView}, TopButton{"Theme", Command::kTheme},
    TopButton{"? Keys", Command::kKeys}};

}  // namespace

std::optional<Command> show_top_bar(const Desk& desk) {
  float width = 0;
  for (const TopButton& button : kTopButtons) {
    width += ImGui::CalcTextSize(button.name).x + 2 * ImGui::GetStyle().FramePadding.x + 2;
  }
  ImGui::PushFont(desk.fonts.title());
  const float left = ImGui::GetCursorPosX();
  const float right = ImGui::GetContentRegionAvail().x - width;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // The buttons stay, whatever the headline needs.
  ImGui::PushClipRect(at, {at.x + right - 8, at.y + 1000}, true);
  const std::string resident = picture::resident_text(desk.session.subjects());
  const std::string text =
      picture::headline(desk.session.subjects()) + (resident.empty() ? "" : "; " + resident);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopClipRect();
  ImGui::PopFont();
  ImGui::SameLine(left + right);
  std::optional<Command> pressed;
  for (const TopButton& button : kTopButtons) {
    if (ImGui::Button(button.name)) {
      pressed = button.command;
    }
    ImGui::SameLine(0, 2);
  }
  ImGui::NewLine();
  return pressed;
}

}  // namespace tidemark::gui
