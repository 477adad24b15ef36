#include "gui/app/bars/top_bar.hpp"

#include "analyzer/picture/headline.hpp"
#include "gui/app/panes/widgets.hpp"

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
  const std::string resident = picture::resident_text(desk.session.subjects());
  const std::string text =
      picture::headline(desk.session.subjects()) + (resident.empty() ? "" : "; " + resident);
  // The buttons stay, whatever the headline needs.
  const std::string shown = in_one_line(text, right - static_cast<float>(desk.look.px(8)));
  ImGui::TextUnformatted(shown.c_str());
  ImGui::PopFont();
  if (shown != text && ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s", in_lines(text, static_cast<float>(desk.look.px(400))).c_str());
  }
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
