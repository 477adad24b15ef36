#include "gui/app/bars/sentence_bar.hpp"

#include "analyzer/diff/diff_rows.hpp"
#include "gui/app/panes/widgets.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace tidemark::gui {

void show_sentence(const Desk& desk, const std::string& sentence, const picture::Colour& colour) {
  const auto indent = static_cast<float>(desk.look.px(4));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const std::string text = in_lines(sentence, width - 3 * indent);
  const float height = ImGui::CalcTextSize(text.c_str(), nullptr, false, width - 3 * indent).y +
                       ImGui::GetStyle().ItemSpacing.y;
  ImGui::GetWindowDrawList()->AddRectFilled(
      at, {at.x + width, at.y + height},
      packed(picture::mixed(colour, desk.look.theme.background, 0.16)));
  // The colour is a stripe beside the text: as text on its own tint it would be hard to read.
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + indent * 0.75F, at.y + height},
                                            packed(colour));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + 2 * indent);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width - 3 * indent);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

/// Empty: nothing was.
std::string given_up_text(const OpenTrace& trace) {
  return trace.has_given_up_any() ? "out of memory: not all that was asked for can be shown" : "";
}

void show_warnings(const Desk& desk) {
  constexpr std::array kRoles{"before: ", "after: "};
  const picture::Theme& theme = desk.look.theme;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const OpenTrace& trace = desk.session.trace(side);
    for (const std::string& text : {trace.subject().warning, trace.error(), given_up_text(trace)}) {
      if (!text.empty()) {
        const std::string role = desk.session.size() > 1 ? kRoles.at(side) : "";
        show_sentence(desk, role + text, theme.warning);
      }
    }
  }
  if (desk.session.size() > 1) {
    const std::uint64_t before = desk.session.trace(0).subject().model_bytes;
    const std::uint64_t after = desk.session.trace(1).subject().model_bytes;
    const std::string text = before > 0 && after > 0 ? analyzer::models_warning(before, after) : "";
    if (!text.empty()) {
      show_sentence(desk, text, theme.warning);
    }
  }
}

void show_message(const Desk& desk, const Message& message) {
  const picture::Theme& theme = desk.look.theme;
  if (!message.text.empty()) {
    show_sentence(desk, message.text, message.is_trouble ? theme.warning : theme.soft);
  }
}

}  // namespace tidemark::gui
